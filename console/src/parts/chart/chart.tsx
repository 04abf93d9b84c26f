import { ActionIcon, Table, Title, Tooltip } from "@mantine/core";
import { IconChartBar, IconTable } from "@tabler/icons-react";
import { useState } from "react";
import { useFormat } from "../../words/format.ts";
import { useWords } from "../../words/language.ts";
import classes from "./chart.module.css";
import { Plot } from "./plot.tsx";
import type { ChartProps } from "./series.ts";
import { words } from "./words.ts";

/** A chart of counts over time. The same is there as a table, and by the arrow keys. */
export function Chart(props: ChartProps) {
  const { title, series } = props;
  const w = useWords(words);
  const format = useFormat();
  const [isTable, setIsTable] = useState(false);
  const label = isTable ? w.asChart : w.asTable;
  const Icon = isTable ? IconChartBar : IconTable;
  return (
    <figure className={`${classes.figure} ${classes.colors}`} aria-label={title}>
      <div className={classes.head}>
        <Title order={2} size="h3">
          {title}
        </Title>
        <Tooltip label={label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${title}: ${label}`}
            onClick={() => setIsTable(!isTable)}
          >
            <Icon size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </div>
      <ul className={classes.legend}>
        {series.map(({ name, tone, values }) => (
          <li key={name}>
            <span className={`${classes.swatch} ${classes[tone]}`} aria-hidden />
            {name} <strong>{format.number(values.reduce((sum, value) => sum + value, 0))}</strong>
          </li>
        ))}
      </ul>
      {isTable ? <ValueTable {...props} /> : <Plot {...props} />}
    </figure>
  );
}

function ValueTable({ title, labels, series }: ChartProps) {
  const w = useWords(words);
  const format = useFormat();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section className={classes.tableBox} tabIndex={0} aria-label={title}>
      <Table stickyHeader verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{w.when}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {labels.map((label, at) => (
            <Table.Tr key={label}>
              <Table.Td>{label}</Table.Td>
              {series.map(({ name, values }) => (
                <Table.Td key={name} ta="right">
                  {format.number(values[at] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
