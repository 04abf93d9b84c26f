import {
  Accordion,
  Autocomplete,
  Button,
  Group,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconActivity } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { curlOf } from "../api/curl.ts";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CodeBlock, CurlIcon } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { beginningOf, covers } from "../parts/events/pattern.ts";
import { useCatalogue } from "../parts/events/use-catalogue.ts";
import { PageHead } from "../parts/page-head.tsx";
import { PeriodSelect } from "../parts/period/period-select.tsx";
import { sinceOf } from "../parts/period/since.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { eventsOf, type Happened, listEvents, subjectOf } from "./event.ts";
import classes from "./events.module.css";
import { page } from "./page.ts";
import { words } from "./words.ts";

const TYPING_MS = 400;
/** Unless `tenant.yml` says otherwise. */
const DAYS_KEPT = 30;

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [{ event, about, days }, setSearch] = usePageSearch(page);
  const path = `/api/${tenantId}/events?order=desc`;
  const list = useInfiniteQuery({
    queryKey: [...eventsOf(tenantId), event, about, days],
    queryFn: ({ pageParam }) =>
      listEvents(tenantId, { event, about, days }, pageParam === "" ? undefined : pageParam),
    initialPageParam: "",
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: (before) => before,
    meta: { live: [beginningOf(event ?? "")] },
  });
  const items = useMemo(() => list.data?.pages.flatMap((some) => some.items) ?? [], [list.data]);
  const isFiltered = [event, about, sinceOf(days)].some((one) => one !== undefined);
  return (
    <>
      <PageHead page={page} lead={w.lead} actions={<CurlIcon method="GET" path={path} />} />
      <Filters />
      {list.error !== null && (
        <ErrorDisplay error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Skeleton h={320} radius="lg" />}
      {list.isSuccess && items.length === 0 && !isFiltered && (
        <EmptyState
          icon={IconActivity}
          title={w.emptyTitle}
          text={w.emptyText}
          command={curlOf({ method: "GET", path })}
        />
      )}
      {list.isSuccess && items.length === 0 && isFiltered && list.hasNextPage && (
        <EmptyState title={w.notYetTitle} text={w.notYetText} />
      )}
      {list.isSuccess && items.length === 0 && isFiltered && !list.hasNextPage && (
        <EmptyState
          title={w.nothingTitle}
          text={w.nothingText}
          action={
            <Button
              variant="default"
              onClick={() => setSearch({ event: undefined, about: undefined, days: undefined })}
            >
              {w.clear}
            </Button>
          }
        />
      )}
      {items.length > 0 && <Items items={items} />}
      {items.length > 0 && !list.hasNextPage && Number(days) > DAYS_KEPT && (
        <Text size="sm" c="dimmed" mt="md">
          {w.kept}
        </Text>
      )}
      {list.hasNextPage && (
        <Group justify="center" mt="lg">
          <Button
            variant="default"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {w.older}
          </Button>
        </Group>
      )}
    </>
  );
}

function Filters() {
  const w = useWords(words);
  const known = useCatalogue();
  const [{ event = "", about = "", days }, setSearch] = usePageSearch(page);
  const [typed, setTyped] = useState({ event, about });
  // A button of the page, or of the browser, can change the address, too.
  useEffect(() => setTyped({ event, about }), [event, about]);
  const keep = useDebouncedCallback((text: string, name: "event" | "about") => {
    const value = text.trim() === "" ? undefined : text.trim();
    setSearch(name === "event" ? { event: value } : { about: value });
  }, TYPING_MS);
  const type = (name: "event" | "about") => (text: string) => {
    setTyped((before) => ({ ...before, [name]: text }));
    keep(text, name);
  };
  const nouns = new Set(known.map(({ noun }) => `${noun}.*`));
  return (
    <search className={classes.filters}>
      <Autocomplete
        label={w.byName}
        placeholder={w.byNameHint}
        data={[...nouns, ...known.map(({ name }) => name)]}
        maxLength={200}
        limit={20}
        value={typed.event}
        onChange={type("event")}
        data-filter
      />
      <TextInput
        label={w.about}
        placeholder={w.aboutHint}
        maxLength={100}
        value={typed.about}
        onChange={({ currentTarget }) => type("about")(currentTarget.value)}
      />
      <PeriodSelect
        isNamed
        days={days}
        onChange={(value) => setSearch({ days: value }, { isStep: true })}
      />
    </search>
  );
}

function Items({ items }: { items: readonly Happened[] }) {
  const w = useWords(words);
  const [{ open }, setSearch] = usePageSearch(page);
  const known = useCatalogue();
  const meaningOf = (name: string) => known.find((one) => covers(one.name, name))?.meaning ?? "";
  return (
    <section aria-label={w.caption}>
      <Accordion
        variant="separated"
        value={open ?? null}
        onChange={(id) => setSearch({ open: id ?? undefined })}
      >
        {items.map((item) => (
          <Accordion.Item key={item.id} value={item.id} data-event={item.event}>
            <Accordion.Control>
              <Line item={item} meaning={meaningOf(item.event)} />
            </Accordion.Control>
            <Accordion.Panel>{open === item.id && <Body item={item} />}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}

function Line({ item, meaning }: { item: Happened; meaning: string }) {
  const format = useFormat();
  return (
    <span className={classes.line}>
      <span className={classes.name}>{item.event}</span>
      <span className={classes.meaning}>{meaning}</span>
      <time className={classes.time} dateTime={item.occurredAt}>
        {format.moment(item.occurredAt)}
      </time>
    </span>
  );
}

function Body({ item }: { item: Happened }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const subject = subjectOf(item);
  return (
    <Stack gap="xs">
      <div className={classes.tall}>
        <CodeBlock code={JSON.stringify(item, null, 2)} label={w.body(item.event)} />
      </div>
      {subject !== undefined && (
        <Group>
          <Button
            size="xs"
            variant="default"
            onClick={() => setSearch({ about: subject, event: undefined }, { isStep: true })}
          >
            {w.onlyThis}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
