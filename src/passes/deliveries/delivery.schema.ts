import Type, { type Static } from "typebox";

export const WalletDelivery = Type.Object(
  {
    state: Type.Enum(["none", "queued", "sent", "failed"], {
      description:
        "`none`: the wallet does not hold the pass. `queued`: it is told as soon as it answers. `sent`: it was told. `failed`: it refused.",
    }),
    devices: Type.Integer({ minimum: 0, description: "How many devices hold the pass." }),
    problem: Type.Optional(Type.String({ description: "Why it is not sent, in one sentence." })),
  },
  { title: "WalletDelivery" },
);
export type WalletDelivery = Static<typeof WalletDelivery>;

/** What became of one change, by wallet. */
export const Delivery = Type.Object(
  { apple: WalletDelivery, google: WalletDelivery },
  { title: "ChangeDelivery", description: "Whether the wallets were told, with `BypassQueue`." },
);
export type Delivery = Static<typeof Delivery>;
