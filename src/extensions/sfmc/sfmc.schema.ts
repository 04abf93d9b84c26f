import Type from "typebox";
import { STEPS } from "./sfmc.activity.ts";

const activityToken = Type.String({
  description: "The last part of `webhookUrl`, which cannot be guessed.",
  examples: ["0VfQm3Ks00x7Rk2LwPq9Zt4hJ6nB8vC1xD3sF5gL"],
});

export const ActivityParams = Type.Object({ tenantId: Type.String(), activityToken });

export const StepParams = Type.Object({
  tenantId: Type.String(),
  activityToken,
  step: Type.Enum([...STEPS], {
    description: "What Journey Builder does with the activity.",
    examples: ["execute"],
  }),
});

const text = (description: string) => Type.Optional(Type.String({ description }));

/** Empty for all steps but `execute`. */
export const StepResult = Type.Object(
  {
    status: text("`created`, `updated`, `unchanged`, `notified` or `failed`."),
    passId: text("The pass; empty if there is none."),
    installUrl: text("The page that adds the pass to a wallet; empty if there is no pass."),
    errorCode: text("Why it failed, for a program; else empty."),
    error: text("Why it failed, in a sentence; else empty."),
  },
  { additionalProperties: false, title: "SfmcOutArguments" },
);

export const ActivityConfig = Type.Record(Type.String(), Type.Unknown(), {
  description: "As Journey Builder reads it: `config.json` of a custom activity.",
});
