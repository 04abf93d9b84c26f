import { applePassesCount, applePassesSize } from "./apple/bundle/bundle.errors.ts";
import { appleNotConfigured, appleNotUsable } from "./apple/signing/signer.errors.ts";
import { callbackForged, callbackMalformed } from "./google/callbacks/callback.errors.ts";

/** Problems of addresses that are no operations of the API: pages, files and other protocols. */
export const walletProblems = [
  appleNotConfigured,
  appleNotUsable,
  applePassesCount,
  applePassesSize,
  callbackForged,
  callbackMalformed,
];
