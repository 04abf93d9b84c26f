import { Anchor, Button, Group, Select, Skeleton } from "@mantine/core";
import { IconDeviceMobile, IconDeviceMobileOff } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { curlOf } from "../api/curl.ts";
import { ApiProblem } from "../api/problem.ts";
import { useGoTo, usePageSearch, useTenantId, useToastLink } from "../navigation.tsx";
import { pageById } from "../pages.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast, toastProblem } from "../parts/toast.tsx";
import { settings } from "../settings.ts";
import { useWords } from "../words/language.ts";
import { ChangePanel } from "./change-panel.tsx";
import { page } from "./page.ts";
import { getPass, listNewest, titleOf } from "./pass.ts";
import { PhoneOnScreen } from "./phone.tsx";
import classes from "./phones.module.css";
import { type Card, installPass, type Phone, passIdOf, removePass } from "./simulator.ts";
import { phonesOf, usePhones } from "./use-phones.ts";
import { words } from "./words.ts";

const PASS_ID = /^[\w-]{5,50}$/;
const NOT_THERE = 404;

export function Page() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const phones = usePhones(tenantId);
  const isOff =
    !phones.isPossible || (phones.error instanceof ApiProblem && phones.error.status === NOT_THERE);
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={
          phones.data !== undefined && (
            <Anchor href={`${settings.baseUrl}/simulator`} target="_blank" rel="noopener" size="sm">
              {w.behind}
            </Anchor>
          )
        }
      />
      {isOff && (
        <EmptyState
          icon={IconDeviceMobileOff}
          title={w.offTitle}
          text={phones.isPossible ? w.offStaging : w.offProduction}
          command={phones.isPossible ? "SIMULATOR=1 npm start" : "ENVIRONMENT=staging npm start"}
        />
      )}
      {!isOff && phones.error !== null && (
        <ErrorDisplay error={phones.error} onRetry={() => void phones.refetch()} />
      )}
      {!isOff && phones.isPending && <Skeleton h={560} radius="lg" />}
      {phones.data !== undefined && <Stage key={tenantId} phones={phones.data} />}
    </>
  );
}

/** Puts passes on phones, one after the other: the second finds at Google what the first made. */
function useInstall(phones: readonly Phone[]) {
  const w = useWords(words);
  const linkTo = useToastLink();
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [, setSearch] = usePageSearch(page);
  const [problem, setProblem] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const install = async (passId: string, on: readonly Phone[] = phones) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { links } = await getPass(tenantId, passId);
      for (const phone of on) await installPass(phone.id, links?.landing ?? "");
      await queries.invalidateQueries({ queryKey: phonesOf(tenantId) });
      if (on.length > 1) toast({ message: w.installed, link: linkTo("pass", { passId }) });
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
      setSearch({ pass: undefined, open: passId });
    }
  };
  return { install, problem, isBusy };
}

function Stage({ phones }: { phones: readonly Phone[] }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const [search, setSearch] = usePageSearch(page);
  const { install, problem, isBusy } = useInstall(phones);
  const [picked, setPicked] = useState(search.pass ?? search.open);
  const choices = usePassChoices();
  const chosen = picked ?? choices.data?.[0]?.id;
  const asked = useRef<string>(undefined);
  const { pass } = search;
  // Once for each address that asks for it, also where React runs effects twice.
  useEffect(() => {
    if (pass === undefined || asked.current === pass) return;
    asked.current = pass;
    setPicked(pass);
    void install(pass);
  });
  const remove = async (phone: Phone, card: Card) => {
    try {
      await removePass(phone.id, card.key);
      await queries.invalidateQueries({ queryKey: phonesOf(tenantId) });
      toast({
        message: w.removed(w[phone.kind]),
        undo: () => install(passIdOf(card), [phone]),
      });
    } catch (error) {
      toastProblem(error);
    }
  };
  return (
    <div className={classes.stage}>
      {phones.map((phone) => (
        <PhoneOnScreen
          key={phone.id}
          phone={phone}
          openId={search.open}
          onOpen={(open) => setSearch({ open })}
          onRemove={(card) => void remove(phone, card)}
          onInstall={
            chosen === undefined || phone.cards.some((card) => passIdOf(card) === chosen)
              ? undefined
              : () => void install(chosen, [phone])
          }
          isBusy={isBusy}
        />
      ))}
      <div className={classes.side}>
        <section className={classes.panel} aria-label={w.choose}>
          <ChoosePass
            choices={choices}
            chosen={chosen}
            onChoose={setPicked}
            onInstall={(passId) => void install(passId)}
            isBusy={isBusy}
          />
          <ErrorDisplay error={problem} />
        </section>
        <ChangePanel passId={search.open} />
      </div>
    </div>
  );
}

function usePassChoices() {
  const tenantId = useTenantId();
  return useQuery({
    queryKey: ["pass-choices", tenantId],
    queryFn: () => listNewest(tenantId),
    meta: { live: ["pass.created", "pass.updated", "pass.deleted"] },
  });
}

type ChooseProps = {
  readonly choices: ReturnType<typeof usePassChoices>;
  readonly chosen: string | undefined;
  readonly onChoose: (passId: string) => void;
  readonly onInstall: (passId: string) => void;
  readonly isBusy: boolean;
};

function ChoosePass({ choices: passes, chosen, onChoose, onInstall, isBusy }: ChooseProps) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const goTo = useGoTo();
  const [typed, setTyped] = useState("");
  const overview = pageById("overview");
  if (passes.error !== null) return <ErrorDisplay error={passes.error} />;
  if (passes.data?.length === 0) {
    return (
      <EmptyState
        icon={IconDeviceMobile}
        title={w.emptyTitle}
        text={w.emptyText}
        action={overview && <Button onClick={() => goTo(overview)}>{w.emptyAction}</Button>}
        command={curlOf({
          method: "POST",
          path: `/api/${tenantId}/passes?passType=card`,
          body: { additionalData: { firstName: "Camille" } },
        })}
      />
    );
  }
  const options = (passes.data ?? []).map((pass) => ({
    value: pass.id,
    label: `${titleOf(pass)} (${pass.passType})`,
  }));
  // Any pass can be named by its id, however old it is.
  const named = [typed.startsWith("ps_") && PASS_ID.test(typed) ? typed : "", chosen ?? ""];
  for (const id of new Set(named)) {
    const isKnown = id === "" || options.some(({ value }) => value === id);
    if (!isKnown) options.push({ value: id, label: id });
  }
  return (
    <>
      <Select
        label={w.choose}
        description={w.chooseHint}
        data={options}
        value={chosen ?? null}
        onChange={(passId) => passId !== null && onChoose(passId)}
        allowDeselect={false}
        searchable
        onSearchChange={setTyped}
        nothingFoundMessage={w.noneFound}
      />
      <Group>
        <ScopedButton
          operation="pass.update"
          leftSection={<IconDeviceMobile size={18} stroke={1.6} />}
          loading={isBusy}
          onClick={() => chosen !== undefined && onInstall(chosen)}
        >
          {w.install}
        </ScopedButton>
      </Group>
    </>
  );
}
