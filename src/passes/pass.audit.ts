/** The target and the subject of an audit entry about a pass. */
export function aboutPass(passId: string) {
  return { target: `pass:${passId}`, subject: passId };
}
