import type { TSchema } from "typebox";
import type { ImportMapping } from "#src/imports/import.schema.ts";
import { createMapper } from "#src/imports/mapping/mapper.ts";
import type { MappedType, RefusedRow, RowWish } from "#src/imports/mapping/row-wish.ts";
import { readFile } from "./import-rows.ts";

const CLUB: MappedType = {
  rules: {
    required: ["club.number"],
    unique: ["club.number"],
    data: {
      type: "object",
      properties: {
        firstName: { type: "string" },
        zip: { type: "string" },
        points: { type: "integer" },
        height: { type: "number" },
        isVip: { type: "boolean" },
        birthday: { type: "string", format: "date" },
        lastVisit: { type: "string", format: "date-time" },
        tags: { type: "array", items: { type: "string" } },
        level: { enum: [1, 2, "gold"] },
      },
    } as unknown as TSchema,
  },
  template: { privileges: [{ id: "coffee", name: "Coffee", type: "MultiUse" }] },
  tenant: { timeZone: "Europe/Paris" },
};
const EVENT: MappedType = {
  rules: { required: [], unique: [], data: undefined },
  template: {},
  tenant: CLUB.tenant,
};
export const CLUB_ONLY = { club: CLUB };
export const CLUB_AND_EVENT = { club: CLUB, event: EVENT };

type Options = {
  readonly mapping?: ImportMapping;
  readonly types?: Readonly<Record<string, MappedType>>;
  readonly fileName?: string;
};

/** The names of the columns matter to sentences only. */
type Wish = Omit<RowWish, "columns"> | RefusedRow;

/** What the rows of a file ask for, and why the file as a whole cannot be used. */
export async function wishesOf(
  content: string,
  { mapping = {}, types = CLUB_ONLY, fileName = "members.csv" }: Options = {},
): Promise<{ wishes: Wish[]; problem: string | undefined }> {
  const known = new Map(Object.entries(types));
  const mapper = createMapper({
    mapping,
    types: { names: [...known.keys()], find: (passType) => known.get(passType) },
  });
  const { checkHeader } = mapper;
  const { rows, problem } = await readFile([Buffer.from(content)], { fileName, checkHeader });
  return { wishes: rows.map((row) => withoutColumns(mapper.wish(row))), problem };
}

function withoutColumns(wish: RowWish | RefusedRow): Wish {
  if ("problem" in wish) return wish;
  const { columns, ...asked } = wish;
  return asked;
}

/** The only row of a file. */
export async function wishOf(content: string, options?: Options): Promise<Wish> {
  const { wishes, problem } = await wishesOf(content, options);
  const [wish] = wishes;
  if (wishes.length !== 1 || wish === undefined) throw new Error(problem ?? "Not one row.");
  return wish;
}
