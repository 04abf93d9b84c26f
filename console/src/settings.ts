/** What the server writes into the page. See `src/console/console.settings.ts` of the product. */
export type Settings = {
  readonly baseUrl: string;
  readonly environment: "staging" | "production";
  readonly signIn?: {
    readonly clientId: string;
    readonly authorizationUrl: string;
    readonly tokenUrl: string;
    readonly redirectUri: string;
    readonly scope: string;
    readonly isBuiltIn: boolean;
    readonly signOutUrl?: string;
  };
};

function readSettings(): Settings {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="console-settings"]');
  return JSON.parse(meta?.content ?? "") as Settings;
}

export const settings: Settings = readSettings();

/** Where the console is below the host: `/console`, or more if the product is not at the root. */
export const basePath = `${new URL(settings.baseUrl).pathname.replace(/\/$/, "")}/console`;

/** Styles that are made at run time carry it; the server allows no others. */
export const styleNonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
