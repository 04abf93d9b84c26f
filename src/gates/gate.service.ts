import { hash } from "node:crypto";
import { CompactSign } from "jose";
import type { TenantContext } from "#kernel/context.ts";
import { readDecimal } from "#kernel/decimal.ts";
import { validationProblem } from "#kernel/errors.ts";
import { listPassCodes, type PassCodes } from "#src/content/public.ts";
import { type DeviceSettings, deviceOf, findDevice } from "#src/devices/public.ts";
import { passTypesOf, unknownType } from "#src/passes/public.ts";
import {
  foreseeRedemptions,
  type RedemptionForesight,
  type Refusal,
} from "#src/privileges/public.ts";
import { configurationOf } from "#src/tenants/public.ts";
import { type GatePlace, type GateWish, readCursor, writeCursor } from "./gate.cursor.ts";
import { LIST_HOURS_DEFAULT, type Lifetime, lifetimeAt } from "./gate.lifetime.ts";
import { digestOf, type GateRedemption, hashCode, judge } from "./gate.rules.ts";
import {
  type GateEntry,
  type GateHead,
  type GateListPage,
  type GateListQuery,
  type GateReason,
  PAGE_PASSES_DEFAULT,
} from "./gate.schema.ts";
import { SIGNING_ALGORITHM, signingKeyOf } from "./keys/key.service.ts";

const PURPOSE = "gate-list";
const SALT_CHARS = 22;
const HEAD_TYPE = "billfold-gate-list";

export type MadePage = { readonly page: GateListPage; readonly version: string };

/** One page of the list by which a scanner decides without a network. */
export async function getGateList(context: TenantContext, query: GateListQuery): Promise<MadePage> {
  const place = await placeOf(context, query);
  const limit = query.limit ?? PAGE_PASSES_DEFAULT;
  const passes = await listPassCodes(context, {
    passType: place.passTypes?.length === 1 ? (place.passTypes[0] ?? null) : null,
    after: place.after,
    count: limit + 1,
  });
  const read = passes.slice(0, limit);
  const isLast = passes.length <= limit;
  const entries = await entriesOf(context, place, read);
  const head = headOf(context, place, entries, isLast);
  const next = isLast
    ? null
    : writeCursor(context, {
        ...place,
        page: place.page + 1,
        after: read.at(-1)?.id ?? place.after,
        previous: head.digest,
      });
  const page = { head: await sign(context, head), entries, next, keysUrl: keysUrlOf(context) };
  return { page, version: versionOf(head) };
}

async function placeOf(context: TenantContext, query: GateListQuery): Promise<GatePlace> {
  const wish = await wishOf(context, query);
  if (query.cursor !== undefined) return continued(context, query, query.cursor);
  const { settings } = await configurationOf(context);
  const hours = settings.gates?.listHours ?? LIST_HOURS_DEFAULT;
  const { issuedAt } = lifetimeAt(context.clock.now(), hours);
  const salt = saltOf(context, issuedAt);
  return {
    ...wish,
    salt,
    issuedAtMs: issuedAt.getTime(),
    hours,
    page: 0,
    after: "",
    previous: null,
  };
}

/** Goes on with the list of the cursor, also when a newer one has begun meanwhile. */
function continued(context: TenantContext, query: GateListQuery, cursor: string): GatePlace {
  const place = readCursor(context, cursor);
  if (place === undefined || lifeOf(place).expiresAt <= context.clock.now()) {
    throw validationProblem({ cursor: ["is not a cursor of a list that is valid now"] });
  }
  const asked = sentWish(query);
  for (const name of ["passTypes", "redeem"] as const) {
    if (asked[name] !== undefined && JSON.stringify(asked[name]) !== JSON.stringify(place[name])) {
      throw validationProblem({ cursor: ["belongs to another list: start again without it"] });
    }
  }
  return place;
}

/** What is not asked for comes from the settings of the device that asks. */
async function wishOf(context: TenantContext, query: GateListQuery): Promise<GateWish> {
  const sent = sentWish(query);
  const types = await passTypesOf(context);
  // A gate with a wrong name would have a valid list by which it lets nobody in.
  if (sent.passTypes?.some((passType) => types.find(passType) === undefined)) {
    throw validationProblem({ passType: [unknownType(types)] });
  }
  const { passTypes, redeem } = await settingsOf(context);
  const others = passTypes && sent.passTypes?.filter((passType) => !passTypes.includes(passType));
  if (others !== undefined && others.length > 0) {
    throw validationProblem({ passType: [`must be among those of the device: ${passTypes}`] });
  }
  return {
    passTypes: sent.passTypes ?? passTypes?.toSorted() ?? null,
    redeem:
      sent.redeem ??
      (redeem === undefined
        ? null
        : { privilegeId: redeem.privilegeId, amount: readDecimal(redeem.amount) }),
  };
}

function sentWish({ passType, privilegeId, amount }: GateListQuery): Partial<GateWish> {
  if (amount !== undefined && privilegeId === undefined) {
    throw validationProblem({ amount: ["needs privilegeId"] });
  }
  const passTypes = passType === undefined ? [] : [...new Set(passType.split(","))].sort();
  if (passTypes.includes("")) {
    throw validationProblem({ passType: ["must be names separated by single commas"] });
  }
  return {
    ...(passTypes.length === 0 ? {} : { passTypes }),
    ...(privilegeId === undefined
      ? {}
      : { redeem: { privilegeId, amount: readDecimal(amount ?? "1") } }),
  };
}

async function settingsOf(context: TenantContext): Promise<DeviceSettings> {
  const deviceId = deviceOf(context.actor);
  const device = deviceId === undefined ? undefined : await findDevice(context, deviceId);
  return device?.settings ?? {};
}

async function entriesOf(
  context: TenantContext,
  { salt, passTypes, redeem }: GatePlace,
  passes: readonly PassCodes[],
): Promise<GateEntry[]> {
  const now = context.clock.now();
  const wanted =
    passTypes === null ? passes : passes.filter(({ passType }) => passTypes.includes(passType));
  const redemptions =
    redeem === null
      ? undefined
      : await foreseeRedemptions(
          context,
          redeem,
          wanted.map(({ id }) => id),
        );
  return wanted.map((pass) => {
    const codes = new Set([pass.id, ...pass.codes, ...pass.identifiers]);
    const redemption = redemptions && redemptionOf(redemptions.get(pass.id));
    return {
      codes: [...codes].map((code) => hashCode(salt, code)),
      ...judge(pass, redemption, now),
    };
  });
}

/** The same words as those of a scan. */
const REASONS: Readonly<Record<Refusal, GateReason>> = {
  locked: "locked-privilege",
  "already-redeemed": "already-redeemed",
  "not-yet-valid": "not-yet-valid",
  expired: "expired",
  "insufficient-value": "insufficient-value",
  // Not of redemptions, and only for callers who expect a value.
  "value-exceeds-maximum": "insufficient-value",
  "expected-value-differs": "insufficient-value",
};

function redemptionOf(foresight: RedemptionForesight | undefined): GateRedemption {
  if (foresight === undefined) {
    return { refused: "unknown-privilege", validFrom: null, validUntil: null };
  }
  const { refused, validFrom, validUntil } = foresight;
  return { refused: refused && REASONS[refused], validFrom, validUntil };
}

function headOf(
  { runtime, tenantId }: TenantContext,
  place: GatePlace,
  entries: readonly GateEntry[],
  isLast: boolean,
): GateHead {
  const { salt, page, passTypes, redeem, previous } = place;
  const { issuedAt, renewedAt, expiresAt } = lifeOf(place);
  return {
    iss: runtime.baseUrl,
    tenantId,
    listId: listIdOf(place),
    page,
    isLast,
    salt,
    passTypes,
    redeem,
    issuedAt: issuedAt.toISOString(),
    renewedAt: renewedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    count: entries.length,
    digest: digestOf(entries),
    previous,
  };
}

/** The same for all pages of a list, and for two scanners that ask for the same. */
function listIdOf({ salt, hours, passTypes, redeem }: GatePlace): string {
  const about = JSON.stringify([salt, hours, passTypes, redeem]);
  return hash("sha256", about, "base64url").slice(0, SALT_CHARS);
}

function lifeOf({ issuedAtMs, hours }: GatePlace): Lifetime {
  return lifetimeAt(new Date(issuedAtMs), hours);
}

/** Nobody can make tables for a salt before the list begins: it follows from the master key. */
function saltOf({ runtime, tenantId }: TenantContext, issuedAt: Date): string {
  const [mac] = runtime.sealer.macs(PURPOSE, Buffer.from(`${tenantId}|${issuedAt.getTime()}`));
  return (mac ?? Buffer.alloc(0)).toString("base64url").slice(0, SALT_CHARS);
}

async function sign(context: TenantContext, head: GateHead): Promise<string> {
  const { id, key } = await signingKeyOf(context);
  return await new CompactSign(Buffer.from(JSON.stringify(head)))
    .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: id, typ: HEAD_TYPE })
    .sign(key);
}

/** Two pages with the same version say the same, although their signatures differ. */
function versionOf(head: GateHead): string {
  return hash("sha256", JSON.stringify(head), "base64url").slice(0, SALT_CHARS);
}

export function keysUrlOf({ runtime, tenantId }: TenantContext): string {
  return `${runtime.baseUrl}/.well-known/billfold/${tenantId}/gate-keys`;
}
