import { defineConfigFiles, defineFinding } from "#src/files/public.ts";
import { connectorFile } from "../kit/connector-file.ts";
import { botCheckMembers, settingsProblems } from "./bot-check.settings.ts";

const botCheckMember = defineFinding<{ readonly member: string; readonly problem: string }>({
  code: "connector.bot-check-member",
  severity: "error",
  summary: "A setting of the bot check does not go with its provider.",
  hint: "Remove it, or choose another provider.",
  message: ({ member, problem }) => `The setting '${member}' ${problem}.`,
});

export const botCheckFile = connectorFile({
  name: "bot-check",
  members: botCheckMembers,
  about:
    "Who tells people from programs before a form is taken. [Bot check](enrolment.md#bot-check) tells of its members.",
  example: "provider: turnstile\nsiteKey: 0x4AAAAAAADnPIDROrmt1Wwj\naction: enrol\n",
  findings: [botCheckMember],
  check: ({ value, at }) =>
    Object.entries(settingsProblems(value)).flatMap(([member, problems]) =>
      problems.map((problem) => botCheckMember(at([member]), { member, problem })),
    ),
});

export const configFiles = defineConfigFiles([botCheckFile.file]);
