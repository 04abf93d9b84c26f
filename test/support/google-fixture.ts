import { SIGNAL_CHANNEL } from "#kernel/db/signal-channel.ts";
import { askForLink, ISSUER_ID, startGoogle } from "./google-stand-in.ts";
import { seedPass } from "./pass-tenant.ts";
import { startApi } from "./start-api.ts";
import { until } from "./webhook-receiver.ts";

/** The product with the stand-in in the place of Google, and what most tests of passes at Google begin with. */
export async function startGoogleFixture(
  owner: Parameters<typeof startApi>[0],
  env: Readonly<Record<string, string>> = {},
) {
  const google = await startGoogle(owner);
  const api = await startApi(owner, { env: { GOOGLE_WALLET_URL: google.url, ...env } });

  /** Google has a pass as soon as the link to save it was made. */
  async function sendPass(passId: string, tenantId = "acme"): Promise<void> {
    const { status, text } = await askForLink(api, tenantId, passId);
    if (status !== 200) throw new Error(`Save link not made: ${text}`);
  }

  /** What the product keeps of a pass at Google. */
  async function rowOf(passId: string) {
    const [row] = await api.sql("select * from google_object where pass_id = $1", [passId]);
    return row;
  }

  return {
    google,
    api,
    sendPass,
    rowOf,
    /** A loyalty pass that Google has; the tenant is there already. Returns the pass's id. */
    async savedPass(tenantId = "acme"): Promise<string> {
      const { id } = await seedPass(api, tenantId);
      await sendPass(id, tenantId);
      return id;
    },
    /** What Google has of a loyalty pass. */
    objectOf: (passId: string) => google.resource("loyaltyObject", `${ISSUER_ID}.${passId}`),
    /** Waits until Google has the pass as it is, or until its row has another state. */
    settled: (passId: string, state = "sent") =>
      until(
        async () => (await rowOf(passId))?.state === state,
        () => `state is not ${state}`,
      ),
    /** Ends every pause after a failure, and has the worker look at once. */
    async hurry(tenantId = "acme"): Promise<void> {
      await api.sql("update google_object set due_at = now() where due_at > now()");
      await api.sql("select pg_notify($1, $2)", [SIGNAL_CHANNEL, `google-object ${tenantId}`]);
    },
  };
}
