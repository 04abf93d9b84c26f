import type { TenantTx } from "#kernel/db/transaction.ts";
import type { Pass } from "#src/passes/public.ts";
import {
  passNotificationFailed,
  passUpdateDelivered,
  passUpdateFailed,
} from "../../deliveries/delivery.events.ts";
import type { UnsentMessage } from "./message.repository.ts";
import type { GoogleObject } from "./object.repository.ts";

/** Google brings the new content to the phones by itself, and tells nothing of them. */
export function emitDelivered(tx: TenantTx, object: GoogleObject, pass: Pass): void {
  if (!isHeld(pass)) return;
  const data = { ...dataOf(object, pass), deliveredAt: tx.now.toISOString() };
  tx.emit(passUpdateDelivered, data, { subject: pass.id });
}

export function emitFailed(tx: TenantTx, object: GoogleObject, pass: Pass, reason: string): void {
  if (!isHeld(pass)) return;
  const data = { ...dataOf(object, pass), failedAt: tx.now.toISOString(), reason };
  tx.emit(passUpdateFailed, data, { subject: pass.id });
}

/** Also of a pass that no phone holds so far: whoever saves it later does not see the message. */
export function emitMessageFailed(
  tx: TenantTx,
  { id, passId, passType, createdAt }: Omit<UnsentMessage, "state">,
  reason: string,
): void {
  const data = {
    id: passId,
    passType,
    wallet: "google" as const,
    eventId: id,
    notifiedAt: createdAt.toISOString(),
    failedAt: tx.now.toISOString(),
    reason,
  };
  tx.emit(passNotificationFailed, data, { subject: passId });
}

function isHeld({ providers }: Pass): boolean {
  return (providers.google?.devices ?? 0) > 0;
}

function dataOf({ revision, attempts, queuedAt }: GoogleObject, { id, passType }: Pass) {
  return {
    id,
    passType,
    wallet: "google" as const,
    device: null,
    revision,
    pushes: attempts + 1,
    queuedAt: queuedAt.toISOString(),
  };
}
