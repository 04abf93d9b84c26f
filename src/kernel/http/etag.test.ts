import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { findMatch, formatEtag, matchesEtag, matchesNone } from "./etag.ts";

describe("formatEtag", () => {
  it("quotes a number or a text", () => {
    assert.equal(formatEtag(7), '"7"');
    assert.equal(formatEtag("a-Z_0.9:x"), '"a-Z_0.9:x"');
    assert.equal(formatEtag(7, "zip"), '"7+zip"');
  });

  it("throws for a version that cannot stand in a tag", () => {
    for (const version of ["", 'a"b', "a b", "a\n", "é", "x".repeat(201)]) {
      assert.throws(() => formatEtag(version), RangeError);
    }
  });
});

describe("matchesEtag (If-Match)", () => {
  it("lets a request without the header go on", () => {
    assert.equal(matchesEtag(undefined, '"1"'), true);
    assert.equal(matchesEtag(undefined, undefined), true);
  });

  it("finds the tag alone, in a list, and by the star", () => {
    for (const header of [
      '"1"',
      '"0","1"',
      '"0" , "1" ,"2"',
      ',, "1",',
      "*",
      " * ",
      '"a,b", "1"',
    ]) {
      assert.equal(matchesEtag(header, '"1"'), true, header);
    }
  });

  it("finds the version of every representation and encoding", () => {
    for (const header of ['"1+zip"', '"1+gzip"', '"1+br"', '"1+zip+br"']) {
      assert.equal(matchesEtag(header, '"1"'), true, header);
    }
    for (const header of ['"1+tar"', '"1+zip+zip"', '"1+br+zip"', '"11+zip"', '"+zip"']) {
      assert.equal(matchesEtag(header, '"1"'), false, header);
    }
  });

  it("never matches weakly", () => {
    assert.equal(matchesEtag('W/"1"', '"1"'), false);
    assert.equal(matchesEtag('W/"1"', 'W/"1"'), false);
    assert.equal(matchesEtag('W/"1", "1"', '"1"'), true);
  });

  it("matches nothing when malformed, empty or too long", () => {
    const bad = ["", "1", '"1', '1"', '"1" "2"', '"1", x', 'w/"1"', "'1'", '"1", *', '"1";a', '""'];
    bad.push(`${'"0",'.repeat(101)}"1"`, `"1",${" ".repeat(5000)}"1"`);
    for (const header of bad) assert.equal(matchesEtag(header, '"1"'), false, header);
  });

  it("matches nothing that does not exist", () => {
    assert.equal(matchesEtag("*", undefined), false);
    assert.equal(matchesEtag('"1"', undefined), false);
  });
});

describe("matchesNone (If-None-Match of a change)", () => {
  it("lets a request without the header go on, and whatever creates", () => {
    assert.equal(matchesNone(undefined, '"1"'), true);
    for (const header of [undefined, "*", '"1"', "1", ""]) {
      assert.equal(matchesNone(header, undefined), true, header);
    }
  });

  it("refuses the version that it names, weak or strong, and every one by the star", () => {
    for (const header of ['"1"', 'W/"1"', '"0", "1"', '"1+gzip"', '"1+zip"', "*", " * "]) {
      assert.equal(matchesNone(header, '"1"'), false, header);
    }
    for (const header of ['"0"', '"0", W/"2"']) assert.equal(matchesNone(header, '"1"'), true);
  });

  it("refuses when malformed, empty or too long", () => {
    for (const header of ["", "0", '"0', '"0" "2"', "*, *", `${'"0",'.repeat(101)}"2"`]) {
      assert.equal(matchesNone(header, '"1"'), false, header);
    }
  });
});

describe("findMatch (If-None-Match of a read)", () => {
  it("finds nothing without the header and for what does not exist", () => {
    assert.equal(findMatch(undefined, '"1"'), undefined);
    assert.equal(findMatch("*", undefined), undefined);
    assert.equal(findMatch('"1"', undefined), undefined);
  });

  it("finds the copy of the same representation only", () => {
    assert.equal(findMatch('"1+zip"', '"1"'), undefined);
    assert.equal(findMatch('"1"', '"1+zip"'), undefined);
    assert.equal(findMatch('"1", "1+zip"', '"1+zip"'), '"1+zip"');
    assert.equal(findMatch('"1+gzip"', '"1"'), '"1+gzip"');
  });

  it("compares weakly", () => {
    for (const header of ['"1"', 'W/"1"', '"0", W/"1"']) {
      assert.equal(findMatch(header, '"1"'), '"1"', header);
      assert.equal(findMatch(header, 'W/"1"'), '"1"', header);
    }
    for (const etag of ['"1"', 'W/"1"']) assert.equal(findMatch("*", etag), etag);
    for (const header of ['"2"', 'W/"2"', "1", ""]) {
      assert.equal(findMatch(header, '"1"'), undefined, header);
    }
  });
});

describe("entity tags", () => {
  it("property: a tag is found in a list exactly when it stands there", () => {
    const version = fc.stringMatching(/^[!#-~]{1,6}$/);
    fc.assert(
      fc.property(fc.array(version, { maxLength: 20 }), version, (versions, sought) => {
        const header = versions.map((version) => formatEtag(version)).join(", ");
        const isThere = versions.includes(sought);
        assert.equal(matchesEtag(header, formatEtag(sought)), isThere);
        assert.equal(findMatch(header, formatEtag(sought)) !== undefined, isThere);
      }),
    );
  });

  it("property: any header whatever gives an answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'W/"1, *\\a') }), (header) => {
        assert.equal(typeof matchesEtag(header, '"1"'), "boolean");
        if (matchesEtag(header, '"1"')) assert.notEqual(findMatch(header, '"1"'), undefined);
      }),
    );
  });
});
