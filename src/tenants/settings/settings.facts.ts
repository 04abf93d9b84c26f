import { canonicalLocale, isTimeZone } from "#kernel/intl.ts";
import { isObject } from "#kernel/json.ts";

/** What checks of other files need from `tenant.yml`. Plain data, sent to other processes. */
export type SettingsFacts = {
  readonly name: string;
  readonly timeZone: string;
  readonly defaultLocale: string;
};

/**
 * Takes any content of `tenant.yml`. A wrong value is reported where `tenant.yml` is checked. Here
 * the default replaces it, so that other files do not report the same mistake again.
 */
export function settingsFacts(value: unknown): SettingsFacts {
  const members: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  const text = (name: string) => (typeof members[name] === "string" ? members[name] : undefined);
  const timeZone = text("timeZone") ?? "UTC";
  return {
    name: text("name") ?? "",
    timeZone: isTimeZone(timeZone) ? timeZone : "UTC",
    defaultLocale: canonicalLocale(text("defaultLocale") ?? "en") ?? "en",
  };
}
