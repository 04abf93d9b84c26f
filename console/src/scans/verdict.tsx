import { Badge, Group, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { Facts } from "../parts/facts.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { useReasons } from "./reasons.ts";
import type { Scan, ScanAnswer } from "./scan.ts";
import classes from "./scans.module.css";
import { words } from "./words.ts";

type Judged = Pick<Scan, "decision" | "reason" | "pass">;

/** The decision as one would see it at the door. */
export function Verdict({ scan }: { scan: Judged }) {
  const w = useWords(words);
  const reasonOf = useReasons();
  const isAccepted = scan.decision === "accepted";
  return (
    <div className={classes.verdict} data-decision={scan.decision} role="status">
      <span className={classes.verdictIcon}>
        {isAccepted ? <IconCheck size={26} /> : <IconX size={26} />}
      </span>
      <div>
        <Text fw={640} size="lg">
          {isAccepted ? w.accepted : w.rejected}
        </Text>
        <Text size="sm">{reasonOf(scan.reason).long}</Text>
        {scan.pass !== null && (
          <Text size="sm" fw={600} mt={4}>
            {scan.pass.displayName ?? scan.pass.id}
          </Text>
        )}
      </div>
    </div>
  );
}

export function DecisionBadge({ scan }: { scan: Judged }) {
  const w = useWords(words);
  const reasonOf = useReasons();
  const isAccepted = scan.decision === "accepted";
  return (
    <Group gap={6}>
      <Badge color={isAccepted ? "teal" : "red"} variant="light" tt="none">
        {isAccepted ? w.accepted : w.rejected}
      </Badge>
      {!isAccepted && (
        <Text size="sm" c="dimmed">
          {reasonOf(scan.reason).short}
        </Text>
      )}
    </Group>
  );
}

/** What the scan took, and what is left. */
export function Movement({ scan: { movement } }: { scan: Scan | ScanAnswer }) {
  const w = useWords(words);
  const format = useFormat();
  if (movement === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {w.noMovement}
      </Text>
    );
  }
  const { value, valueBefore, valueAfter, privilegeId, movementId } = movement;
  const change =
    valueBefore === null || valueAfter === null
      ? ""
      : w.moved(format.number(valueBefore), format.number(valueAfter));
  return (
    <div>
      <Text>
        <b>{format.number(value)}</b> {privilegeId} {change}
      </Text>
      <Text size="xs" c="dimmed" className={classes.mono}>
        {movementId}
      </Text>
    </div>
  );
}

export function Privileges({ scan: { privileges } }: { scan: Scan | ScanAnswer }) {
  const w = useWords(words);
  const format = useFormat();
  if (privileges.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {w.noPrivileges}
      </Text>
    );
  }
  return (
    <Facts
      facts={privileges.map(({ privilegeId, name, value, maximum, unit, status }) => {
        const amount = value === null ? "" : format.number(value);
        const bound = maximum === null ? "" : ` / ${format.number(maximum)}`;
        return [name || privilegeId, `${amount}${bound} ${unit ?? ""} · ${status}`];
      })}
    />
  );
}
