import { Badge, Group, Text, UnstyledButton } from "@mantine/core";
import type { FindingWords } from "../parts/findings/finding-words.ts";
import { useFindingWords } from "../parts/findings/use-finding-words.ts";
import type { Finding } from "../parts/pass-preview/shapes.ts";
import { useWords } from "../words/language.ts";
import classes from "./templates.module.css";
import { words } from "./words.ts";

type Props = {
  readonly findings: readonly Finding[];
  /** True if the whole test was run, which also looks at pictures and secrets. */
  readonly isWhole: boolean;
  readonly onOpen: (finding: Finding) => void;
};

const COLORS = { error: "red", warning: "yellow", info: "gray" } as const;

/** What is wrong, each with the way to its place. */
export function FindingsList({ findings, isWhole, onOpen }: Props) {
  const w = useWords(words);
  const wordsOf = useFindingWords();
  const count = (severity: Finding["severity"]) =>
    findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  return (
    <section className={classes.findings} aria-label={w.findings}>
      <Group gap="xs" px="sm" py={6} role="status">
        <Text size="sm" fw={600}>
          {w.findings}
        </Text>
        {errors > 0 && (
          <Badge color="red" variant="light" tt="none">
            {w.invalid(errors)}
          </Badge>
        )}
        {warnings > 0 && (
          <Badge color="yellow" variant="light" tt="none">
            {w.warnings(warnings)}
          </Badge>
        )}
        {errors === 0 && isWhole && (
          <Badge color="teal" variant="light" tt="none">
            {w.valid}
          </Badge>
        )}
        {findings.length === 0 && !isWhole && (
          <Text size="sm" c="dimmed">
            {w.noFindings}
          </Text>
        )}
      </Group>
      {findings.length > 0 && (
        <ul>
          {findings.map((finding) => (
            <li
              key={`${finding.file} ${finding.line} ${finding.column} ${finding.code} ${finding.message}`}
            >
              <UnstyledButton className={classes.finding} onClick={() => onOpen(finding)}>
                <Badge color={COLORS[finding.severity]} variant="light" tt="none" size="sm">
                  {w[finding.severity]}
                </Badge>
                <FindingText finding={finding} told={wordsOf(finding)} />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function FindingText({ finding, told }: { finding: Finding; told: FindingWords }) {
  const w = useWords(words);
  const { summary, hint, language, exact } = told;
  return (
    <span>
      <Text size="sm" component="span" lang={language}>
        {summary}
      </Text>{" "}
      <Text size="xs" c="dimmed" component="span">
        <span lang={language}>{hint}</span> · {finding.file}
        {finding.line !== null && `, ${w.line(finding.line)}`}
      </Text>
      {exact !== undefined && (
        <Text size="xs" c="dimmed" component="span" display="block" lang="en">
          {exact}
        </Text>
      )}
    </span>
  );
}
