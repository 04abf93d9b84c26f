import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { importFile } from "#test/support/imports.ts";
import { seedPass, seedPassTenant } from "#test/support/pass-tenant.ts";
import { startApi } from "#test/support/start-api.ts";

const api = await startApi({ after });
const key = api.operatorKey;

const MAPPING = `passType: loyalty
decimalComma: true
columns:
  Kundennummer: identifiers.loyalty.number
  CRM: identifiers.crm.id
  Vorname: additionalData.firstName
  Punkte: additionalData.points
  Stufe: additionalData.tier
  Guthaben: privileges.points
  Stand: status
  Nachricht: notification.content
  Bemerkung: ignore
`;

const messagesOf = (outcomes: readonly { message: string | null }[]) =>
  outcomes.map(({ message }) => message);

describe("server/import.yml", () => {
  it("says what the columns of a file mean, from its publication on", async () => {
    await seedPassTenant(api, "mapped");
    const file = "Kundennummer;Vorname;Punkte;Guthaben;Bemerkung\n4711;Ana;7;12,5;none\n";
    const before = await importFile(api, "mapped", file, "fileName=a.csv");
    assert.equal(before.file.status, "error");
    assert.match(before.file.problem, /'Kundennummer'.*server\/import\.yml/);
    await seedPassTenant(api, "mapped", { "server/import.yml": MAPPING });
    const { outcomes } = await importFile(api, "mapped", file, "fileName=a.csv");
    assert.deepEqual([outcomes[0].outcome, outcomes[0].message], ["created", null]);
    const path = `/api/mapped/passes/${outcomes[0].passId}?expand=privileges`;
    const { body } = await api.get(path, { key });
    assert.deepEqual(body.identifiers, { "loyalty.number": "4711" });
    assert.deepEqual(body.additionalData, { firstName: "Ana", points: 7 });
    assert.equal(body.privileges[0].value, 12.5);
  });

  it("gives the words in which people are told what the rules of a pass refuse", async () => {
    await seedPassTenant(api, "words", { "server/import.yml": MAPPING });
    const first = await seedPass(api, "words", {
      identifiers: { "loyalty.number": "1", "crm.id": "C1" },
    });
    await seedPass(api, "words", { identifiers: { "loyalty.number": "2", "crm.id": "C2" } });
    const head = "action;Kundennummer;CRM;Vorname;Punkte;Stufe;Guthaben;Stand;Nachricht";
    const { outcomes } = await importFile(
      api,
      "words",
      [
        head,
        "upsert;;C9;Ana;;;;;",
        "upsert;3;;;;;;;",
        "upsert;3;;Ana;-5;;;;",
        "upsert;3;;Ana;;Roof;;;",
        "update;1;;;;;-5;;",
        "update;9;;;;;;;",
        "update;2;C1;;;;;;",
        "upsert;3;;Ana;;;;disabled;Hello",
        "",
      ].join("\n"),
    );
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      Array(8).fill("failed"),
    );
    const taken = outcomes[6].message;
    assert.deepEqual(messagesOf(outcomes).toSpliced(6, 1), [
      "Column 'Kundennummer' is empty, but every pass of this type needs it.",
      "Column 'Vorname' is empty, but every pass of this type needs it.",
      "Column 'Punkte': '-5' is not allowed: it must be at least 0.",
      `Column 'Stufe': 'Roof' is not allowed: it must be one of "Deck", "Bridge".`,
      "Column 'Guthaben': '-5' is not allowed: it must be at least 0.",
      "There is no pass with this 'Kundennummer'.",
      "The pass would be disabled, so its holder could not be sent the message. The row was not imported.",
    ]);
    assert.ok(taken.length > 20 && !taken.includes("tenant"), taken);
    assert.equal(outcomes[4].passId, first.id);
    const short = await importFile(api, "words", "CRM\nC8\n", "fileName=short.csv");
    assert.deepEqual(messagesOf(short.outcomes), [
      "There is no column for 'identifiers.loyalty.number', which every pass of this type needs. " +
        "There is no column for 'additionalData.firstName', which every pass of this type needs.",
    ]);
  });
});

describe("a file", () => {
  it("of nothing but one line ends in error if that names no columns", async () => {
    await seedPassTenant(api, "headless");
    const { file } = await importFile(api, "headless", "loyalty;N900;C900;Bob;1\n");
    assert.deepEqual([file.status, file.rows], ["error", 0]);
    assert.match(file.problem, /Is the header missing\?/);
    const header = "passType;identifiers.loyalty.number\n";
    const empty = await importFile(api, "headless", header, "fileName=b.csv");
    assert.deepEqual([empty.file.status, empty.file.rows], ["processed", 0]);
  });

  it("that names passes by their ids needs no type, unless it sets what only a template knows", async () => {
    await seedPassTenant(api, "by-id");
    const [first, second] = [await seedPass(api, "by-id"), await seedPass(api, "by-id")];
    const ids = `passId;action;status\n${first.id};disable;\n${second.id};;disabled\nps_none;delete;\n`;
    const { file, outcomes } = await importFile(api, "by-id", ids);
    assert.equal(file.problem, null);
    assert.deepEqual(
      outcomes.map(({ outcome, passId, message }) => [outcome, passId, message]),
      [
        ["updated", first.id, null],
        ["updated", second.id, null],
        ["failed", null, "There is no pass 'ps_none'."],
      ],
    );
    for (const { id } of [first, second]) {
      const { body } = await api.get(`/api/by-id/passes/${id}`, { key });
      assert.equal(body.status, "disabled");
    }
    const data = `passId;additionalData.points\n${first.id};7\n`;
    const typed = await importFile(api, "by-id", data, "fileName=b.csv");
    assert.match(typed.outcomes[0].message, /additionalData.*'passType'/);
    const nobody = await importFile(api, "by-id", "identifiers.crm.id\n1\n", "fileName=c.csv");
    assert.match(nobody.file.problem, /of which type the passes are/);
  });

  it("that erases a pass keeps nothing of it, though its other rows failed or came first", async () => {
    await seedPassTenant(api, "erasing");
    const head =
      "passType;action;identifiers.loyalty.number;additionalData.firstName;additionalData.points";
    const failing = `${head}\nloyalty;;SECRET1;Ana;many\n`;
    const { file } = await importFile(api, "erasing", failing, "fileName=failing.csv");
    assert.equal(file.failed, 1);
    const rows = [
      "loyalty;;SECRET1;Ana;7",
      "loyalty;update;SECRET1;;-1",
      "loyalty;delete;SECRET1;;",
      "loyalty;update;SECRET1;;8",
    ];
    const { outcomes } = await importFile(api, "erasing", [head, ...rows, ""].join("\n"));
    assert.deepEqual(
      outcomes.map(({ outcome, message }) => [outcome, message]),
      [
        ["created", null],
        ["failed", null],
        ["updated", "The pass was deleted."],
        ["failed", null],
      ],
    );
    for (const table of ["import_outcome", "event", "audit"]) {
      const stored = await api.sql(`select * from ${table} where tenant_id = 'erasing'`);
      assert.ok(!JSON.stringify(stored).includes("SECRET1"), table);
    }
    const files = "select contents from import_file where tenant_id = 'erasing'";
    for (const { contents } of await api.sql(files)) assert.notEqual(contents, "kept");
  });
});
