import { classifyAddress } from "#kernel/egress/address-class.ts";
import { defineFinding, type Finding, type FindingKind, type Place } from "#src/files/public.ts";

/** What the address of this service means for real phones and for Google's servers. */

type Address = { readonly baseUrl: string };

export const appleServiceUnreachable = defineFinding<Address>({
  code: "apple.service-unreachable",
  severity: "warning",
  summary: "Passes stay as they are on iPhones: this service has no https address.",
  hint: "Set BASE_URL to the https address under which phones reach this service. Passes that were added before have to be added again.",
  message: ({ baseUrl }) =>
    `iPhones accept updates only over https, and this service is at ${baseUrl}: passes are made without updates.`,
});

export const googleImagesUnreachable = defineFinding<Address>({
  code: "google.images-unreachable",
  severity: "warning",
  summary: "Google cannot fetch pictures from this service, nor report to it who adds a pass.",
  hint: "Set BASE_URL to a public https address. Until then Google refuses passes with pictures.",
  message: ({ baseUrl }) =>
    `Google fetches pictures and sends callbacks over https from the internet, and this service is at ${baseUrl}.`,
});

export const addressFindings: readonly FindingKind[] = [
  appleServiceUnreachable,
  googleImagesUnreachable,
];

/** A pass that names a web service without https is refused by iOS as a whole. */
export function isAppleReachable(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === "https:";
}

/** Names that lead nowhere on the internet, by standard or by habit. */
const LOCAL_NAME = /^[^.]+$|\.(?:localhost|local|internal|home\.arpa|lan|test|invalid)$/;

/** Judges the address alone: names are not looked up. */
export function isGoogleReachable(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== "https:") return false;
  const name = hostname.replace(/\.$/, "");
  if (name.startsWith("[")) return classifyAddress(name.slice(1, -1)).class === "public";
  return /^[\d.]+$/.test(name) ? classifyAddress(name).class === "public" : !LOCAL_NAME.test(name);
}

export function appleAddressFindings(baseUrl: string, place: Place): Finding[] {
  return isAppleReachable(baseUrl) ? [] : [appleServiceUnreachable(place, { baseUrl })];
}

export function googleAddressFindings(baseUrl: string, place: Place): Finding[] {
  return isGoogleReachable(baseUrl) ? [] : [googleImagesUnreachable(place, { baseUrl })];
}
