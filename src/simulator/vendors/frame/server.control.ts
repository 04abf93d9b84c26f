import Type from "typebox";
import { ANSWER_FAULT_KINDS } from "./answer.faults.ts";
import type { ControlTable } from "./control.ts";
import type { TakenRequest, VendorServer } from "./vendor.server.ts";

const FaultSet = Type.Object(
  {
    kind: Type.Enum([...ANSWER_FAULT_KINDS]),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 604_800 })),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
);

/** The addresses that all vendors share whose API is called. */
export function addServer(control: ControlTable, server: VendorServer): void {
  control.get("/requests", () => ({ requests: server.requests.map(withoutCredentials) }));
  control.delete("/requests", () => server.forget());
  control.put("/faults", FaultSet, (fault) => server.setFault(fault));
  control.delete("/faults", async () => {
    await server.setFault(undefined);
  });
}

/** Shows that there was a credential, and of which kind. */
function withoutCredentials({ headers, path, body, ...request }: TakenRequest): object {
  const { authorization, ...rest } = headers;
  const scheme = authorization?.split(" ", 1)[0];
  return {
    ...request,
    path: withoutSecret(path),
    body: withoutSecret(body),
    headers: scheme === undefined ? rest : { ...rest, authorization: `${scheme} …` },
  };
}

/** Of forms, queries and JSON, also where the end of it was cut off. */
function withoutSecret(text: string): string {
  return text
    .replace(/(^|[?&])secret=[^&]*/g, "$1secret=…")
    .replace(/"secret"\s*:\s*"(?:[^"\\]|\\.)*"?/g, '"secret":"…"');
}
