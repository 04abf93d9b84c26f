import { Alert, Badge, NativeSelect, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTenantId } from "../../navigation.tsx";
import { ErrorDisplay } from "../../parts/error-display.tsx";
import { type Fact, Facts, Section } from "../../parts/facts.tsx";
import { PassPreview } from "../../parts/pass-preview/pass-preview.tsx";
import { usePassPreview } from "../../parts/pass-preview/preview.ts";
import { ScrollRegion } from "../../parts/scroll-region.tsx";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import type { Pass } from "../pass.ts";
import { WALLET_NAMES } from "../wallet-names.ts";
import { type Content, type ExplainedText, getContent, LIVE, passKey } from "./calls.ts";
import classes from "./pass.module.css";
import { type WalletName, WalletSwitch } from "./wallet-switch.tsx";
import { words } from "./words.ts";

/** What the pass is, how it looks, and why. */
export function Overview({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [locale, setLocale] = useState<string>();
  const { data: content, error } = useQuery({
    queryKey: [...passKey(tenantId, pass.id), "content", locale],
    queryFn: () => getContent(tenantId, pass.id, locale),
    placeholderData: (before) => before,
    meta: { live: LIVE },
  });
  const preview = usePassPreview(tenantId, pass.id);
  return (
    <div className={classes.columns}>
      <div className={classes.stack}>
        <PassFacts pass={pass} />
        {error !== null && <ErrorDisplay error={error} />}
        {content !== undefined && content.languages.length > 1 && (
          <NativeSelect
            mb="sm"
            size="xs"
            label={w.language}
            value={content.language}
            onChange={(event) => setLocale(event.currentTarget.value)}
            data={content.languages}
          />
        )}
        {content !== undefined && <Explanation content={content} />}
      </div>
      <aside className={classes.aside} aria-label={w.look}>
        {preview.error === null ? (
          <PassPreview preview={preview.data} wallets="one" />
        ) : (
          <ErrorDisplay error={preview.error} />
        )}
      </aside>
    </div>
  );
}

function PassFacts({ pass }: { readonly pass: Pass }) {
  const w = useWords(words);
  const format = useFormat();
  const wallet = (state: Pass["providers"]["apple"]) => {
    if (state.status === "none") return w.walletNone;
    if (state.status === "uninstalled") return w.walletRemoved;
    const since = state.installedAt === null ? "" : ` · ${format.day(state.installedAt)}`;
    return `${w.devices(format.number(state.devices))}${since}`;
  };
  return (
    <>
      <Section title={w.facts}>
        <Facts
          facts={[
            [w.passType, pass.passType],
            [WALLET_NAMES.apple, wallet(pass.providers.apple)],
            [WALLET_NAMES.google, wallet(pass.providers.google)],
            [w.created, format.moment(pass.creationDate)],
            [w.updated, format.moment(pass.lastUpdateDate)],
            [
              w.expires,
              pass.expirationDate === null ? w.never : format.moment(pass.expirationDate),
            ],
            [w.version, format.number(pass.version)],
          ]}
        />
      </Section>
      <Section title={w.identifiers}>
        <Members members={pass.identifiers} />
      </Section>
      <Section title={w.data}>
        <Members members={pass.additionalData} />
      </Section>
      {Object.keys(pass.metadata).length > 0 && (
        <Section title={w.metadata}>
          <Members members={pass.metadata} />
        </Section>
      )}
    </>
  );
}

function Members({ members }: { readonly members: Readonly<Record<string, unknown>> }) {
  const w = useWords(words);
  const facts = Object.entries(members).map(
    ([name, value]): Fact => [name, typeof value === "string" ? value : JSON.stringify(value)],
  );
  if (facts.length === 0) return <Text c="dimmed">{w.none}</Text>;
  return <Facts facts={facts} />;
}

/** Each text of the pass with its sources. */
function Explanation({ content }: { readonly content: Content }) {
  const w = useWords(words);
  const [wallet, setWallet] = useState<WalletName>("apple");
  const texts = content.explanation?.[wallet] ?? [];
  return (
    <Section title={w.why}>
      <p className={classes.lead}>{w.whyLead}</p>
      {content.problems.length > 0 && (
        <Alert color="orange" variant="light" title={w.problems} mb="sm">
          {content.problems.map(({ file, line, message }) => (
            <Text size="sm" key={`${file} ${line} ${message}`}>
              {file} ({w.line(line)}): {message}
            </Text>
          ))}
        </Alert>
      )}
      <WalletSwitch value={wallet} onChange={setWallet} />
      <ScrollRegion label={w.why}>
        <Table verticalSpacing="sm" miw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{w.field}</Table.Th>
              <Table.Th>{w.shows}</Table.Th>
              <Table.Th>{w.madeOf}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {texts.map((text) => (
              <ExplainedRow key={`${text.name} ${text.members.join()}`} text={text} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
    </Section>
  );
}

function ExplainedRow({ text }: { readonly text: ExplainedText }) {
  const w = useWords(words);
  const { name, label, value, shown, sources, rule } = text;
  return (
    <Table.Tr>
      <Table.Td>
        {label !== null && label !== "" && <Text fw={600}>{label}</Text>}
        <Text size="xs" c="dimmed" ff="monospace">
          {name}
        </Text>
      </Table.Td>
      <Table.Td>
        {value === null || value === "" ? (
          <Text c="dimmed">{w.empty}</Text>
        ) : (
          <Text style={{ overflowWrap: "anywhere" }}>{String(value)}</Text>
        )}
        {!shown && (
          <Badge variant="light" color="gray" tt="none">
            {w.notShown}
          </Badge>
        )}
        {rule !== null && (
          <Text size="xs" c="dimmed" mt={2}>
            {rule.text}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {sources.map((source) => (
          <span
            key={`${source.kind} ${source.name} ${source.line} ${source.column}`}
            className={classes.source}
            title={source.kind}
          >
            {source.name}
            {source.line !== null && ` · ${w.line(source.line)}`}
          </span>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}
