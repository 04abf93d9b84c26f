import { isObject } from "#kernel/json.ts";
import { connectorOfIdentifier } from "#src/extensions/names/public.ts";
import {
  defineFinding,
  type FilesAround,
  type Finding,
  type FindingKind,
  type FittingFile,
  readYaml,
} from "#src/files/public.ts";
import { type DataSchema, templatePath } from "#src/templates/language/public.ts";
import { kindOfMember, memberSchema, takesMember } from "./settings.members.ts";
import { type EnrolmentSettings, type FormSettings, personalOf } from "./settings.schema.ts";

const unknownPassType = defineFinding<{ readonly passType: string }>({
  code: "enrolment.unknown-pass-type",
  severity: "error",
  summary: "A form is for passes of a type that has no template.",
  hint: "Use the name of a file in server/passes, without '.yml'.",
  message: ({ passType }) => `There is no template '${passType}'.`,
});

const duplicate = defineFinding<{ readonly what: string }>({
  code: "enrolment.duplicate",
  severity: "error",
  summary: "A form asks for the same thing twice.",
  hint: "Name every member, every consent and each of email, phone, firstName and lastName once.",
  message: ({ what }) => `'${what}' is there twice.`,
});

const memberUnaskable = defineFinding<{ readonly member: string }>({
  code: "enrolment.member-unaskable",
  severity: "error",
  summary: "A form asks for a member that the template does not take from a form.",
  hint: "Ask for texts, numbers, dates, choices and yes or no that the template describes.",
  message: ({ member }) => `A form cannot ask for the member '${member}' of this template.`,
});

const memberMissing = defineFinding<{ readonly member: string }>({
  code: "enrolment.member-missing",
  severity: "error",
  summary: "The template needs a member that the form does not give.",
  hint: "Ask for it in `fields` as required, or set it in `data`.",
  message: ({ member }) => `The template needs '${member}', which the form does not give.`,
});

const identifierMissing = defineFinding<{ readonly name: string }>({
  code: "enrolment.identifier-missing",
  severity: "error",
  summary: "The template needs an identifier that the form does not give.",
  hint: "Give it in `identifiers`, by a field or as a number of random digits.",
  message: ({ name }) => `The template needs the identifier '${name}'.`,
});

const identifierSource = defineFinding<{ readonly name: string }>({
  code: "enrolment.identifier-source",
  severity: "error",
  summary: "An identifier has no source, or two.",
  hint: "Give either `member`, which is one of `fields`, or `digits`.",
  message: ({ name }) => `It is not clear where the identifier '${name}' comes from.`,
});

const IDENTIFIER_NAME = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){1,3}$/;
const identifierName = defineFinding<{ readonly name: string }>({
  code: "enrolment.identifier-name",
  severity: "error",
  summary: "The name of an identifier cannot be used.",
  hint: "Name it <source>.<name>, such as loyalty.number. Names that begin with 'enrolment.' are taken.",
  message: ({ name }) => `'${name}' cannot be the name of an identifier.`,
});

const identifierUnproved = defineFinding<{ readonly name: string; readonly connector: string }>({
  code: "enrolment.identifier-unproved",
  severity: "error",
  summary: "An answer of a form would be an identifier of a connector.",
  hint: "Leave the identifier out, or give it `digits`. Set it by the API when somebody has proved who they are.",
  message: ({ name, connector }) =>
    `'${name}' cannot be an answer: anybody could type in somebody else's, and get what '${connector}' knows of them.`,
});

export const enrolmentFindings: readonly FindingKind[] = [
  unknownPassType,
  duplicate,
  memberUnaskable,
  memberMissing,
  identifierMissing,
  identifierSource,
  identifierName,
  identifierUnproved,
];

export function checkEnrolment(
  file: FittingFile<EnrolmentSettings>,
  around: FilesAround,
): Finding[] {
  return Object.entries(file.value.passTypes).flatMap(([passType, form]) => {
    const at = (...path: (string | number)[]) => file.at(["passTypes", passType, ...path]);
    const path = templatePath(passType);
    const bytes = around.get(path);
    if (bytes === undefined) return [unknownPassType(at(), { passType })];
    const template = readYaml(path, bytes).file?.value;
    // What is wrong with the template itself is told where the template is checked.
    const facts = isObject(template) ? factsOf(template) : undefined;
    return [
      ...duplicates(form, at),
      ...identifierProblems(form, at),
      ...(facts === undefined ? [] : templateProblems(form, facts, at)),
    ];
  });
}

type At = (...path: (string | number)[]) => ReturnType<FittingFile<EnrolmentSettings>["at"]>;

function duplicates({ fields, consents = [] }: FormSettings, at: At): Finding[] {
  const known = new Set<string>();
  const isNew = (what: string) => !known.has(what) && known.add(what);
  const findings: Finding[] = [];
  for (const [index, field] of fields.entries()) {
    const place = at("fields", index);
    const { member } = field;
    const personal = personalOf(field) ?? member;
    if (!isNew(`member ${member}`)) findings.push(duplicate(place, { what: member }));
    else if (!isNew(`as ${personal}`)) findings.push(duplicate(place, { what: personal }));
  }
  for (const [index, { id }] of consents.entries()) {
    if (!isNew(`consent ${id}`)) findings.push(duplicate(at("consents", index), { what: id }));
  }
  return findings;
}

function identifierProblems({ fields, identifiers = {} }: FormSettings, at: At): Finding[] {
  return Object.entries(identifiers).flatMap(([name, { member, digits }]) => {
    const place = at("identifiers", name);
    if (!IDENTIFIER_NAME.test(name) || name.startsWith("enrolment.")) {
      return [identifierName(place, { name })];
    }
    const connector = connectorOfIdentifier(name);
    if (connector !== undefined && member !== undefined) {
      return [identifierUnproved(place, { name, connector })];
    }
    const isAsked = fields.some((field) => field.member === member);
    const isClear = member === undefined ? digits !== undefined : isAsked && digits === undefined;
    return isClear ? [] : [identifierSource(place, { name })];
  });
}

type TemplateFacts = {
  readonly data: DataSchema | undefined;
  readonly requiredIdentifiers: readonly string[];
};

function factsOf({ data, identifiers }: Readonly<Record<string, unknown>>): TemplateFacts {
  const required = isObject(identifiers) ? identifiers.required : undefined;
  return {
    data: isObject(data) ? (data as DataSchema) : undefined,
    requiredIdentifiers: Array.isArray(required) ? required.map(String) : [],
  };
}

function templateProblems(
  { fields, identifiers = {}, data: given = {} }: FormSettings,
  { data, requiredIdentifiers }: TemplateFacts,
  at: At,
): Finding[] {
  const findings: Finding[] = [];
  for (const [index, { member }] of fields.entries()) {
    const kind = kindOfMember(memberSchema(data, member));
    if (kind === undefined || !takesMember(data, member)) {
      findings.push(memberUnaskable(at("fields", index), { member }));
    }
  }
  const asked = new Set(
    fields.flatMap(({ member, required }) => (required === false ? [] : member)),
  );
  const needed = Array.isArray(data?.required) ? data.required : [];
  for (const member of needed) {
    if (asked.has(member) || Object.hasOwn(given, member)) continue;
    findings.push(memberMissing(at("fields"), { member }));
  }
  for (const name of requiredIdentifiers) {
    const source = Object.hasOwn(identifiers, name) ? identifiers[name] : undefined;
    const isSure =
      source !== undefined && (source.member === undefined || asked.has(source.member));
    if (!isSure) findings.push(identifierMissing(at("fields"), { name }));
  }
  return findings;
}
