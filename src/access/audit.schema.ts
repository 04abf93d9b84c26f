import Type, { type Static } from "typebox";

const Snapshot = Type.Unknown({
  description: "The record as the API shows it, without secrets; null where there was none.",
});

export const ActorKindShown = Type.Enum([
  "operator",
  "api-key",
  "device",
  "administrator",
  "sftp",
  "system",
]);

export const AuditView = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: "date-time" }),
    actor: Type.Object({
      kind: ActorKindShown,
      id: Type.String({
        description:
          "A key's name, an administrator's address, a device's id, the secret or key of the file drop.",
      }),
    }),
    op: Type.String({ description: "The operation: `api-key.create`." }),
    target: Type.String({ description: "What was changed: `api-key:till-7`." }),
    requestId: Type.String({ description: "The X-Request-Id of the call." }),
    ip: Type.String({ description: "Empty where nobody called from outside." }),
    before: Snapshot,
    after: Snapshot,
  },
  { title: "AuditEntry" },
);
export type AuditView = Static<typeof AuditView>;

export const InstallationAuditView = Type.Interface(
  [AuditView],
  {
    tenantId: Type.Union([Type.String(), Type.Null()], {
      description: "Null for what concerns the installation as a whole.",
    }),
  },
  { title: "InstallationAuditEntry" },
);
export type InstallationAuditView = Static<typeof InstallationAuditView>;

export const AUDIT_EXAMPLE: AuditView = {
  id: "aud_0VfQm3Ks00x7Rk2LwPq9Zt",
  at: "2026-03-02T09:30:00.000Z",
  actor: { kind: "administrator", id: "ana@cafe-lune.example" },
  op: "api-key.delete",
  target: "api-key:till-7",
  requestId: "req_0VfQm3Ks00aB3dE5fG7hJ9",
  ip: "203.0.113.9",
  before: { name: "till-7", scopes: ["Pass.Read"] },
  after: null,
};

export type AuditRow = {
  readonly tenantId: string | null;
  readonly id: string;
  readonly at: Date;
  readonly actorKind: AuditView["actor"]["kind"];
  readonly actorId: string;
  readonly op: string;
  readonly target: string;
  readonly requestId: string;
  readonly ip: string;
  readonly before: unknown;
  readonly after: unknown;
};

export function presentAudit(row: AuditRow): AuditView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: { kind: row.actorKind, id: row.actorId },
    op: row.op,
    target: row.target,
    requestId: row.requestId,
    ip: row.ip,
    before: row.before,
    after: row.after,
  };
}

export function presentInstallationAudit(row: AuditRow): InstallationAuditView {
  return { ...presentAudit(row), tenantId: row.tenantId };
}
