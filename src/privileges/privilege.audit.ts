/** The target and the subject of an audit entry about a privilege. */
export function aboutPrivilege(passId: string, privilegeId: string) {
  return { target: `privilege:${passId}/${privilegeId}`, subject: passId };
}
