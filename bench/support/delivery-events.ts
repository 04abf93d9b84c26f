/** Events of the webhook lines, so that both sides of a comparison send the same bytes. */
export const EVENT_NAME = "api-key.created";

export type SampleEvent = { readonly id: string; readonly dataText: string };

/** `dataText` as PostgreSQL writes it, which orders members by length and puts spaces. */
export function sampleEvent(round: number, at: number): SampleEvent {
  const number = String(at).padStart(8, "0");
  const scopes = ["ApiKey.Read", "ApiKey.Write", "Webhook.Read", "Webhook.Write"];
  return {
    id: `evt_${String(round).padStart(16, "0")}${number}`,
    dataText: `{"name": "key-${number}", "prefix": "bf_${number}", "scopes": ["${scopes.join('", "')}"], "createdAt": "2026-01-15T09:30:00.000Z", "createdBy": "${"somebody ".repeat(12)}", "expiresAt": null, "lastUsedAt": null}`,
  };
}
