import { type Clock, systemClock } from "#kernel/clock.ts";
import type { Ports } from "#kernel/port.ts";
import { type FileSet, isYaml, sortFindings } from "#src/files/public.ts";
import {
  type ConfigurationCheck,
  configFileAddresses,
  SETTINGS_FILE,
} from "#src/tenants/public.ts";
import { type ImageNames, imageFindings } from "../images/image.checks.ts";
import { keepStores } from "../store.file.ts";
import type { ImageSlot } from "../template.schema.ts";
import { STORES_PATH } from "../template.set.ts";
import { walletAddresses } from "../template.wallet.ts";
import type { Examination, NamedImages, Texts } from "./examination.ts";
import { yamlExcess } from "./files.ts";
import { loadRules, type RuleAddresses } from "./rules.ts";
import { examineSafely } from "./sandbox.ts";
import type { PassRequest } from "./trial.ts";

/**
 * Checks the files of a tenant with all rules of this module and of the modules that provide rules.
 * YAML files are examined in a separate process (sandbox.ts), because they may be hostile. Images
 * and secrets are checked after that, in this process.
 */
export function createTemplateCheck(clock: Clock): ConfigurationCheck {
  return {
    name: "templates",
    async check({ files, tenant, secrets, ports, baseUrl }) {
      const rules = ruleAddresses(ports);
      const excess = yamlExcess(files);
      if (excess !== undefined) return [excess];
      const texts = textsOf(files);
      // Without YAML files there is nothing to examine, so no process is started.
      const examination =
        texts.size === 0 ? NOTHING_TO_READ : examineSafely({ files: texts, tenant }, { rules });
      const { findings, images, namesAllImages, named, stores } = await examination;
      const storesFile = files.get(STORES_PATH);
      if (storesFile !== undefined) await keepStores(storesFile, stores);
      const { kinds, wallets } = await loadRules(rules);
      const places = wallets.map((wallet) => wallet.images);
      const further = await imageFindings(images.map(imageNames), files, places, namesAllImages);
      for (const file of named) {
        const wrong = await kinds.find(file.path)?.checkSecrets?.(file, secrets, clock, baseUrl);
        further.push(...(wrong ?? []));
      }
      return sortFindings([...findings, ...further]);
    },
  };
}

/**
 * Makes a pass by files that were never checked, in the process that examines them. Also tells what
 * is wrong with the files, as far as that is known without their images and secrets.
 */
export async function tryTemplate(
  ports: Ports,
  { files, tenant }: Pick<Texts, "files" | "tenant">,
  request: PassRequest,
): Promise<Pick<Examination, "findings" | "made">> {
  const excess = yamlExcess(files);
  if (excess !== undefined) return { findings: [excess] };
  const texts = { files: textsOf(files), tenant, request };
  return await examineSafely(texts, { rules: ruleAddresses(ports) });
}

/** The addresses of the rules that other modules provide. */
export function ruleAddresses(ports: Ports): RuleAddresses {
  const addresses = (urls: readonly URL[]) => urls.map(({ href }) => href);
  return {
    configFiles: addresses(ports.all(configFileAddresses)),
    wallets: addresses(ports.all(walletAddresses)),
  };
}

export const templateCheck: ConfigurationCheck = createTemplateCheck(systemClock);

const NOTHING_TO_READ: Examination = {
  findings: [],
  images: [],
  namesAllImages: true,
  stores: [],
  named: [],
};

/** All YAML files except `tenant.yml`, which has been read before this check. */
function textsOf(files: FileSet): FileSet {
  return new Map([...files].filter(([path]) => isYaml(path) && path !== SETTINGS_FILE));
}

function imageNames({ template, images, slots }: NamedImages): ImageNames {
  return { template, place: ([, slot]) => slots[slot as ImageSlot] ?? images };
}
