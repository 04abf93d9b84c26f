import { X509Certificate } from "node:crypto";
import type { TenantContext } from "#kernel/context.ts";
import { type Authority, issueLeaf, type Leaf, makeAuthority } from "./authority.certificates.ts";
import {
  AUTHORITY_PURPOSE,
  authorityPlace,
  findSealed,
  insertSealed,
} from "./authority.repository.ts";

/** A pass type identifier begins with `pass.`, so no identifier is this name. */
const AUTHORITY = "authority";

export type DevelopmentIdentity = {
  readonly authority: Authority;
  readonly leaf: Leaf;
  /** True if a part was made by this call, whose transaction may still be undone. */
  readonly isNew: boolean;
};

/** The first call for a tenant makes the certificates. All nodes then use the same ones. */
export async function developmentIdentityOf(
  context: TenantContext,
  passTypeIdentifier: string,
): Promise<DevelopmentIdentity> {
  const authority = await authorityOf(context);
  const issuer = new X509Certificate(authority.value.intermediatePem).publicKey;
  const leaf = await findOrMake<Leaf>(context, passTypeIdentifier, () =>
    issueLeaf(authority.value, issuer, passTypeIdentifier, context.clock.now()),
  );
  return { authority: authority.value, leaf: leaf.value, isNew: authority.isNew || leaf.isNew };
}

/** In PEM: what a phone would have to trust to accept passes of the development authority. */
export async function developmentRootOf(context: TenantContext): Promise<string> {
  return (await authorityOf(context)).value.rootPem;
}

type Found<Value> = { readonly value: Value; readonly isNew: boolean };

function authorityOf(context: TenantContext): Promise<Found<Authority>> {
  return findOrMake<Authority>(context, AUTHORITY, () => makeAuthority(context.clock.now()));
}

/** If two nodes make a value at the same time, both get that of the node that stored it first. */
async function findOrMake<Value extends object>(
  context: TenantContext,
  name: string,
  make: () => Promise<Value>,
): Promise<Found<Value>> {
  const { tenantId, runtime } = context;
  const place = authorityPlace(tenantId, name);
  const found = await findSealed(context, name);
  if (found !== undefined) return { value: open<Value>(context, name, found), isNew: false };
  const plain = Buffer.from(JSON.stringify(await make()));
  const sealed = runtime.sealer.seal(AUTHORITY_PURPOSE, place, plain);
  plain.fill(0);
  const stored = await context.transaction((tx) => insertSealed(tx, name, sealed));
  return { value: open<Value>(context, name, stored), isNew: true };
}

function open<Value>({ tenantId, runtime }: TenantContext, name: string, sealed: Buffer): Value {
  const plain = runtime.sealer.open(AUTHORITY_PURPOSE, authorityPlace(tenantId, name), sealed);
  // No new one is made: nodes with different master keys would sign by different authorities.
  if (plain === undefined) {
    throw new Error("MASTER_KEY does not open the development authority for Apple Wallet.");
  }
  const value = JSON.parse(plain.toString("utf8")) as Value;
  plain.fill(0);
  return value;
}
