import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/*
 * How the snippets of docs/webhooks.md are run, unchanged, each by a program in its own language. A
 * program reads one case a line, fields separated by tabs and in base64: secret, id, timestamp,
 * signatures, signature of the body, body. It answers with a line of two words, `true` or `false`.
 */

export type Language = {
  /** The heading it has in the document. */
  readonly name: string;
  /** What its standard library calls the comparison in constant time. */
  readonly comparison: string;
  /** Tells the version of what runs it. */
  readonly probe: readonly [string, ...string[]];
  readonly majorMin: number;
  /** By file name; the snippet is one of them. */
  files(snippet: string): Readonly<Record<string, string>>;
  readonly commands: readonly (readonly [string, ...string[]])[];
};

const run = promisify(execFile);

/** Compilers on a busy machine take their time; a hang ends. */
const TIMEOUT_MS = 180_000;

const JAVASCRIPT: Language = {
  name: "JavaScript",
  comparison: "timingSafeEqual",
  probe: [process.execPath, "--version"],
  majorMin: 20,
  commands: [[process.execPath, "check.mjs"]],
  files: (snippet) => ({
    "verify.mjs": snippet,
    "check.mjs": `
import { readFileSync } from "node:fs";
import { verify, verifyBody } from "./verify.mjs";
for (const line of readFileSync("cases.txt", "utf8").split("\\n").filter(Boolean)) {
  const fields = line.split("\\t").map((field) => Buffer.from(field, "base64"));
  const [secret, id, timestamp, standard, short] = fields.map(String);
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": standard,
    "x-service-signature": short,
  };
  console.log(verify(secret, headers, fields[5]), verifyBody(secret, headers, fields[5]));
}
`,
  }),
};

const PYTHON: Language = {
  name: "Python",
  comparison: "compare_digest",
  probe: ["python3", "--version"],
  majorMin: 3,
  commands: [["python3", "check.py"]],
  files: (snippet) => ({
    "snippet.py": snippet,
    "check.py": `
import base64
from snippet import verify, verify_body
for line in open("cases.txt", encoding="ascii"):
    fields = [base64.b64decode(field) for field in line.rstrip("\\n").split("\\t")]
    secret, id, timestamp, standard, short = [field.decode() for field in fields[:5]]
    headers = {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": standard,
        "x-service-signature": short,
    }
    print(str(verify(secret, headers, fields[5])).lower(), str(verify_body(secret, headers, fields[5])).lower())
`,
  }),
};

const PHP: Language = {
  name: "PHP",
  comparison: "hash_equals",
  probe: ["php", "--version"],
  majorMin: 7,
  commands: [["php", "check.php"]],
  files: (snippet) => ({
    "verify.php": snippet,
    "check.php": `<?php
require 'verify.php';
foreach (file('cases.txt', FILE_IGNORE_NEW_LINES) as $line) {
    [$secret, $id, $timestamp, $standard, $short, $body] = array_map('base64_decode', explode("\\t", $line));
    $headers = [
        'Webhook-Id' => $id,
        'Webhook-Timestamp' => $timestamp,
        'Webhook-Signature' => $standard,
        'X-Service-Signature' => $short,
    ];
    echo json_encode(verify($secret, $headers, $body)), ' ', json_encode(verifyBody($secret, $headers, $body)), "\\n";
}
`,
  }),
};

const GO: Language = {
  name: "Go",
  comparison: "hmac.Equal",
  probe: ["go", "version"],
  majorMin: 1,
  commands: [["go", "run", "."]],
  files: (snippet) => ({
    "go.mod": "module check\n\ngo 1.18\n",
    "receiver/verify.go": snippet,
    "main.go": `package main

import (
	"check/receiver"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
)

func main() {
	text, err := os.ReadFile("cases.txt")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\\n") {
		var fields [][]byte
		for _, field := range strings.Split(line, "\\t") {
			value, err := base64.StdEncoding.DecodeString(field)
			if err != nil {
				panic(err)
			}
			fields = append(fields, value)
		}
		headers := map[string]string{
			"webhook-id":          string(fields[1]),
			"webhook-timestamp":   string(fields[2]),
			"webhook-signature":   string(fields[3]),
			"x-service-signature": string(fields[4]),
		}
		header := func(name string) string { return headers[name] }
		secret, body := string(fields[0]), fields[5]
		fmt.Println(receiver.Verify(secret, header, body), receiver.VerifyBody(secret, header, body))
	}
}
`,
  }),
};

const JAVA: Language = {
  name: "Java",
  comparison: "MessageDigest.isEqual",
  probe: ["javac", "-version"],
  majorMin: 17,
  commands: [
    ["javac", "-encoding", "UTF-8", "Webhooks.java", "Check.java"],
    ["java", "-cp", ".", "Check"],
  ],
  files: (snippet) => ({
    "Webhooks.java": snippet,
    "Check.java": `
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

class Check {
    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of("cases.txt"))) {
            String[] fields = line.split("\\t", -1);
            Map<String, String> headers = Map.of(
                "webhook-id", text(fields[1]),
                "webhook-timestamp", text(fields[2]),
                "webhook-signature", text(fields[3]),
                "x-service-signature", text(fields[4]));
            byte[] body = Base64.getDecoder().decode(fields[5]);
            System.out.println(Webhooks.verify(text(fields[0]), headers::get, body)
                + " " + Webhooks.verifyBody(text(fields[0]), headers::get, body));
        }
    }

    private static String text(String field) {
        return new String(Base64.getDecoder().decode(field), StandardCharsets.UTF_8);
    }
}
`,
  }),
};

export const LANGUAGES: readonly Language[] = [JAVASCRIPT, PYTHON, PHP, GO, JAVA];

/** Undefined where it is not installed, or too old. */
export async function findVersion({ probe, majorMin }: Language): Promise<string | undefined> {
  const [file, ...options] = probe;
  try {
    const { stdout, stderr } = await run(file, options, { timeout: TIMEOUT_MS });
    const version = /\d+(\.\d+)*/.exec(`${stdout}${stderr}`)?.[0] ?? "0";
    return Number.parseInt(version, 10) < majorMin ? undefined : version;
  } catch {
    return undefined;
  }
}

/** What the program says to each case. */
export async function runCases(
  { files, commands }: Language,
  snippet: string,
  cases: readonly (readonly (string | Buffer)[])[],
  folder: string,
): Promise<string[]> {
  const lines = cases.map((fields) => fields.map(inBase64).join("\t"));
  const written = { ...files(snippet), "cases.txt": `${lines.join("\n")}\n` };
  for (const [path, text] of Object.entries(written)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  let printed = "";
  for (const [file, ...options] of commands) {
    const { stdout } = await run(file, options, { cwd: folder, timeout: TIMEOUT_MS });
    printed = stdout;
  }
  return printed.trim().split(/\r?\n/);
}

function inBase64(field: string | Buffer): string {
  const bytes = typeof field === "string" ? Buffer.from(field) : field;
  return bytes.toString("base64");
}
