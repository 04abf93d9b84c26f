/** Which wallets a device has: an iPhone or iPad, an Android phone, or a computer, which has none. */
export type Platform = "apple" | "android" | "desktop";

export type Visitor = {
  readonly platform: Platform;
  /**
   * The app whose built-in browser shows the page, by the name that people know; `browser` for
   * another browser than Safari on an iPhone. Undefined where passes can be added right away.
   */
  readonly app: string | undefined;
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const HEADER_LENGTH_MAX = 1_024;

/**
 * Apps that show pages in a browser of their own, in which an iPhone adds no pass. The first match
 * counts: Instagram and Messenger also name Facebook.
 */
const APPS: readonly (readonly [RegExp, string])[] = [
  [/\bInstagram\b/, "Instagram"],
  [/\b(?:Messenger|MessengerForiOS|MessengerLiteForiOS|Orca-Android)\b/, "Messenger"],
  [/\bFBA[NV]\/|\bFB_IAB\b|\bFBIOS\b/, "Facebook"],
  [/\bWhatsApp\b/, "WhatsApp"],
  [/\b(?:musical_ly|BytedanceWebview|TikTok|trill)\b/i, "TikTok"],
  [/\bSnapchat\b/, "Snapchat"],
  [/\bLinkedInApp\b/, "LinkedIn"],
  [/\b(?:Twitter for iPhone|TwitterAndroid)\b/, "X"],
  [/\bPinterest\b/, "Pinterest"],
  [/\bTelegram\b/, "Telegram"],
  [/\bLine\//, "LINE"],
  [/\bMicroMessenger\b/, "WeChat"],
  [/\bGmail\b/, "Gmail"],
  [/\bGSA\//, "Google"],
];

/** Browsers for iPhones that are not Safari. */
const OTHER_BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bCriOS\//, "Chrome"],
  [/\bFxiOS\//, "Firefox"],
  [/\bFocus\//, "Firefox Focus"],
  [/\bEdgiOS\//, "Edge"],
  [/\b(?:OPiOS|OPT|OPX)\//, "Opera"],
  [/\bDuckDuckGo\//, "DuckDuckGo"],
  [/\bBrave\//, "Brave"],
  [/\bYaBrowser\//, "Yandex"],
];

/** Recognizes the device and the browser from what every browser sends by itself. */
export function readVisitor(headers: Headers): Visitor {
  const agent = textOf(headers, "user-agent");
  const platform = platformOf(agent, textOf(headers, "sec-ch-ua-platform"));
  return { platform, app: appOf(agent, platform) };
}

/**
 * The hint of the browser wins: a phone that asks for the desktop view of a page sends the
 * User-Agent of a computer. An iPad always sends that of a Mac and gives no hint; it is shown what
 * a computer is shown, which has both buttons.
 */
function platformOf(agent: string, hint: string): Platform {
  const named = hint.replaceAll('"', "").toLowerCase();
  if (named === "android") return "android";
  if (named === "ios") return "apple";
  if (/\b(?:iPhone|iPad|iPod)\b/.test(agent)) return "apple";
  if (/\bAndroid\b/.test(agent)) return "android";
  return "desktop";
}

/** Android's wallet is opened by its own address, which every app hands over to the system. */
function appOf(agent: string, platform: Platform): string | undefined {
  if (platform !== "apple") return undefined;
  const found = [...APPS, ...OTHER_BROWSERS].find(([pattern]) => pattern.test(agent));
  if (found !== undefined) return found[1];
  // Safari names its own version; a page inside some unknown app does not.
  return agent.includes("Safari/") && agent.includes("Version/") ? undefined : UNKNOWN_APP;
}

/** An app that does not name itself. */
export const UNKNOWN_APP = "";

function textOf(headers: Headers, name: string): string {
  const value = headers[name];
  return (typeof value === "string" ? value : "").slice(0, HEADER_LENGTH_MAX);
}
