import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectDrop, dropPort, namesIn, seedDrop } from "#test/support/sftp.ts";
import { shareApi } from "#test/support/start-api.ts";

const GUESSES = 1_000;
const AT_ONCE = 50;
const BANNED = /sftp: an address is banned/;

describe("guessing passwords of the file drop", {
  skip: process.platform !== "linux" && "has one loopback address",
}, () => {
  const at = { now: new Date() };
  const api = shareApi({ env: { ROLES: "api,sftp" }, clock: { now: () => at.now } });

  it("gets few answers out of a thousand attempts, while another client signs in", async () => {
    await seedDrop(api(), "acme");
    const port = await dropPort(api(), "acme");
    const other = await api().node({ ROLES: "api,sftp" }, { clock: { now: () => at.now } });
    const guesser = "127.0.0.66";
    let answers = 0;
    let left = GUESSES;
    const guess = async () => {
      while (left > 0) {
        left -= 1;
        await connectDrop({ port, localAddress: guesser, password: `guess ${left}` }).catch(
          ({ message }: Error) => {
            if (/authentication methods failed/.test(message)) answers += 1;
          },
        );
      }
    };
    const guessers = (count: number) => Promise.all(Array.from({ length: count }, guess));
    const guessing = guessers(AT_ONCE);
    await using drop = await connectDrop({ port });
    assert.equal((await namesIn(await drop.files(), "/")).length, 3);
    await guessing;
    assert.ok(answers <= 20, `${answers} guesses were answered`);
    // Most of them found no place. Those who are patient get so many answers, and not more.
    while (!BANNED.test(api().logLines.join(""))) {
      left = 5;
      await guessers(5);
    }
    assert.ok(answers <= 20, `${answers} guesses were answered`);

    // Also the right password, also on another node; and half an hour later again.
    const late = { localAddress: guesser };
    await assert.rejects(connectDrop({ port, ...late }));
    await assert.rejects(connectDrop({ port: await dropPort(other, "acme"), ...late }));
    at.now = new Date(at.now.getTime() + 31 * 60_000);
    await (await connectDrop({ port, ...late })).end();
    await drop.closed;
    assert.match(api().logLines.join(""), /sftp: idle for too long/);
  });
});
