import { Badge, Group, Progress, Text, Title } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconExclamationCircle,
  IconInfoCircle,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { CopyIcon } from "../parts/copy.tsx";
import { useFindingWords } from "../parts/findings/use-finding-words.ts";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import type { Certificate, GoogleCheck, Problem, Status } from "./wallet.ts";
import classes from "./wallets.module.css";
import { words } from "./words.ts";

const COLORS = {
  ready: "teal",
  attention: "yellow",
  soon: "yellow",
  testing: "gray",
  broken: "red",
} as const;
const YEAR_DAYS = 365;
const SOON_DAYS = 30;

type CardProps = {
  readonly title: string;
  readonly status: Status;
  readonly text: string;
  readonly children: ReactNode;
};

export function WalletCard({ title, status, text, children }: CardProps) {
  const w = useWords(words);
  return (
    <section className={classes.card} aria-label={title}>
      <div className={classes.head}>
        <Title order={2}>{title}</Title>
        <Badge size="lg" variant="light" tt="none" color={COLORS[status]}>
          {w[status]}
        </Badge>
      </div>
      <Text>{text}</Text>
      {children}
    </section>
  );
}

const ICONS = {
  error: <IconExclamationCircle size={18} stroke={1.8} color="var(--mantine-color-error)" />,
  warning: <IconAlertTriangle size={18} stroke={1.8} color="var(--mantine-color-orange-text)" />,
  info: <IconInfoCircle size={18} stroke={1.8} color="var(--mantine-color-dimmed)" />,
} as const;

/** What is wrong and what to do about it. */
export function Problems({ problems }: { problems: readonly Problem[] }) {
  const w = useWords(words);
  const wordsOf = useFindingWords();
  if (problems.length === 0) return undefined;
  return (
    <ul className={classes.problems}>
      {problems.map((problem) => {
        const { summary, hint, language, exact } = wordsOf(problem);
        return (
          <li key={`${problem.code} ${problem.message}`} className={classes.problem}>
            <span role="img" aria-label={w[problem.severity]}>
              {ICONS[problem.severity]}
            </span>
            <div>
              <span lang={language}>
                {summary} <span className={classes.hint}>{hint}</span>
              </span>
              {exact !== undefined && (
                <div className={classes.hint} lang="en">
                  {exact}
                </div>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** What Google said, step by step, up to the first that it refuses. The API says it in English. */
export function CheckSteps({ check }: { check: GoogleCheck }) {
  const w = useWords(words);
  return (
    <div className={classes.slot} role="status">
      <Text fw={600}>{check.isOk ? w.checkGood : w.checkBad}</Text>
      {check.isDevelopment && (
        <Text size="sm" c="dimmed">
          {w.checkSimulated}
        </Text>
      )}
      <ul className={classes.problems}>
        {check.steps.map(({ step, isOk, message, hint }) => (
          <li key={step} className={classes.problem}>
            <span role="img" aria-label={isOk ? w.stepOk : w.stepBad}>
              {isOk ? (
                <IconCircleCheck size={18} stroke={1.8} color="var(--mantine-color-teal-text)" />
              ) : (
                ICONS.error
              )}
            </span>
            <div lang="en">
              {message} {hint !== null && <span className={classes.hint}>{hint}</span>}
            </div>
          </li>
        ))}
      </ul>
      {check.notes.map(({ code, message }) => (
        <Text key={code} size="sm" c="dimmed" lang="en">
          {message}
        </Text>
      ))}
    </div>
  );
}

type CertificateProps = {
  readonly title: string;
  readonly certificate: Certificate;
  readonly children?: ReactNode;
};

export function CertificateFacts({ title, certificate, children }: CertificateProps) {
  const w = useWords(words);
  const format = useFormat();
  const { passTypeIdentifier, teamIdentifier, issuer, notAfter, daysLeft, fingerprint } =
    certificate;
  const isOver = daysLeft < 0;
  const left = isOver ? w.expired : w.daysLeft(daysLeft);
  return (
    <div className={classes.slot}>
      <Text fw={600}>{title}</Text>
      <dl className={classes.facts}>
        <dt>{w.passType}</dt>
        <dd>{passTypeIdentifier ?? w.none}</dd>
        <dt>{w.team}</dt>
        <dd>{teamIdentifier ?? w.none}</dd>
        <dt>{w.issuer}</dt>
        <dd>{commonNameOf(issuer)}</dd>
        <dt>{w.valid}</dt>
        <dd className={isOver ? classes.bad : undefined}>
          {format.day(notAfter)} ({left})
          <Progress
            mt={4}
            size="xs"
            color={daysLeft <= SOON_DAYS ? "red" : "teal"}
            value={Math.max(0, Math.min(100, (daysLeft / YEAR_DAYS) * 100))}
            aria-label={left}
          />
        </dd>
        <dt>{w.fingerprint}</dt>
        <dd>
          <Group gap={4} wrap="nowrap">
            <code className={classes.mono}>{fingerprint}</code>
            <CopyIcon value={fingerprint} />
          </Group>
        </dd>
      </dl>
      {!certificate.hasKey && <Text className={classes.bad}>{w.noKey}</Text>}
      {!certificate.isChainComplete && <Text className={classes.bad}>{w.noChain}</Text>}
      {children}
    </div>
  );
}

/** Of a distinguished name, the part that people know it by. */
function commonNameOf(name: string): string {
  return /CN=([^,\n+]+)/.exec(name)?.[1]?.trim() ?? name;
}
