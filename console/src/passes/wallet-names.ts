/** Names of products are the same in every language. */
export const WALLET_NAMES = { apple: "Apple Wallet", google: "Google Wallet" } as const;
