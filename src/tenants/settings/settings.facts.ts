import { canonicalLocale, isTimeZone } from "#kernel/intl.ts";
import { isObject } from "#kernel/json.ts";

/** What readers of other files need to know of `tenant.yml`. Plain data: it travels between processes. */
export type SettingsFacts = {
  readonly name: string;
  readonly timeZone: string;
  readonly defaultLocale: string;
};

/**
 * Of whatever `tenant.yml` holds. A value that does not fit is told of where that file is checked; here the
 * default stands in for it, so that the same mistake is not told of a second time in other files.
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
