import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { systemCall } from "#kernel/call.ts";
import { getPass } from "#src/passes/public.ts";
import { openBundle, stringsOf } from "#test/support/apple-bundle.ts";
import { picture } from "#test/support/good-configuration.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { shareApi } from "#test/support/start-api.ts";
import { TEMPLATE_FILES } from "#test/support/template-files.ts";
import { appleBundleOf } from "../apple/bundle/bundle.service.ts";
import type { GoogleAccount } from "../google/google-account.ts";
import { buildPass } from "../google/objects/object-content.service.ts";

type Finding = { readonly severity: string };

const picturesOf = async () => {
  const sizes = { icon: [660, 660], logo: [640, 200], strip: [1125, 432] } as const;
  const files: Record<string, { base64: string }> = {};
  for (const [name, [width, height]] of Object.entries(sizes)) {
    files[`images/${name}.png`] = { base64: (await picture(width, height)).toString("base64") };
  }
  return files;
};

const DATA: Readonly<Record<string, Record<string, unknown>>> = {
  loyalty: { firstName: 'Zoë "Z"', since: "2024-03-01" },
  event: { event: "Moonlight", start: "2027-06-15T18:30:00Z", seat: "12", row: "C", holder: "Ada" },
  flight: { flight: "214", departure: "2027-06-15T08:20:00+02:00", passenger: "Ada L", seat: "1A" },
  library: { name: "Ada" },
};

/** Identifies a pass to Apple, or proves something: a preview has examples of it, or none. */
const OWN = ["passTypeIdentifier", "teamIdentifier", "webServiceURL", "authenticationToken"];

const without = (json: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !OWN.includes(name)));

describe("previews", () => {
  const api = shareApi({ env: { BASE_URL: "https://passes.example" } });
  const asOperator = (body?: unknown) => ({ key: api().operatorKey, body });
  const preview = (body: unknown, tenantId = "lune") =>
    api().post(`/api/tenants/${tenantId}/preview`, asOperator(body));

  before(async () => {
    const files: Record<string, unknown> = { ...TEMPLATE_FILES, ...(await picturesOf()) };
    for (const path of Object.keys(DATA).map((type) => `server/passes/${type}.yml`)) {
      const images = "images: { icon: images/icon.png, logo: images/logo.png }";
      files[path] = String(files[path]).replace(/^images: .*$/m, images);
    }
    const sent = await api().put("/api/tenants/lune", asOperator({ files }));
    assert.ok(sent.status <= 201, sent.text);
    await seedPassTenant(api(), "acme");
  });

  let numbers = 0;
  async function create(passType: string): Promise<string> {
    numbers += 1;
    const body = {
      identifiers: { "loyalty.number": `N${numbers}`, "card.number": `C${numbers}` },
      additionalData: DATA[passType],
    };
    const sent = await api().post(`/api/lune/passes?passType=${passType}`, asOperator(body));
    assert.equal(sent.status, 201, sent.text);
    return sent.body.id;
  }

  for (const passType of Object.keys(DATA)) {
    it(`200: preview.get and preview.create give what the wallets get of ${passType}`, async () => {
      const passId = await create(passType);
      const context = systemCall(api().runtime, "test", { tenantId: "lune" });
      const pass = await getPass(context, passId);
      const bundle = await openBundle((await appleBundleOf(context, pass)).bytes);
      const google = await buildPass(context, { issuerId: "0" } as GoogleAccount, pass);

      const got = await api().get(`/api/lune/passes/${passId}/preview`, asOperator());
      const tried = await preview({ passId });
      for (const { status, body, text } of [got, tried]) {
        assert.equal(status, 200, text);
        const { apple } = body;
        assert.deepEqual(without(apple.pass), without(bundle.json));
        assert.doesNotMatch(text, /authenticationToken/);
        assert.deepEqual(apple.strings, stringsOf(bundle.files));
        const names: string[] = apple.images.map(({ name }: { name: string }) => name);
        assert.deepEqual(
          names.sort(),
          [...bundle.files.keys()].filter((name) => name.endsWith("@2x.png")).sort(),
        );
        for (const { name, base64 } of apple.images) {
          assert.equal(base64, bundle.files.get(name)?.toString("base64"), name);
        }
        assert.deepEqual(body.google.object, JSON.parse(JSON.stringify(google.object)));
        assert.deepEqual(body.google.class, JSON.parse(JSON.stringify(google.ofClass.content)));
        assert.equal(body.google.type, google.type);
        assert.ok(text.includes(body.google.images[0].name));
      }
    });
  }

  it("200: shows files that are stored nowhere, with sample data or that which is sent", async () => {
    const { body: stored } = await api().get("/api/tenants/acme", {
      ...asOperator(),
      headers: { accept: "application/json" },
    });
    const path = "server/passes/loyalty.yml";
    const files = { [path]: stored.files[path].replace("label: Member", "label: Sailor") };
    const { status, body, text } = await preview({ passType: "loyalty", files }, "acme");
    assert.equal(status, 200, text);
    assert.deepEqual(body.apple.pass.storeCard.primaryFields, [
      { key: "name", label: "Sailor", value: "Alexandra" },
    ]);
    assert.deepEqual([body.passTypes, body.languages], [["coupon", "loyalty"], ["en"]]);
    assert.ok(body.variables.includes("data.firstName"));
    assert.ok(body.variables.includes("identifiers['loyalty.number']"));
    assert.ok(body.variables.includes("privileges.points.value"));

    const known = body.apple.images.map(({ hash }: { hash: string }) => hash);
    const data = { additionalData: { firstName: "Ada" }, knownImages: known };
    const again = await preview({ passType: "loyalty", ...data }, "acme");
    const [field] = again.body.apple.pass.storeCard.primaryFields;
    assert.deepEqual([field.label, field.value], ["Member", "Ada"]);
    assert.deepEqual(
      again.body.apple.images.map(({ base64 }: { base64: string | null }) => base64),
      known.map(() => null),
    );
    const { body: after } = await api().get("/api/tenants/acme", {
      ...asOperator(),
      headers: { accept: "application/json" },
    });
    assert.deepEqual(after, stored);
  });

  it("200: data that a template reads and does not describe is shown by its name, unless it is sent", async () => {
    const texts = {
      "{{ data.firstName }}{% if data.firstName.size > 90 %}…{% endif %}": "Alexandra",
      "{{ data.seat.row }}, {{ data.seat.number }}": "Sample, 100200300",
      "{{ data.total | money: 'EUR' }} for {{ data.what }}": "€42.00 for Sample",
      "{{ data.day | date: 'short' }}": "6/15/26",
      "{{ data.list[data.place] }}!": "!",
      "{% if data.lastName %}{{ data.total | money: 'EUR' }}{% endif %} {{ data.lastName }}":
        "€42.00 Meier",
      "{{ data.email | append: ' | money %} }}' }}": "alex@example.com | money %} }}",
      "{% assign sum = data.sum | number -%} {{ sum }} {%- if data.phone -%} , {{ data.phone }}{% endif %}":
        "42, +41 44 123 45 67",
    };
    const fields = Object.keys(texts).map((value, at) => ({ key: `k${at}`, label: "L", value }));
    const template = {
      ...{ kind: "generic", name: "Club", organization: "Acme", description: "Club" },
      images: { icon: "images/icon.png" },
      fields: { back: fields },
    };
    const shown = async (additionalData?: object) => {
      const files = { "server/passes/club.yml": JSON.stringify(template) };
      const { status, body, text } = await preview({ passType: "club", files, additionalData });
      assert.equal(status, 200, text);
      assert.equal(body.findings.filter(({ severity }: Finding) => severity === "error").length, 0);
      return body.apple.pass.generic.backFields.map(({ value }: { value: string }) => value);
    };
    assert.deepEqual(await shown(), Object.values(texts));
    const sent = { firstName: "Ada", seat: { row: "C", number: "4" } };
    assert.deepEqual((await shown(sent)).slice(0, 2), ["Ada", "C, 4"]);
  });

  it("200: goes by the draft, and says what is wrong where nothing can be shown", async () => {
    const path = "server/passes/coupon.yml";
    const draft = { files: { [path]: "kind: coupon\nnaem: x\n" } };
    const saved = await api().patch("/api/tenants/acme?publish=false", asOperator(draft));
    assert.equal(saved.status, 200, saved.text);
    const { status, body } = await preview({ passType: "coupon" }, "acme");
    assert.deepEqual([status, body.apple, body.google], [200, null, null]);
    const [finding] = body.findings.filter(({ line }: { line: number }) => line === 2);
    assert.deepEqual([finding.file, finding.severity], [path, "error"]);
    assert.equal((await api().delete("/api/tenants/acme/draft", asOperator())).status, 204);
  });

  it("404: a template or a pass that is not there", async () => {
    for (const [body, code] of [
      [{ passType: "nothing" }, "preview.template-missing"],
      [
        { passType: "loyalty", files: { "server/passes/loyalty.yml": null } },
        "preview.template-missing",
      ],
      [{ passId: "ps_nobody" }, "pass.not-found"],
    ] as const) {
      const sent = await preview(body, "acme");
      assert.deepEqual([sent.status, sent.body.code], [404, code]);
    }
    const { id } = await seedPass(api(), "acme");
    const foreign = await api().get(`/api/lune/passes/${id}/preview`, asOperator());
    assert.deepEqual([foreign.status, foreign.body.code], [404, "pass.not-found"]);
  });

  it("400: neither a template nor a pass, and files that cannot be stored", async () => {
    assert.equal((await preview({}, "acme")).status, 400);
    const wrong = { passType: "loyalty", files: { "../etc/passwd": "x" } };
    assert.equal((await preview(wrong, "acme")).body.code, "configuration.invalid");
  });

  it("403: a pass is shown to nobody who may not read passes", async () => {
    const { id } = await seedPass(api(), "acme");
    const key = await api().seed.key("acme", "TenantConfiguration.Read");
    const send = (body: unknown) => api().post("/api/tenants/acme/preview", { key, body });
    assert.equal((await send({ passType: "loyalty" })).status, 200);
    const refused = await send({ passId: id });
    assert.deepEqual([refused.status, refused.body.requiredScope], [403, "Pass.Read"]);
  });
});
