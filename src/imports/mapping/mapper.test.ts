import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CLUB_AND_EVENT, wishesOf, wishOf } from "#test/support/import-wishes.ts";

const PLAIN = {
  row: 1,
  line: 2,
  passType: "club",
  action: "upsert",
  passId: undefined,
  keys: { "club.number": "4711" },
  identifiers: { "club.number": "4711" },
  additionalData: {},
  privileges: new Map(),
};

describe("a row of CSV", () => {
  it("asks for what its columns are named after", async () => {
    const wish = await wishOf(
      "passType;action;identifiers.club.number;identifiers.crm.id;additionalData.firstName;privileges.coffee;expirationDate;status;notification.title;notification.content\nclub;update;4711;C-1;Anna;2.50;2027-12-31;active;News;Hello\n",
    );
    assert.deepEqual(wish, {
      ...PLAIN,
      action: "update",
      identifiers: { "club.number": "4711", "crm.id": "C-1" },
      additionalData: { firstName: "Anna" },
      privileges: new Map([["coffee", "2.5"]]),
      // Midnight in Paris.
      expirationDate: "2027-12-30T23:00:00.000Z",
      status: "active",
      notification: { title: "News", content: "Hello" },
    });
  });

  it("asks for what server/import.yml says", async () => {
    const mapping = {
      passType: "club",
      action: "update",
      columns: {
        "Card number": "identifiers.club.number",
        Vorname: "additionalData.firstName",
        Notes: "ignore",
      },
    } as const;
    const wish = await wishOf(" card NUMBER ;Vorname;Notes\n4711;Anna;whatever\n", {
      mapping,
      types: CLUB_AND_EVENT,
    });
    assert.deepEqual(wish, { ...PLAIN, action: "update", additionalData: { firstName: "Anna" } });
  });

  it("is about the pass with its unique identifiers, or with all it has", async () => {
    const header = "identifiers.club.number;identifiers.crm.id;passId\n";
    const keys = async (cells: string) => {
      const wish = await wishOf(`${header}${cells}\n`);
      return "problem" in wish ? wish.problem : [wish.passId, wish.keys];
    };
    assert.deepEqual(await keys("4711;C-1;"), [undefined, { "club.number": "4711" }]);
    assert.deepEqual(await keys(";C-1;"), [undefined, { "crm.id": "C-1" }]);
    assert.deepEqual(await keys(";;ps_12345"), ["ps_12345", {}]);
  });

  it("leaves alone what is empty, or deletes it where the tenant says so", async () => {
    const content =
      "identifiers.club.number;identifiers.crm.id;additionalData.firstName;privileges.coffee;expirationDate;status\n4711; ;;;;\n";
    assert.deepEqual(await wishOf(content), PLAIN);
    assert.deepEqual(await wishOf(content, { mapping: { emptyCells: "clear" } }), {
      ...PLAIN,
      identifiers: { "club.number": "4711", "crm.id": null },
      additionalData: { firstName: null },
      expirationDate: null,
    });
  });

  it("has values of the types that the template declares", async () => {
    const data = async (column: string, cell: string, mapping = {}) => {
      const content = `identifiers.club.number;additionalData.${column}\n4711;"${cell.replaceAll('"', '""')}"\n`;
      const wish = await wishOf(content, { mapping });
      return "problem" in wish ? wish.problem : wish.additionalData[column];
    };
    const comma = { decimalComma: true };
    for (const [column, cell, expected, mapping] of [
      ["zip", "01234", "01234"],
      ["points", "5", 5],
      ["points", "+5.0", 5],
      ["height", "-1.75", -1.75],
      ["height", "1,75", 1.75, comma],
      ["height", "1.234.567,5", 1_234_567.5, comma],
      ["isVip", "Yes", true],
      ["isVip", "0", false],
      ["birthday", "1990-05-01", "1990-05-01"],
      ["birthday", "1.5.1990", "1990-05-01"],
      ["lastVisit", "2026-07-01 18:30", "2026-07-01T16:30:00.000Z"],
      ["lastVisit", "01.07.2026", "2026-06-30T22:00:00.000Z"],
      ["lastVisit", "2026-07-01T18:30:00+02:00", "2026-07-01T18:30:00+02:00"],
      ["tags", '["a","b"]', ["a", "b"]],
      ["level", "2", 2],
      ["level", "gold", "gold"],
      ["unknown", "5", "5"],
      ["firstName", "'=Anna", "=Anna"],
      ["firstName", "'Anna", "'Anna"],
    ] as const) {
      assert.deepEqual(await data(column, cell, mapping), expected, `${column} ${cell}`);
    }
    for (const [column, cell, expected, mapping] of [
      ["points", "many", "'many' is not a number such as 1234.5."],
      [
        "points",
        "1,5",
        "'1,5' is not a number with a decimal point. Write it as 1234.5, or set 'decimalComma: true' in server/import.yml.",
      ],
      ["points", "1.5", "'1.5' is not a number such as 1234,5.", comma],
      [
        "points",
        "12345678901234567",
        "'12345678901234567' has more digits than a number can keep.",
      ],
      ["isVip", "maybe", "'maybe' is neither yes nor no."],
      ["lastVisit", "07/01/2026", "'07/01/2026' is not a date such as 2027-12-31 or 31.12.2027."],
      ["tags", "a, b", "'a, b' is not JSON such as [1, 2]."],
    ] as const) {
      const problem = `Column 'additionalData.${column}': ${expected}`;
      assert.equal(await data(column, cell, mapping), problem);
    }
  });

  it("has only what its action needs", async () => {
    const header =
      "identifiers.club.number;action;additionalData.points;notification.content;expirationDate\n";
    const rest = "not a number;Hello;not a date\n";
    assert.deepEqual(await wishOf(`${header}4711;DELETE;${rest}`), { ...PLAIN, action: "delete" });
    assert.deepEqual(await wishOf(`${header}4711;disable;${rest}`), {
      ...PLAIN,
      action: "disable",
    });
    assert.deepEqual(await wishOf(`${header}4711;notify;${rest}`), {
      ...PLAIN,
      action: "notify",
      notification: { content: "Hello" },
    });
  });

  it("says everything that is wrong with it, and whose it is", async () => {
    const problemOf = async (content: string, types = CLUB_AND_EVENT) => {
      const wish = await wishOf(content, { types });
      return "problem" in wish ? [wish.identifiers, wish.problem] : wish;
    };
    const header = "passType;action;passId;identifiers.club.number;status;privileges.coffee\n";
    const four = { "club.number": "4" };
    assert.deepEqual(await problemOf(`${header}clubs;upset;;4;gone;x\n`), [
      four,
      "Column 'action': 'upset' is not one of upsert, update, disable, delete, notify. There is no pass type 'clubs'. Did you mean 'club'?",
    ]);
    assert.deepEqual(await problemOf(`${header}club;;;4;gone;x\n`), [
      four,
      "Column 'privileges.coffee': 'x' is not a number such as 1234.5. Column 'status': 'gone' is neither 'active' nor 'disabled'.",
    ]);
    assert.deepEqual(await problemOf(`${header}club;;;4;;1.23456\n`), [
      four,
      "Column 'privileges.coffee': '1.23456' has more than 15 digits before the point or 4 after it.",
    ]);
    assert.deepEqual(await problemOf(`${header};;;4;;\n`), [
      four,
      "This row does not say of which type the pass is. Add a column 'passType', or set 'passType' in server/import.yml.",
    ]);
    assert.deepEqual(await problemOf(`${header}club;;;;;1\n`), [
      {},
      "This row does not say whose pass it is: it has neither a passId nor an identifier.",
    ]);
    assert.deepEqual(await problemOf(`${header}club;notify;;4;;\n`), [
      four,
      "This row is to send a message, but 'notification.content' is empty.",
    ]);
    assert.deepEqual(await problemOf(`${header}club;;;4,00123E+15;;\n`), [
      {},
      "Column 'identifiers.club.number': '4,00123E+15' is a number that a spreadsheet has shortened. Format the column as text and export the file again. This row does not say whose pass it is: it has neither a passId nor an identifier.",
    ]);
  });
});

describe("a header", () => {
  for (const [title, content, problem, mapping] of [
    [
      "that is missing",
      "4711;Anna\n4712;Bert\n",
      "The first line of the file must name the columns, but none of its names is known: '4711', 'Anna'. Is the header missing? If not: Rename them, or say in server/import.yml what they mean, under 'columns'; 'ignore' leaves one out.",
    ],
    [
      "with columns that mean nothing",
      "identifiers.club.number;firstName;additionalDate.zip;Hobby\n1;2;3;4\n",
      "These columns mean nothing here: 'firstName' (did you mean 'additionalData.firstName'?), 'additionalDate.zip' (did you mean 'additionalData.zip'?), 'Hobby'. Rename them, or say in server/import.yml what they mean, under 'columns'; 'ignore' leaves one out.",
    ],
    [
      "with a column that is mapped under a similar name",
      "identifiers.club.number;Vornamen\n1;2\n",
      "These columns mean nothing here: 'Vornamen' (did you mean 'Vorname'?). Rename them, or say in server/import.yml what they mean, under 'columns'; 'ignore' leaves one out.",
      { columns: { Vorname: "additionalData.firstName" } },
    ],
    [
      "without a column that says whose passes they are",
      "additionalData.firstName\nAnna\n",
      "No column says whose pass a row is about. Name one 'passId' or 'identifiers.<source>.<name>', such as identifiers.crm.id, or map one to it in server/import.yml.",
    ],
    [
      "with two columns for one value",
      "identifiers.club.number;Number\n1;2\n",
      "The columns 'identifiers.club.number' and 'Number' fill the same value. Map one of them to 'ignore' in server/import.yml.",
      { columns: { Number: "identifiers.club.number" } },
    ],
    [
      "that would change the object that holds its values",
      "identifiers.club.number;additionalData.__proto__\n1;2\n",
      "These columns mean nothing here: 'additionalData.__proto__' (did you mean 'additionalData.points'?). Rename them, or say in server/import.yml what they mean, under 'columns'; 'ignore' leaves one out.",
    ],
  ] as const) {
    it(`ends the import with a sentence: ${title}`, async () => {
      const options = mapping === undefined ? {} : { mapping };
      assert.equal((await wishesOf(content, options)).problem, problem);
    });
  }

  it("is looked at even if there are no rows", async () => {
    const { problem } = await wishesOf("4711;Anna\n");
    assert.match(problem ?? "", /^The first line of the file must name the columns, but none /);
    assert.equal((await wishesOf("identifiers.club.number\n")).problem, undefined);
  });

  it("must name the pass type where there are several", async () => {
    const content = "identifiers.club.number\n4711\n";
    assert.equal(
      (await wishesOf(content, { types: CLUB_AND_EVENT })).problem,
      "No column says of which type the passes are. Add a column 'passType', or set 'passType' in server/import.yml. There are: club, event.",
    );
  });

  it("may be that of the log of an import, which was corrected and comes back", async () => {
    const wish = await wishOf(
      "row,line,identifiers.club.number,outcome,message\n7,8,'+4711,failed,Wrong\n",
    );
    assert.deepEqual("keys" in wish && wish.keys, { "club.number": "+4711" });
  });
});

describe("a row of JSON", () => {
  const json = (row: unknown) =>
    wishOf(`[${typeof row === "string" ? row : JSON.stringify(row)}]`, { fileName: "a.json" });

  it("asks for the same, nested or by the names of columns", async () => {
    const expected = {
      ...PLAIN,
      line: 1,
      identifiers: { "club.number": "4711", "crm.sub.id": "C-1" },
      additionalData: { firstName: "Anna", address: { city: "Bern" }, größe: 5 },
      privileges: new Map([["coffee", "2.5"]]),
      notification: { content: "Hello" },
    };
    const rest = {
      privileges: { coffee: 2.5 },
      notification: { content: "Hello" },
    };
    const data = { firstName: "Anna", address: { city: "Bern" }, größe: 5 };
    for (const row of [
      {
        identifiers: { club: { number: "4711" }, crm: { sub: { id: "C-1" } } },
        additionalData: data,
        ...rest,
      },
      {
        identifiers: { "club.number": "4711", "crm.sub.id": "C-1" },
        "additionalData.firstName": "Anna",
        additionalData: { address: data.address, größe: 5 },
        "privileges.coffee": "2.5",
        "notification.content": "Hello",
      },
    ]) {
      assert.deepEqual(await json(row), expected);
    }
  });

  it("keeps every digit, and deletes by null", async () => {
    const wish = await json(
      '{"identifiers":{"club.number":12345678901234567890,"crm.id":null},"additionalData":{"zip":1234,"firstName":null,"points":"7"},"privileges":{"coffee":123456789012345.1234},"expirationDate":null}',
    );
    assert.deepEqual(wish, {
      ...PLAIN,
      line: 1,
      keys: { "club.number": "12345678901234567890" },
      identifiers: { "club.number": "12345678901234567890", "crm.id": null },
      additionalData: { zip: "1234", firstName: null, points: 7 },
      privileges: new Map([["coffee", "123456789012345.1234"]]),
      expirationDate: null,
    });
  });

  it("fails alone with members that mean nothing or come twice, or values of the wrong kind", async () => {
    for (const [row, problem] of [
      [
        '{"identifiers.club.number":"1","firstName":"Anna"}',
        "The member 'firstName' means nothing here. Did you mean 'additionalData.firstName'?",
      ],
      [
        '{"identifiers.club.number":"1","identifiers":{"club":{"number":"2"}}}',
        "The members 'identifiers.club.number' and 'identifiers.club.number' fill the same value.",
      ],
      [
        '{"PassType":"club","passId":"ps_12345","passType":"club"}',
        "The members 'PassType' and 'passType' fill the same value.",
      ],
      [
        '{"identifiers.club.number":["1"],"passId":"ps_12345"}',
        "Column 'identifiers.club.number': '[\"1\"]' is no text.",
      ],
      [
        '{"passId":"ps_12345","additionalData":{"deep":[12345678901234567]}}',
        "Column 'additionalData.deep': '[12345678901234567]' has more digits than a number can keep.",
      ],
      [
        '{"passId":"ps_12345","privileges":{"coffee":true}}',
        "Column 'privileges.coffee': 'true' is not a number such as 1234.5.",
      ],
    ] as const) {
      const wish = await json(row);
      assert.equal("problem" in wish && wish.problem, problem);
    }
  });
});

describe("any row", () => {
  const name = fc.oneof(
    fc.constantFrom(
      ...["passType", "action", "passId", "status", "expirationDate", "notification", "ignore"],
      ...["identifiers", "additionalData", "privileges", "constructor", "club.number", "content"],
      ...["identifiers.club.number", "additionalData.points", "additionalData.level", "title"],
    ),
    fc.string({ maxLength: 6 }).filter((text) => text !== "__proto__"),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        "club",
        "update",
        "4711",
        "",
        " ",
        "1e9",
        "99999999999999999999",
        "2027-12-31",
      ),
      fc.jsonValue({ maxDepth: 1 }).filter((value) => !JSON.stringify(value).includes("__proto__")),
      tie("tree"),
    ),
  }));

  it("property: becomes a wish with a key, or a sentence, and changes nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), async (objects) => {
        const { wishes } = await wishesOf(JSON.stringify(objects), { fileName: "a.json" });
        assert.equal(wishes.length, objects.length);
        for (const wish of wishes) {
          if ("problem" in wish) assert.match(wish.problem, /^[^\p{Cc}]{1,600}[.?]$/u);
          else assert.ok(wish.passId !== undefined || Object.keys(wish.keys).length > 0);
        }
        assert.deepEqual(Object.keys(Object.prototype), []);
      }),
      { numRuns: 500 },
    );
  });
});
