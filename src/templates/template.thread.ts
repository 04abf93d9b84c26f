import type { Exchange } from "#kernel/side-thread.ts";
import { SideThread, type SideThreadOptions } from "#kernel/side-thread.ts";
import type { FileSet } from "#src/files/public.ts";
import type { SettingsFacts } from "#src/tenants/public.ts";
import type { LocalizedPass } from "./template.render.ts";
import type { RenderInput } from "./template.render-input.ts";
import type { Kind, Template } from "./template.schema.ts";
import type { TextSource } from "./template.sources.ts";

/**
 * Templates are read and rendered in a side thread, because reading those of a small tenant takes a
 * hundred milliseconds, and rendering may take as long. Simple passes are rendered there too:
 * sending one costs the event loop 0.13 ms, about what rendering a pass of the demo tenant takes
 * (0.10 to 0.18 ms).
 */

/**
 * What the event loop knows about a set of templates. Plain data, because it is copied between
 * threads.
 */
export type SetFacts = {
  readonly passTypes: readonly string[];
  readonly languages: readonly string[];
};

export type TemplateFacts = {
  readonly kind: Kind;
  readonly template: Template;
  /** The text of `expiration.at` in the default language of the tenant. */
  readonly expirationText: string | undefined;
  /** The texts that give the time zone of an expiration. */
  readonly zoneTexts: readonly string[];
  /** True if a text of the template reads privileges. */
  readonly readsPrivileges: boolean;
  /** As `CompiledTemplate.perPass`. */
  readonly perPass: ReadonlySet<string>;
  /** The texts of the codes that scanners read, in the default language of the tenant. */
  readonly codeTexts: readonly string[];
  /** The texts that may name the holder, the best one first, in that language. */
  readonly nameTexts: readonly string[];
  /** As `translatableTexts`. */
  readonly translatable: ReadonlySet<string> | undefined;
};

export type TemplateAsk =
  | { readonly kind: "open"; readonly set: string }
  | {
      readonly kind: "load";
      readonly set: string;
      readonly tenant: SettingsFacts;
      readonly files: FileSet;
    }
  | { readonly kind: "facts" | "sources"; readonly set: string; readonly passType: string }
  | {
      readonly kind: "render";
      readonly set: string;
      readonly passType: string;
      readonly input: RenderInput;
    };

export type TemplateReply =
  /** The thread does not have this set, or has dropped it. The set must be loaded. */
  | { readonly kind: "missing" }
  | { readonly kind: "set"; readonly facts: SetFacts }
  | { readonly kind: "facts"; readonly facts: TemplateFacts }
  | { readonly kind: "sources"; readonly sources: readonly TextSource[] }
  | { readonly kind: "rendered"; readonly pass: LocalizedPass };

/** The files of a set of templates. No other content has the same name `set`. */
export type SetSource = {
  readonly tenantId: string;
  readonly tenant: SettingsFacts;
  readonly set: string;
  readonly sizeBytes: number;
  files(): Promise<FileSet>;
};

const OPTIONS: SideThreadOptions = {
  program: new URL("./template.thread-program.ts", import.meta.url),
  waitingPerGroupMax: 200,
  waitingMax: 2_000,
  waitMsMax: 10_000,
  answerMsMax: 15_000,
  memoryMbMax: 384,
};

/** Large sets take a second to read, so they have their own thread and do not delay small sets. */
const SMALL_BYTES_MAX = 128 * 1024;
const small = new SideThread<TemplateAsk, TemplateReply>(OPTIONS);
const large = new SideThread<TemplateAsk, TemplateReply>(OPTIONS);

type Kinds = Exclude<TemplateReply["kind"], "missing">;
type ReplyOf<Name extends Kinds> = Extract<TemplateReply, { readonly kind: Name }>;

/** Asks the thread about a set, and loads the set first if the thread does not have it. */
export async function askTemplates<Name extends Kinds>(
  source: SetSource,
  expected: Name,
  ask: TemplateAsk,
): Promise<ReplyOf<Name>> {
  const thread = source.sizeBytes <= SMALL_BYTES_MAX ? small : large;
  return await thread.run(source.tenantId, async (exchange) => {
    const reply = await exchange(ask);
    if (reply.kind !== "missing") return replyOf(reply, expected);
    await load(source, exchange);
    return replyOf(await exchange(ask), expected);
  });
}

async function load(
  source: SetSource,
  exchange: Exchange<TemplateAsk, TemplateReply>,
): Promise<void> {
  const { set, tenant } = source;
  await exchange({ kind: "load", set, tenant, files: await source.files() });
}

function replyOf<Name extends Kinds>(reply: TemplateReply, expected: Name): ReplyOf<Name> {
  if (reply.kind !== expected) throw new Error(`The template thread answered '${reply.kind}'.`);
  return reply as ReplyOf<Name>;
}
