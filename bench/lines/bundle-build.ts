import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { PKPass } from "passkit-generator";
import { fitImage } from "#src/templates/images/image.fit.ts";
import { renderInAllLanguages } from "#src/templates/template.render.ts";
import { appleImages } from "#src/wallets/apple/apple.images.ts";
import type { ArchiveFile } from "#src/wallets/apple/bundle/bundle.archive.ts";
import {
  type BundleInput,
  buildUnsigned,
  shareFiles,
  signBundle,
} from "#src/wallets/apple/bundle/bundle.build.ts";
import { createAppleSigner } from "#src/wallets/apple/signing/apple-signer.ts";
import {
  authorityOver,
  noAuthority,
  signsCertificates,
  signsContent,
  writeCertificate,
} from "#src/wallets/apple/signing/x509.ts";
import { defineLine } from "../support/line.ts";
import { BENCH_IDENTITY, loyaltyInput, loyaltyTemplate } from "../support/loyalty-passes.ts";
import { timesPerSecond } from "../support/repeat.ts";

const PASSES = 1_000;
const SERVICE = {
  url: "https://passes.example/.well-known/wallet/bench",
  authenticationToken: "0123456789012345678901234567890123456789012",
};
/** As long as that of a bundle with nine pictures. */
const MANIFEST = Buffer.from(JSON.stringify({ "pass.json": "0".repeat(40) }).repeat(10));
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * From the rendered pass to the signed bundle in one buffer, as it is sent. Each pass differs from the
 * one before. The baseline is the signature alone, which no bundle can do without: both use the threads
 * of the pool, so both have the same cores.
 */
export const bundleBuild = defineLine({
  name: "bundle build",
  measures: {
    rate: { unit: "/s", bar: { of: "ratio", atLeast: 0.85 } },
    // Of all threads. On a machine that does nothing else, both ratios say the same.
    "per processor second": { unit: "" },
  },
  rounds: 5,
  async prepare() {
    const { key, build, inputs } = await prepareBuild();
    return {
      ours: () => ratesOf(() => build(nextOf(inputs))),
      baselines: { "crypto.sign, RSA-2048": () => ratesOf(() => signBare(MANIFEST, key)) },
    };
  },
});

/**
 * Where the distance to the other library comes from. The same bundles one after the other leave a single thread for
 * native RSA; with the pictures packed and hashed for each of them, they are built as a library builds them, which knows
 * one pass at a time. The rest of the distance is RSA in JavaScript, and the checks of each pass (Joi).
 */
export const bundleBuildPieces = defineLine({
  name: "bundle build, piece by piece",
  measures: { rate: { unit: "/s" } },
  rounds: 3,
  async prepare() {
    const { build, buildAlone, inputs } = await prepareBuild();
    return {
      ours: async () => ({ rate: await timesPerSecond(() => build(nextOf(inputs))) }),
      baselines: {
        "one after the other": async () => ({
          rate: await timesPerSecond(() => build(nextOf(inputs)), 1),
        }),
        "one after the other, pictures each time": async () => ({
          rate: await timesPerSecond(() => buildAlone(nextOf(inputs)), 1),
        }),
      },
    };
  },
});

/** The same passes by the library that most people use; its answer to `pass.json` is not checked. */
export const bundleBuildPeer = defineLine({
  name: "bundle build, beside another library",
  measures: { rate: { unit: "/s", bar: { of: "ratio", atLeast: 60 } } },
  rounds: 3,
  async prepare() {
    const { build, inputs, certificates, pictures } = await prepareBuild();
    const images = Object.fromEntries(pictures.map(({ name, content }) => [name, content]));
    const contents = inputs.map((input) => {
      const { files } = buildUnsigned(shareFiles([]), input);
      return Object.fromEntries(files.map(({ name, content }) => [name, content]));
    });
    const peer = async () => {
      const pass = new PKPass({ ...images, ...nextOf(contents) }, certificates);
      if (pass.getAsBuffer().length < 1_000) throw new Error("The bundle of the peer is empty.");
    };
    return {
      ours: async () => ({ rate: await timesPerSecond(() => build(nextOf(inputs))) }),
      baselines: { "passkit-generator": async () => ({ rate: await timesPerSecond(peer) }) },
    };
  },
});

async function ratesOf(work: () => Promise<unknown>) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const rate = await timesPerSecond(work);
  const { user, system } = process.cpuUsage(before);
  const count = (rate * (performance.now() - startedAt)) / 1_000;
  return { rate, "per processor second": count / ((user + system) / 1_000_000) };
}

let turn = 0;

function nextOf<Item>(items: readonly Item[]): Item {
  turn += 1;
  const item = items[turn % items.length];
  if (item === undefined) throw new Error("There is nothing to build.");
  return item;
}

async function prepareBuild() {
  const { leafPem, middlePem, leafKeyPem, key } = makeCertificates();
  const signer = createAppleSigner({
    ...BENCH_IDENTITY,
    isDevelopment: true,
    leaf: new X509Certificate(leafPem),
    intermediates: [new X509Certificate(middlePem)],
    key,
  });
  const pictures = await makePictures();
  const once = shareFiles(pictures);
  const buildWith = async (shared: typeof once, input: BundleInput) => {
    const rest = await signBundle(shared, buildUnsigned(shared, input), signer.sign, new Date());
    if (rest.length < MANIFEST.length) throw new Error("A part is missing.");
    return Buffer.concat([shared.start.records, rest]);
  };
  const build = (input: BundleInput) => buildWith(once, input);
  const buildAlone = (input: BundleInput) => buildWith(shareFiles(pictures), input);
  const certificates = { wwdr: middlePem, signerCert: leafPem, signerKey: leafKeyPem };
  return { key, build, buildAlone, inputs: makeInputs(), certificates, pictures };
}

/** All RSA, because the other library reads nothing else. */
function makeCertificates() {
  const middle = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const leaf = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const name = { CN: "Bench Relations", OU: "G9" };
  const common = {
    issuer: name,
    issuerKey: middle.privateKey,
    issuerPublicKey: middle.publicKey,
    from: new Date(Date.now() - DAY_MS),
    to: new Date(Date.now() + DAY_MS),
  };
  const leafPem = writeCertificate({
    ...common,
    subject: {
      UID: BENCH_IDENTITY.passTypeIdentifier,
      OU: BENCH_IDENTITY.teamIdentifier,
      CN: "Pass Type ID",
    },
    publicKey: leaf.publicKey,
    extensions: [noAuthority, signsContent],
  });
  const middlePem = writeCertificate({
    ...common,
    subject: name,
    publicKey: middle.publicKey,
    extensions: [authorityOver(0), signsCertificates],
  });
  const leafKeyPem = leaf.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  return { leafPem, middlePem, leafKeyPem, key: leaf.privateKey };
}

const PICTURES = { icon: "icon", logo: "logo", strip: "loyalty-strip" } as const;

/** Those of the demo tenant, as they are fitted for a loyalty card. */
async function makePictures(): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for (const [image, source] of Object.entries(PICTURES)) {
    const slot = appleImages.slot("loyalty", image as keyof typeof PICTURES);
    const bytes = await readFile(new URL(`../../demo/images/${source}.png`, import.meta.url));
    for (const scale of slot?.scales ?? []) {
      if (slot === undefined) continue;
      const { bytes: content } = await fitImage(bytes, slot, scale);
      files.push({ name: scale === 1 ? `${image}.png` : `${image}@${scale}x.png`, content });
    }
  }
  return files;
}

function makeInputs(): BundleInput[] {
  const template = loyaltyTemplate();
  return Array.from({ length: PASSES }, (_, at) => ({
    template,
    rendered: renderInAllLanguages(template, loyaltyInput(at)),
    identity: { ...BENCH_IDENTITY, service: SERVICE },
    message: undefined,
  }));
}

function signBare(content: Buffer, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign("sha256", content, key, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}
