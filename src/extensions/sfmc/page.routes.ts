import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Runtime } from "#kernel/runtime.ts";
import { activityPage } from "./page.html.ts";
import type { SfmcSettings } from "./sfmc.config.ts";
import { openPage } from "./sfmc.service.ts";

const FOLDER = new URL("page/", import.meta.url);
const FILES: Readonly<Record<string, string>> = {
  "activity.css": "text/css; charset=utf-8",
  "activity.js": "text/javascript; charset=utf-8",
  "arguments.js": "text/javascript; charset=utf-8",
  "postmonger.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

/** Journey Builder stands on one of these hosts, in a frame of another one. */
const MARKETING_CLOUD = ["https://*.exacttarget.com", "https://*.marketingcloudapps.com"];

type Address = { Params: { tenantId: string; activityToken: string } };

/**
 * The page in which the activity is set up. Whoever knows the address of the activity may see it: it
 * shows the names of the pass types, and nothing else of the tenant.
 */
export function plugActivityPage(app: FastifyInstance, runtime: Runtime): void {
  const path = "/api/:tenantId/extensions/sfmc/webhooks/:activityToken";
  const config = { op: "sfmc.page" };
  app.get<Address>(`${path}/index.html`, { config }, async (request, reply) => {
    const { tenantId, activityToken } = request.params;
    const { requestId } = request.state;
    const { settings, passTypes } = await openPage(runtime, tenantId, activityToken, requestId);
    const { name: title = "Wallet pass", passType } = settings;
    const page = activityPage({ title, passTypes, passType });
    return send(reply, settings, "text/html; charset=utf-8", page);
  });
  for (const [file, type] of Object.entries(FILES)) {
    app.get<Address>(`${path}/${file}`, { config }, async (request, reply) => {
      const { tenantId, activityToken } = request.params;
      const { requestId } = request.state;
      const { settings } = await openPage(runtime, tenantId, activityToken, requestId);
      return send(reply, settings, type, await readFile(new URL(file, FOLDER)));
    });
  }
}

function send(
  reply: FastifyReply,
  { frameHosts = [] }: SfmcSettings,
  type: string,
  content: string | Buffer,
): FastifyReply {
  return reply
    .headers({
      "content-security-policy": [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        `frame-ancestors ${[...MARKETING_CLOUD, ...frameHosts].join(" ")}`,
      ].join("; "),
      // Its own address is a secret of sorts.
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex, nofollow, noarchive",
      "cache-control": "no-store",
    })
    .type(type)
    .send(content);
}
