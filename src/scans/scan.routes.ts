import Type from "typebox";
import { answer, defineRoute } from "#kernel/http/route.ts";
import { scanNotFound } from "./scan.errors.ts";
import {
  presentScan,
  SCAN_EXAMPLE,
  ScanAnswer,
  ScanCreate,
  ScanParams,
  ScanResource,
  versionOf,
} from "./scan.schema.ts";
import { getScan, recordScan } from "./scan.service.ts";
import { listScans, SCAN_LIST } from "./scan-list.repository.ts";

export const scanCreate = defineRoute({
  op: "scan.create",
  method: "POST",
  url: "/api/:tenantId/scans",
  scope: "PassScan.Scan",
  summary: "Scan a pass, and redeem in the same call",
  description:
    "Answers 201 for every well-formed scan, also of an unknown code: `decision` says whether to let the holder in. The code may be the barcode as the pass was issued with it, now or earlier, the id of the pass, or an identifier that its template calls unique. If several passes have it, the one with this id comes first, then those that were issued with it; among them one that is active, then the one that got the code last. The same code from the same device (or, where no device is named, from the same credential with the same `location` and `reference`) within three seconds is one scan read twice: the first answer comes again with `duplicateOf`, and nothing is recorded or moved; a scan that asks for a redemption which the first did not ask for is a new one. Whether the pass and the privilege are valid is judged by now, whatever `occurredAt` says. The same code with the `reference` of a scan that came by `scans/batch` is that scan, too. A redemption that is not possible is a rejected scan: it is recorded, and nothing is moved.",
  body: ScanCreate,
  reply: ScanAnswer,
  status: 201,
  replyHeaders: ["Location"],
  example: {
    body: { data: SCAN_EXAMPLE.data, type: "qrcode", location: "Gate 4" },
    reply: SCAN_EXAMPLE,
  },
  async handle(context, { body }) {
    const scan = await recordScan(context, body);
    const headers: Record<string, string> =
      scan.scanId === null ? {} : { location: `/api/${context.tenantId}/scans/${scan.scanId}` };
    return answer(scan, { status: 201, headers });
  },
});

export const scanList = defineRoute({
  op: "scan.list",
  method: "GET",
  url: "/api/:tenantId/scans",
  scope: "PassScan.Read",
  summary: "List scans",
  description:
    "The newest first. Kept for ever, or as long as `retention.scanDays` of `tenant.yml` says.",
  list: SCAN_LIST,
  reply: Type.Array(ScanResource),
  example: { reply: [SCAN_EXAMPLE] },
  handle: listScans,
});

export const scanGet = defineRoute({
  op: "scan.get",
  method: "GET",
  url: "/api/:tenantId/scans/:scanId",
  scope: "PassScan.Read",
  summary: "Read one scan",
  params: ScanParams,
  reply: ScanResource,
  errors: [scanNotFound],
  example: { reply: SCAN_EXAMPLE },
  async handle(context, { params }) {
    const scan = await getScan(context, params.scanId);
    return answer(presentScan(scan), { version: versionOf(scan) });
  },
});
