import { Chip, Pill, Select } from "@mantine/core";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { PeriodSelect } from "../parts/period/period-select.tsx";
import { useWords } from "../words/language.ts";
import { page } from "./page.ts";
import { useDevices } from "./scan.ts";
import classes from "./scans.module.css";
import { words } from "./words.ts";

/** Each choice stands in the address, so a filtered list can be sent to somebody. */
export function ScanFilters() {
  const w = useWords(words);
  const [search, setSearch] = usePageSearch(page);
  const devices = useDevices(useTenantId());
  const { decision, days, device, pass, conflict } = search;
  const names = [...devices.values()].map(({ deviceId, name }) => ({
    value: deviceId,
    label: name,
  }));
  const known =
    device === undefined || devices.has(device)
      ? names
      : [{ value: device, label: device }, ...names];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn with a frame.
    <div className={classes.filters} role="group" aria-label={w.filters}>
      <Select
        className={classes.choice}
        aria-label={w.decision}
        placeholder={w.anyDecision}
        clearable
        data={[
          { value: "accepted", label: w.accepted },
          { value: "rejected", label: w.rejected },
        ]}
        value={decision ?? null}
        onChange={(value) => setSearch({ decision: value ?? undefined }, { isStep: true })}
      />
      <PeriodSelect
        className={classes.choice}
        days={days}
        onChange={(value) => setSearch({ days: value }, { isStep: true })}
      />
      <Select
        className={classes.choice}
        aria-label={w.device}
        placeholder={w.anyDevice}
        clearable
        searchable
        data={known}
        value={device ?? null}
        onChange={(value) => setSearch({ device: value ?? undefined }, { isStep: true })}
      />
      <Chip
        checked={conflict === "yes"}
        variant="outline"
        onChange={(isOn) => setSearch({ conflict: isOn ? "yes" : undefined }, { isStep: true })}
      >
        {w.conflicts}
      </Chip>
      {pass !== undefined && (
        <Pill
          size="lg"
          withRemoveButton
          onRemove={() => setSearch({ pass: undefined }, { isStep: true })}
          removeButtonProps={{ "aria-label": w.dropPass, tabIndex: 0, "aria-hidden": false }}
        >
          {w.ofPass(pass)}
        </Pill>
      )}
    </div>
  );
}
