import { createHmac } from "node:crypto";
import Type, { type Static } from "typebox";
import type { Delivery } from "../deliveries/delivery.ts";
import { Emitter } from "../deliveries/emitter.service.ts";
import { doublingDelays } from "../deliveries/retry.delays.ts";
import { fillIn, namesIn } from "../frame/fill.ts";
import type { VendorTools } from "../frame/vendor.ts";

const text = (maxLength = 200) => Type.String({ minLength: 1, maxLength });

export const WorkspaceCreate = Type.Object(
  { id: text(), signingKey: text(), url: Type.Optional(text(2_000)) },
  { additionalProperties: false },
);
export type WorkspaceCreate = Static<typeof WorkspaceCreate>;

export const CampaignCreate = Type.Object(
  {
    workspace: text(),
    /** The body of the webhook action, with Liquid such as `{{customer.id}}`. */
    body: text(20_000),
  },
  { additionalProperties: false },
);
export type CampaignCreate = Static<typeof CampaignCreate>;
export const PersonEnter = Type.Object(
  { customer: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])) },
  { additionalProperties: false },
);
export type PersonEnter = Static<typeof PersonEnter>;
type Campaign = CampaignCreate & { readonly id: string };

/** The vendor says that it tries for a week, and not how long it waits. */
const RETRIES = { firstSeconds: 60, longestSeconds: 28_800, totalSeconds: 7 * 86_400 };

/** The hex HMAC of the version, the time in seconds and the bytes that are sent. */
export function signCustomerio(key: string, seconds: number, body: string): string {
  return createHmac("sha256", key).update(`v0:${seconds}:${body}`, "utf8").digest("hex");
}

/**
 * The webhook action of Customer.io: four seconds, a week of retries, and later calls are held back
 * until the one at hand got through.
 */
export class Customerio extends Emitter<Campaign> {
  constructor(tools: VendorTools) {
    super(tools, {
      name: "customerio",
      rules: {
        deadlineMs: 4_000,
        retryDelaysSeconds: doublingDelays(RETRIES),
        holdsBack: true,
      },
      headers: () => ({ "User-Agent": "Customer.io Webhooks" }),
      sign: (key, { body }, wall) => {
        const seconds = Math.floor(wall.getTime() / 1_000);
        const signature = signCustomerio(key, seconds, body);
        return { "X-CIO-Timestamp": String(seconds), "X-CIO-Signature": signature };
      },
    });
    this.control.post("/workspaces", WorkspaceCreate, (body) => this.createWorkspace(body));
    this.control.post("/campaigns", CampaignCreate, (body) => this.createCampaign(body));
    this.control.post("/campaigns/:id/people", PersonEnter, (body, { params: { id = "" } }) =>
      this.enter(id, body),
    );
  }

  createWorkspace({ id, signingKey, url }: WorkspaceCreate): { readonly id: string } {
    const { secret: _, ...workspace } = this.openAccount(id, signingKey, url);
    return workspace;
  }

  /** A campaign with one step, the webhook action. */
  createCampaign(sent: CampaignCreate): Campaign {
    this.requireAccount(sent.workspace);
    const id = String(this.newId());
    const campaign = this.things.put(id, { ...sent, id });
    this.tools.changed();
    return campaign;
  }

  /** Lets somebody come to the webhook action: one delivery, with the body that is theirs. */
  enter(campaignId: string, { customer }: PersonEnter): Delivery[] {
    const { workspace, body, id } = this.things.get(campaignId);
    // The webhook action is the only message of the campaign.
    const known = namesIn({ campaign: { id }, message: { id }, customer });
    return this.deliver(workspace, "webhook_action", fillIn(body, known));
  }
}
