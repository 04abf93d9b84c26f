import type { Pass } from "./pass.schema.ts";

/** The target and the subject of an audit entry about a pass. */
export function aboutPass(passId: string) {
  return { target: `pass:${passId}`, subject: passId };
}

/** Audit entries outlive the person, so they name the members but not their values. */
export function summaryOf({ passType, status, identifiers, data, version }: Pass) {
  return {
    passType,
    status,
    version,
    identifiers: Object.keys(identifiers),
    additionalData: Object.keys(data),
  };
}
