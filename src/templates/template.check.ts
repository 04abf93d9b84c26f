import { type Clock, systemClock } from "#kernel/clock.ts";
import {
  type ConfigurationCheck,
  type FileSet,
  type Finding,
  sortFindings,
} from "#src/tenants/public.ts";
import { appleCredentialFindings } from "./credential.apple.ts";
import { googleCredentialFindings } from "./credential.google.ts";
import { isYaml, yamlExcess } from "./examination.files.ts";
import type { Examination, NamedImages } from "./examination.ts";
import { type ImageNames, imageFindings } from "./image.checks.ts";
import { examineSafely } from "./render-sandbox.ts";
import { keepStores } from "./store.file.ts";
import type { ImageSlot } from "./template.schema.ts";
import { STORES_PATH } from "./template.set.ts";

/**
 * All that this module knows to say about the files of a tenant. Texts are read in a process of
 * their own; pictures and secrets only once these are known to be harmless.
 */
export function createTemplateCheck(clock: Clock): ConfigurationCheck {
  return {
    name: "templates",
    async check({ files, secrets }) {
      const excess = yamlExcess(files);
      if (excess !== undefined) return [excess];
      const { findings, images, namesAllImages, apple, google, stores } = isOurs(files)
        ? await examineSafely(files)
        : NOTHING_TO_READ;
      const storesFile = files.get(STORES_PATH);
      if (storesFile !== undefined) await keepStores(storesFile, stores);
      const further: Finding[] = await imageFindings(images.map(imageNames), files, namesAllImages);
      if (apple !== undefined) {
        further.push(...(await appleCredentialFindings(apple, secrets, clock)));
      }
      if (google !== undefined) further.push(...(await googleCredentialFindings(google, secrets)));
      return sortFindings([...findings, ...further]);
    },
  };
}

export const templateCheck: ConfigurationCheck = createTemplateCheck(systemClock);

const NOTHING_TO_READ: Examination = { findings: [], images: [], namesAllImages: true, stores: [] };

/** `tenant.yml` alone is read elsewhere: a process of its own would be started for nothing. */
function isOurs(files: FileSet): boolean {
  return [...files.keys()].some((path) => isYaml(path) && path !== "tenant.yml");
}

function imageNames({ template, images, slots }: NamedImages): ImageNames {
  return { template, place: ([, slot]) => slots[slot as ImageSlot] ?? images };
}
