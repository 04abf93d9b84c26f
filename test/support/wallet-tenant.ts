import { PASS_FILES } from "./pass-tenant.ts";

/** A tenant whose card shows a number that changes, with a message when it does. */
const CARD = `kind: loyalty
name: Harbour Card
organization: Harbour Club
description: Card of the Harbour Club
colors: { background: "#1f2a44", foreground: "#ffffff", label: "#c9d3ea" }
images: { icon: images/icon.png, logo: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}" }
fields:
  header: [ { key: points, label: Points, value: "{{ data.points }}", change: "You now have %@ points" } ]
  secondary: [ { key: name, label: Member, value: "{{ data.firstName }}" } ]
`;

export const WALLET_FILES: Readonly<Record<string, string | { base64: string }>> = {
  "tenant.yml": "name: Harbour Club\n",
  "server/passes/loyalty.yml": CARD,
  "images/icon.png": PASS_FILES["images/icon.png"] ?? "",
};
