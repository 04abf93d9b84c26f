import { createHash } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg, { type Client } from "pg";
import { appleTokenOf } from "#src/wallets/apple/bundle/bundle.service.ts";
import { createClient } from "#test/support/client.ts";
import { type Loaded, loadedId, loadPasses } from "#test/support/pass-rows.ts";
import { PASS_FILES } from "#test/support/pass-tenant.ts";
import type { Bench } from "./bench.ts";
import type { Server } from "./process.ts";
import { makeSecrets, startProgram, TENANT_FILE } from "./product.ts";

/** The product in staging, and beside it a process that stands in for Apple's push service. */
export type AppleStage = {
  readonly url: string;
  readonly apns: Server;
  readonly apnsUrl: string;
  readonly authorityPem: string;
  /** To the database of the product, past row-level security. */
  readonly client: Client;
  createTenant(tenantId: string, passes: number): Promise<AppleTenant>;
};

/** A tenant in which every pass is on one device. */
export type AppleTenant = {
  readonly tenantId: string;
  readonly passTypeIdentifier: string;
  readonly passes: Loaded;
  /** Publishes another translation of a text that every pass shows, so that every device is told. */
  publishTexts(): Promise<void>;
  /** Publishes new templates: every pass has another content. */
  publishTemplates(): Promise<void>;
  /** The pass with a number, counted from 0, and what its device knows. */
  held(index: number): HeldPass;
};

export type HeldPass = {
  readonly passId: string;
  readonly deviceId: string;
  readonly token: string;
  readonly secret: string;
};

let opened: Promise<AppleStage> | undefined;

/** Made for the first line that asks. */
export function openAppleStage(bench: Bench): Promise<AppleStage> {
  opened ??= open(bench);
  return opened;
}

async function open(bench: Bench): Promise<AppleStage> {
  const databaseUrl = await bench.createDatabase("apple");
  const apns = await bench.helper("apns.ts");
  const about = await fetch(`${apns.url}/about`);
  const { url: apnsUrl, authorityPem } = (await about.json()) as Record<string, string>;
  if (apnsUrl === undefined || authorityPem === undefined) throw new Error("No push service.");
  const folder = await mkdtemp(join(bench.folder, "apple-"));
  const authorityFile = join(folder, "authority.pem");
  await writeFile(authorityFile, authorityPem);
  const secrets = makeSecrets();
  const product = await startProgram({
    folder,
    databaseUrl,
    ...secrets,
    env: {
      // In staging a development authority signs for tenants without a certificate of Apple.
      ENVIRONMENT: "staging",
      DEMO: "0",
      SIMULATOR: "0",
      BASE_URL: "http://127.0.0.1",
      APNS_URL: apnsUrl,
      NODE_EXTRA_CA_CERTS: authorityFile,
    },
  });
  bench.onClose(() => product.stop());
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  bench.onClose(() => client.end());
  await client.query("select set_config('app.tenant', '*', false)");
  const api = createClient(product.url);
  const key = secrets.operatorKey;
  return {
    url: product.url,
    apns,
    apnsUrl,
    authorityPem,
    client,
    async createTenant(tenantId, count) {
      const files = { "tenant.yml": TENANT_FILE, ...(await templateFiles(0)) };
      const { status, text } = await api.put(`/api/tenants/${tenantId}`, { key, body: { files } });
      if (status !== 201) throw new Error(`No tenant: ${text}`);
      const passes = await loadPasses({ connectionString: databaseUrl }, tenantId, count);
      // As the development authority calls it.
      const passTypeIdentifier = `pass.dev.billfold.${tenantId}`;
      await registerAll(client, tenantId, passTypeIdentifier);
      let publications = 0;
      let edition = 0;
      const publish = async (published: PublishedFiles) => {
        const body = { files: published };
        const sent = await api.patch(`/api/tenants/${tenantId}`, { key, body });
        if (sent.status !== 200) throw new Error(`Not published: ${sent.text}`);
      };
      return {
        tenantId,
        passTypeIdentifier,
        passes,
        publishTexts() {
          publications += 1;
          const texts = LABELS.map(
            (label) => `${label} ${edition}: ${label} no. ${publications}\n`,
          );
          return publish({ "locales/en.yml": texts.join("") });
        },
        async publishTemplates() {
          publications += 1;
          edition = publications;
          await publish(await templateFiles(edition));
        },
        held(index) {
          const passId = loadedId(passes, index);
          const secret = createHash("md5").update(passId).digest("hex");
          const token = appleTokenOf({ secret });
          return { passId, deviceId: `device-${passId}`, token, secret };
        },
      };
    },
  };
}

type PublishedFiles = Record<string, string | { base64: string }>;

const PICTURES = { icon: "icon", logo: "logo", strip: "loyalty-strip" } as const;

/** Of each kind of pass, the label that has the number of its edition. */
const LABELS = ["Member", "Offer"];
const LABEL = new RegExp(`label: (${LABELS.join("|")})`);

/** Each edition differs in what every pass shows. The pictures are those of the demo. */
async function templateFiles(edition: number): Promise<PublishedFiles> {
  const files: PublishedFiles = {};
  for (const [path, file] of Object.entries(PASS_FILES)) {
    if (typeof file !== "string") continue;
    files[path] = file
      .replace("{ icon: images/icon.png }", IMAGES)
      .replace(LABEL, `label: $1 ${edition}`);
  }
  for (const name of Object.values(PICTURES)) {
    const bytes = await readFile(new URL(`../../demo/images/${name}.png`, import.meta.url));
    files[`images/${name}.png`] = { base64: bytes.toString("base64") };
  }
  return files;
}

const IMAGES = `{ ${Object.entries(PICTURES)
  .map(([image, name]) => `${image}: images/${name}.png`)
  .join(", ")} }`;

/** As if every pass had been added to a phone of its own. */
async function registerAll(client: Client, tenantId: string, passTypeIdentifier: string) {
  const values = [tenantId, passTypeIdentifier];
  await client.query(
    `insert into apple_device (tenant_id, device_id, pass_type_identifier, push_token, token_at)
     select tenant_id, 'device-' || id, $2, encode(sha256(id::bytea), 'hex'), now()
       from pass where tenant_id = $1`,
    values,
  );
  await client.query(
    `insert into apple_registration (tenant_id, pass_id, device_id, pass_type_identifier, registered_at)
     select tenant_id, id, 'device-' || id, $2, now() from pass where tenant_id = $1`,
    values,
  );
  await client.query(
    `insert into apple_pass (tenant_id, pass_id, pass_type, revision, tag, modified_at)
     select tenant_id, id, pass_type, 1, 1, date_trunc('second', now()) from pass where tenant_id = $1`,
    [tenantId],
  );
  await client.query("insert into apple_tag (tenant_id, tag) values ($1, 1)", [tenantId]);
  await client.query("vacuum (analyze) apple_device, apple_registration, apple_pass, apple_tag");
}
