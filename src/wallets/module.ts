import { defineModule } from "#kernel/module.ts";
import { provide } from "#kernel/port.ts";
import { walletAddresses } from "#src/templates/public.ts";

export const walletsModule = defineModule({
  name: "wallets",
  configFiles: [
    new URL("./apple/apple.config.ts", import.meta.url),
    new URL("./google/google.config.ts", import.meta.url),
  ],
  provides: [
    provide(walletAddresses, new URL("./apple/apple.wallet.ts", import.meta.url)),
    provide(walletAddresses, new URL("./google/google.wallet.ts", import.meta.url)),
  ],
});
