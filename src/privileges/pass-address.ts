import Type, { type Static, type TObject, type TProperties, type TSchema } from "typebox";
import type { TenantContext } from "#kernel/context.ts";
import { isStorableText } from "#kernel/http/lists/list-values.ts";
import type { Route, RouteDefinition, RouteInput } from "#kernel/http/route.ts";
import { IDENTIFIER_LENGTH_MAX } from "#src/customers/public.ts";
import {
  findPassByIdentifier,
  PassParams,
  passIdentifierAmbiguous,
  passNotFound,
} from "#src/passes/public.ts";

const IdentifierParams = Type.Object({
  identifierName: Type.String({
    pattern: "^[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64}){1,3}$",
    mustBe: "the name of an identifier: <source>.<name>, such as crm.id",
    description: "The name of an external identifier: `<source>.<name>`.",
    examples: ["loyalty.number"],
  }),
  identifierValue: Type.Refine(
    Type.String({
      minLength: 1,
      maxLength: IDENTIFIER_LENGTH_MAX,
      description: "Its value, percent-encoded.",
      examples: ["40012345"],
    }),
    isStorableText,
    () => "must not contain a NUL character or half of a surrogate pair",
  ),
});

type PassRoute<Params extends TProperties, Body> = Omit<
  RouteDefinition<"/api/:tenantId", TObject<Params>, undefined, Body>,
  "url" | "params" | "handle"
> & {
  /** What follows the address of the pass, such as `/privileges`. */
  readonly path: string;
  /** The parameters of `path`. */
  readonly params: TObject<Params>;
  handle(
    context: TenantContext,
    passId: string,
    input: RouteInput<TObject<Params>, undefined, Body>,
  ): Promise<unknown>;
};

/**
 * Makes two routes of one: one for the id of a pass, and one for an external identifier of it, such
 * as `/passes/by/loyalty.number/40012345/privileges`.
 */
export function definePassRoutes<
  Params extends TProperties,
  Body extends TSchema | undefined = undefined,
>({ path, params, handle, ...route }: PassRoute<Params, Body>): readonly [Route, Route] {
  type Input = RouteInput<TObject<Params>, undefined, Body>;
  const { errors = [], op, summary } = route;
  const both = { ...route, errors: [passNotFound, ...errors] } as unknown as Omit<
    Route,
    "url" | "params" | "handle"
  >;
  return [
    {
      ...both,
      url: `/api/:tenantId/passes/:passId${path}`,
      params: Type.Object({ ...PassParams.properties, ...params.properties }),
      handle: (context: TenantContext, input: Input & { params: Static<typeof PassParams> }) =>
        handle(context, input.params.passId, input),
    },
    {
      ...both,
      op: `${op}-by-identifier`,
      url: `/api/:tenantId/passes/by/:identifierName/:identifierValue${path}`,
      summary: `${summary}, found by an identifier`,
      errors: [...(both.errors ?? []), passIdentifierAmbiguous],
      params: Type.Object({ ...IdentifierParams.properties, ...params.properties }),
      async handle(
        context: TenantContext,
        input: Input & { params: Static<typeof IdentifierParams> },
      ) {
        const { identifierName, identifierValue } = input.params;
        const passId = await findPassByIdentifier(context, identifierName, identifierValue);
        return await handle(context, passId, input);
      },
    },
  ];
}
