import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Template } from "@walletpass/pass-js";
import { PKPass } from "passkit-generator";
import { systemCall } from "#kernel/call.ts";
import type { ProblemError } from "#kernel/errors.ts";
import { getPass } from "#src/passes/public.ts";
import { bundleProblems, openBundle, stringsOf, unzip } from "#test/support/apple-bundle.ts";
import { picture } from "#test/support/good-configuration.ts";
import { shareApi, type TestApi } from "#test/support/start-api.ts";
import {
  GENERIC_YML,
  POSTER_EVENT_YML,
  RICH_FLIGHT_YML,
  TEMPLATE_FILES,
} from "#test/support/template-files.ts";
import { developmentRootOf } from "../signing/authority.service.ts";
import { appleBundleOf, applePassesOf, appleTokenOf, bundleCacheOf } from "./bundle.service.ts";

const PICTURES = {
  "images/icon.png": await picture(660, 660),
  "images/logo.png": await picture(640, 200),
  "images/strip.png": await picture(1125, 432),
  "images/thumbnail.png": await picture(400, 400),
  "images/background.png": await picture(1035, 1515),
  "images/footer.png": await picture(858, 45),
  "images/artwork.png": await picture(1074, 1344),
  "images/primaryLogo.png": await picture(378, 90),
  "images/secondaryLogo.png": await picture(405, 36),
};

/** The pictures that a kind shows, in place of those that all templates name. */
const KINDS: readonly [passType: string, style: string, pictures: readonly string[]][] = [
  ["loyalty", "storeCard", ["icon", "logo", "strip"]],
  ["coupon", "coupon", ["icon", "logo", "strip"]],
  ["event", "eventTicket", ["icon", "logo", "thumbnail", "background"]],
  ["flight", "boardingPass", ["icon", "logo", "footer"]],
  ["train", "boardingPass", ["icon", "logo", "footer"]],
  ["gift", "storeCard", ["icon", "logo", "strip"]],
  ["library", "generic", ["icon", "logo", "thumbnail"]],
  ["poster-event", "eventTicket", ["icon", "artwork", "primaryLogo", "secondaryLogo"]],
  ["rich-flight", "boardingPass", ["icon", "logo", "primaryLogo"]],
  ["poster-card", "generic", ["icon", "logo", "artwork", "primaryLogo"]],
];

/** What newer systems are asked for beside the classic style. */
const RICHER: Readonly<Record<string, string>> = {
  "poster-event": "posterEventTicket",
  "rich-flight": "semanticBoardingPass",
  "poster-card": "posterGeneric",
};

function filesOf(): Record<string, string | { base64: string }> {
  const files: Record<string, string | { base64: string }> = {
    ...TEMPLATE_FILES,
    "server/passes/poster-event.yml": POSTER_EVENT_YML.replace("name: Concert", "name: Poster"),
    "server/passes/rich-flight.yml": RICH_FLIGHT_YML.replace("name: Boarding pass", "name: Rich"),
    "server/passes/poster-card.yml": GENERIC_YML.replace("name: Library card", "name: Poster card"),
  };
  for (const [passType, , pictures] of KINDS) {
    const path = `server/passes/${passType}.yml`;
    const named = pictures.map((name) => `${name}: images/${name}.png`).join(", ");
    files[path] = String(files[path]).replace(/^images: .*$/m, `images: { ${named} }`);
  }
  for (const [path, bytes] of Object.entries(PICTURES)) {
    files[path] = { base64: bytes.toString("base64") };
  }
  return files;
}

const DATA: Readonly<Record<string, Record<string, unknown>>> = {
  loyalty: { firstName: 'Zoë "Z"', since: "2024-03-01" },
  coupon: { percent: 10 },
  event: { event: "Moonlight", start: "2027-06-15T18:30:00Z", seat: "12", row: "C", holder: "Ada" },
  flight: { flight: "214", departure: "2027-06-15T08:20:00+02:00", passenger: "Ada L", seat: "1A" },
  train: { flight: "214", departure: "2027-06-15T08:20:00+02:00", passenger: "Ada L", seat: "1A" },
  gift: {},
  library: { name: "Ada" },
  "poster-event": { event: "Moonlight", start: "2027-06-15T18:30:00Z", seat: "12", row: "C" },
  "rich-flight": { flight: "214", departure: "2027-06-15T08:20:00+02:00", passenger: "Ada L" },
  "poster-card": { name: "Ada" },
};

const contextOf = (api: Pick<TestApi, "runtime">, tenantId = "lune") =>
  systemCall(api.runtime, "test", { tenantId });

async function publish(api: TestApi, files: Record<string, string | { base64: string }>) {
  const body = { files };
  const sent = await api.put("/api/tenants/lune", { key: api.operatorKey, body });
  assert.ok(sent.status <= 201, sent.text);
}

let numbers = 0;

async function create(api: TestApi, passType: string): Promise<string> {
  numbers += 1;
  const body = {
    identifiers: { "loyalty.number": `N${numbers}`, "card.number": `C${numbers}` },
    additionalData: DATA[passType],
    // The offer of the template is over.
    ...(passType === "coupon" ? { expirationDate: null } : {}),
  };
  const path = `/api/lune/passes?passType=${passType}`;
  const sent = await api.post(path, { key: api.operatorKey, body });
  assert.equal(sent.status, 201, sent.text);
  return sent.body.id;
}

async function bundleOf(api: TestApi, passId: string) {
  const context = contextOf(api);
  return await appleBundleOf(context, await getPass(context, passId));
}

async function change(api: TestApi, passId: string, body: Record<string, unknown>) {
  const sent = await api.patch(`/api/lune/passes/${passId}`, {
    key: api.operatorKey,
    body: { ...body, options: { BypassQueue: true } },
  });
  assert.ok(sent.status < 300, sent.text);
}

describe("the bundle of a pass", () => {
  const shared = shareApi({ env: { BASE_URL: "https://passes.example" } });
  before(() => publish(shared(), filesOf()));

  for (const [passType, style, pictures] of KINDS) {
    it(`keeps all rules of Apple Wallet for ${passType}, and other programs open it`, async () => {
      const api = shared();
      const id = await create(api, passType);
      const { bytes } = await bundleOf(api, id);
      const bundle = await openBundle(bytes);
      const root = await developmentRootOf(contextOf(api));
      assert.deepEqual(await bundleProblems(bundle, root), []);
      assert.ok(style in bundle.json);
      const { preferredStyleSchemes: [rich] = [], posterGeneric } = bundle.json;
      assert.equal(posterGeneric === undefined ? rich : "posterGeneric", RICHER[passType]);
      const scales = pictures.flatMap((name) => [
        `${name}.png`,
        `${name}@2x.png`,
        `${name}@3x.png`,
      ]);
      const there = [...bundle.files.keys()].filter((name) => name.endsWith(".png"));
      assert.deepEqual(there.toSorted(), scales.toSorted());
      const opened = new PKPass(Object.fromEntries(bundle.files));
      assert.equal(opened.type, style);
      assert.equal(opened.props.serialNumber, id);
      // Pass-js knows only the size that backgrounds had before 2026, and refuses today's for it.
      if (pictures.includes("background")) return;
      const read = await Template.fromBuffer(bytes);
      assert.equal(read.style, style);
      assert.equal(read.passTypeIdentifier, "pass.dev.billfold.lune");
    });
  }

  it("says where devices register, by a token that never changes", async () => {
    const api = shared();
    const id = await create(api, "loyalty");
    const { json } = await openBundle((await bundleOf(api, id)).bytes);
    const pass = await getPass(contextOf(api), id);
    assert.equal(json.serialNumber, id);
    assert.equal(json.webServiceURL, "https://passes.example/.well-known/wallet/lune");
    assert.equal(json.authenticationToken, appleTokenOf(pass));
    assert.match(json.authenticationToken, /^[\w-]{43}$/);
    assert.ok(!json.authenticationToken.includes(pass.secret));
    await change(api, id, { additionalData: { firstName: "Ada" } });
    const changed = await openBundle((await bundleOf(api, id)).bytes);
    assert.equal(changed.json.authenticationToken, json.authenticationToken);
  });

  it("speaks every language of the tenant", async () => {
    const api = shared();
    const { files } = await openBundle((await bundleOf(api, await create(api, "loyalty"))).bytes);
    const { en, de } = stringsOf(files);
    assert.equal(en?.Points, "Points");
    assert.equal(de?.Points, "Punkte");
    assert.equal(de?.["You now have %@ points"], "Du hast jetzt %@ Punkte");
  });

  it("is not signed again while nothing changes, however often and at once it is asked for", async () => {
    const api = shared();
    const id = await create(api, "loyalty");
    const asked = Array.from({ length: 5 }, () => bundleOf(api, id));
    const [first, ...others] = await Promise.all(asked);
    assert.ok(first !== undefined);
    for (const other of [...others, await bundleOf(api, id)]) {
      assert.ok(other.bytes.equals(first.bytes));
      assert.equal(other.fingerprint, first.fingerprint);
    }
  });

  it("is not signed again for a version that shows the same", async () => {
    const api = shared();
    const id = await create(api, "loyalty");
    const first = await bundleOf(api, id);
    await change(api, id, { identifiers: { "crm.id": "C-1" } });
    assert.equal((await getPass(contextOf(api), id)).version, 2);
    const second = await bundleOf(api, id);
    assert.ok(second.bytes.equals(first.bytes));
    await change(api, id, { additionalData: { firstName: "Ada" } });
    const third = await bundleOf(api, id);
    assert.notEqual(third.fingerprint, first.fingerprint);
    const { json } = await openBundle(third.bytes);
    assert.equal(json.storeCard.primaryFields[0].value, "Ada");
  });

  it("has the same fingerprint on every node", async () => {
    const api = shared();
    const id = await create(api, "gift");
    const other = await api.node();
    const context = contextOf(other);
    const there = await appleBundleOf(context, await getPass(context, id));
    assert.equal(there.fingerprint, (await bundleOf(api, id)).fingerprint);
  });

  it("is void while the pass is disabled, and from its expiry on", async () => {
    const api = shared();
    const id = await create(api, "loyalty");
    const voided = async () => (await openBundle((await bundleOf(api, id)).bytes)).json.voided;
    assert.equal(await voided(), undefined);
    await change(api, id, { status: "disabled" });
    assert.equal(await voided(), true);
    await change(api, id, { status: "active" });
    assert.equal(await voided(), undefined);
    const context = contextOf(api);
    const pass = {
      ...(await getPass(context, id)),
      expiresAt: new Date(Date.now() - 1),
      version: 9,
    };
    const { bytes } = await appleBundleOf(context, pass);
    assert.equal((await openBundle(bytes)).json.voided, true);
  });

  it("is forgotten when its pass is deleted", async () => {
    const api = shared();
    const id = await create(api, "library");
    await bundleOf(api, id);
    const cache = bundleCacheOf(api.runtime);
    assert.ok(cache.get(`lune ${id}`) !== undefined);
    const { status } = await api.delete(`/api/lune/passes/${id}`, { key: api.operatorKey });
    assert.ok(status < 300);
    assert.equal(cache.get(`lune ${id}`), undefined);
  });

  it("travels with up to nine others in one file", async () => {
    const api = shared();
    const context = contextOf(api);
    const ids = [await create(api, "loyalty"), await create(api, "event")];
    const passes = await Promise.all(ids.map((id) => getPass(context, id)));
    const files = await unzip(Buffer.concat((await applePassesOf(context, passes)).pieces()));
    assert.deepEqual(
      [...files.keys()],
      ids.map((id) => `${id}.pkpass`),
    );
    for (const [name, bytes] of files) {
      assert.equal(`${(await openBundle(bytes)).json.serialNumber}.pkpass`, name);
    }
    // Many files at once need the memory of one: what is large in them is the same.
    const [first, second] = [
      (await applePassesOf(context, passes)).pieces(),
      (await applePassesOf(context, passes)).pieces(),
    ];
    const own = second.filter((piece) => !first.includes(piece));
    assert.ok(Buffer.concat(own).length < 1_000, String(Buffer.concat(own).length));
    const [one, two] = passes;
    assert.ok(one !== undefined && two !== undefined);
    for (const wrong of [
      [one],
      [one, one],
      Array.from({ length: 11 }, (_, at) => ({ ...one, id: `${at}` })),
    ]) {
      await assert.rejects(applePassesOf(context, wrong), (error) => {
        assert.equal((error as ProblemError).code, "wallet.apple-passes-count");
        return true;
      });
    }
  });
});
