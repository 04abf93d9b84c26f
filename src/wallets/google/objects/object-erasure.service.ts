import type { GoogleResource } from "../api/api.client.ts";
import { type GoogleFailure, type GoogleOutcome, isPassing } from "../api/api.outcome.ts";
import type { GoogleType } from "../google.kinds.ts";
import { BLANK_MESSAGE, blankOf, erasureOf, remainsOf } from "./object.content.ts";
import { deleteObject, type GoogleObject, recordFailed } from "./object.repository.ts";
import { againIn, noteFailure, type Sending } from "./object.service.ts";

const PROBLEM_LENGTH_MAX = 500;
/** Google may accept later, after a change of its service or of this one, that a pass is emptied. */
const AGAIN_SECONDS_MAX = 6 * 3_600;

/**
 * Empties an erased pass at Google, and forgets it here only when Google's answer shows that nothing is
 * left. As long as something stays there, its row stays here, because nothing else leads to it.
 */
export async function eraseObject(sending: Sending, object: GoogleObject): Promise<void> {
  const { context, account, token } = sending;
  const { passId, objectId, googleType } = object;
  const isReachable = objectId.startsWith(`${account.issuerId}.`);
  if (!isReachable) {
    // The account is not that of the issuer any more. Google would refuse it, and a refused account
    // halts everything that the tenant sends.
    const facts = { tenantId: context.tenantId, objectId };
    context.log.error(facts, "an erased pass stays at Google, under an issuer of the past");
  }
  if (googleType !== null && isReachable) {
    const emptied = await emptyObject(sending, object, googleType);
    if (emptied.kind === "refused") return await noteRemains(sending, object, emptied);
    if (emptied.kind === "failed") return await noteFailure(sending, object, emptied.failure);
  }
  await context.transaction((tx) => deleteObject(tx, token, passId));
}

type Emptied =
  | { readonly kind: "empty" }
  | { readonly kind: "failed"; readonly failure: GoogleFailure }
  | Remains;
type Remains = {
  readonly kind: "refused";
  readonly problem: string;
  /** Says the same without a word of Google, which may quote the pass. */
  readonly facts: Readonly<Record<string, unknown>>;
};

/**
 * Google clears members by a replacement. Where that is refused, or leaves something, the ways in which
 * other readings of an empty list or of null would clear it follow.
 */
async function emptyObject(
  { api }: Sending,
  { objectId, classId, members }: GoogleObject,
  type: GoogleType,
): Promise<Emptied> {
  const resource: GoogleResource = `${type}Object`;
  const blank = classId === null ? undefined : blankOf({ objectId, classId, type });
  const patch = () => api.patch(resource, objectId, erasureOf(type, members));
  const puts = blank === undefined ? [] : [blank, { ...blank, messages: [BLANK_MESSAGE] }];
  const ways: (() => Promise<GoogleOutcome>)[] = [
    ...puts.map((content) => () => api.put(resource, objectId, content)),
    patch,
  ];
  let last: Emptied = { kind: "empty" };
  for (const send of ways) {
    const outcome = await send();
    // A replacement names the class as well, so it may be the class that Google does not know.
    if (outcome.kind === "not-found" && send === patch) return { kind: "empty" };
    if (outcome.kind === "done") last = judge(outcome.body, objectId, type);
    else if (isPassing(outcome)) return { kind: "failed", failure: outcome };
    else last = refusedBy(outcome);
    if (last.kind === "empty") return last;
  }
  return last;
}

function refusedBy({ message, code }: GoogleFailure): Remains {
  return { kind: "refused", problem: message, facts: { code } };
}

/** Google answers with the object as it is stored. */
function judge(
  answer: Readonly<Record<string, unknown>>,
  objectId: string,
  type: GoogleType,
): Emptied {
  if (answer.id !== objectId) {
    const problem = "Google's answer does not show the erased pass.";
    return { kind: "refused", problem, facts: {} };
  }
  const members = remainsOf(answer, type);
  if (members.length === 0) return { kind: "empty" };
  const problem = `Google keeps members of the erased pass: ${members.join(", ")}.`;
  return { kind: "refused", problem, facts: { members } };
}

async function noteRemains(
  { context, token }: Sending,
  { passId, objectId, revision, attempts }: GoogleObject,
  { problem, facts }: Remains,
): Promise<void> {
  const { tenantId } = context;
  context.log.error({ tenantId, objectId, ...facts }, "an erased pass is not empty at Google");
  await context.transaction(async (tx) => {
    await recordFailed(tx, token, {
      passId,
      revision,
      state: "failed",
      problem: problem.slice(0, PROBLEM_LENGTH_MAX),
      againInSeconds: againIn(attempts, 0, AGAIN_SECONDS_MAX),
    });
  });
}
