import { api, take } from "../../api/client.ts";

/** The pass type of the starter. */
export const STARTER = "card";
const ICON_PX = 128;
const LINE_CHARS_MAX = 40;

export type Brand = { readonly brand: string; readonly color: string };

/** As a person would write it by hand: they will go on from here. */
function templateOf({ brand, color }: Brand): string {
  const name = JSON.stringify(brand.slice(0, LINE_CHARS_MAX));
  return `# The first card. Change it as you like.
kind: loyalty
name: ${name}
organization: ${name}
description: ${name}
colors: { background: "${color}", foreground: "#ffffff", label: "#f1f3ff" }
images: { icon: images/icon.png }
barcode: { format: qr, message: "{{ pass.id }}" }
data:
  type: object
  required: [firstName]
  properties:
    firstName: { type: string, maxLength: 60, examples: [Camille] }
fields:
  header:
    - { key: points, label: Points, value: "{{ privileges.points.value }}", change: "You now have %@ points" }
  primary:
    - { key: name, label: Member, value: "{{ data.firstName }}" }
privileges:
  - { id: points, name: Points, type: MultiUse, value: 0 }
`;
}

/** A square with the first letter, because wallets insist on an icon. */
function drawIcon({ brand, color }: Brand): string {
  const canvas = document.createElement("canvas");
  canvas.width = ICON_PX;
  canvas.height = ICON_PX;
  const pen = canvas.getContext("2d");
  if (pen !== null) {
    pen.fillStyle = color;
    pen.fillRect(0, 0, ICON_PX, ICON_PX);
    pen.fillStyle = "#ffffff";
    pen.font = `600 ${ICON_PX * 0.6}px system-ui, sans-serif`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText([...brand.trim()][0]?.toUpperCase() ?? "B", ICON_PX / 2, ICON_PX * 0.54);
  }
  return canvas.toDataURL("image/png").split(",")[1] ?? "";
}

/** Publishes the starter beside whatever the tenant has. */
export async function publishStarter(tenantId: string, brand: Brand): Promise<void> {
  const files = {
    [`server/passes/${STARTER}.yml`]: templateOf(brand),
    "images/icon.png": { base64: drawIcon(brand) },
  };
  const params = { path: { tenantId } };
  await take(api.PATCH("/api/tenants/{tenantId}", { params, body: { files } } as never));
}
