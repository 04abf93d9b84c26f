import type { TenantContext } from "#kernel/context.ts";
import { contentOf } from "#src/content/public.ts";
import type { Pass } from "#src/passes/public.ts";
import type { JsonObject } from "#src/templates/language/public.ts";
import type { BuiltClass } from "../classes/class.plan.ts";
import { identityOf, sharedClassOf } from "../classes/class.service.ts";
import {
  announcesChanges,
  buildGoogleClass,
  buildGoogleObject,
  hasManyClasses,
} from "../google.content.ts";
import type { GoogleType } from "../google.kinds.ts";
import type { GoogleAccount } from "../google-account.ts";
import { stateOf } from "./object.content.ts";

/** A pass as Google takes it, with the class that it needs. */
export type BuiltPass = {
  readonly type: GoogleType;
  readonly objectId: string;
  readonly object: JsonObject;
  readonly ofClass: BuiltClass;
  readonly defaultLocale: string;
  readonly organization: string;
  /** Whether the template asks for notifications of changes of a field. */
  readonly announcesChanges: boolean;
};

export async function buildPass(
  context: TenantContext,
  account: GoogleAccount,
  pass: Pass,
): Promise<BuiltPass> {
  const { template, rendered, configurationVersion } = await contentOf(context, pass);
  const identity = await identityOf(context, account, template);
  const state = stateOf(pass, context.clock.now());
  const { type, content: object } = buildGoogleObject(template, rendered, identity, state);
  const ofOwn = (): BuiltClass => {
    const { content } = buildGoogleClass(template, rendered, identity);
    const { passType } = pass;
    const classId = String(content.id);
    const isAnnouncing = announcesChanges(rendered);
    return {
      ...{ type, classId, passType, content, configurationVersion },
      ...{ source: pass, announcesChanges: isAnnouncing },
    };
  };
  return {
    type,
    objectId: String(object.id),
    object,
    ofClass: hasManyClasses(template) ? ofOwn() : await sharedClassOf(context, account, template),
    defaultLocale: rendered.main.language,
    organization: rendered.main.organization,
    announcesChanges: announcesChanges(rendered),
  };
}
