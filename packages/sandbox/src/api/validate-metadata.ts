import {
  forbidden as forbiddenValue,
  invalid as invalidValue,
  required as requiredValue,
  tooLong as tooLongValue,
} from "../schema/field-error.ts";
import type { FieldProblem } from "./api-error.ts";
import type { KubeObject } from "./kube-object.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = new RegExp(`^${label}(\\.${label})*$`);
const dnsLabel = new RegExp(`^${label}$`);
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const tooLong = (max: number) => `must be no more than ${max} bytes`;
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualifiedNameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** A prefix may end in a dash, since something follows it. */
const whole = (name: string, isPrefix: boolean) => (isPrefix && name.endsWith("-") ? `${name.slice(0, -1)}a` : name);

const tooManyCharacters = (max: number) => `must be no more than ${max} characters`;

export function subdomainProblems(name: string, isPrefix = false): string[] {
  return [
    ...(name.length > 253 ? [tooManyCharacters(253)] : []),
    ...(subdomain.test(whole(name, isPrefix)) ? [] : [subdomainText]),
  ];
}

export function labelProblems(name: string, isPrefix = false): string[] {
  const length = name.length > 63 ? [tooManyCharacters(63)] : [];
  if (dnsLabel.test(whole(name, isPrefix))) return length;
  return [...length, name.includes(".") ? "must not contain dots" : labelText];
}

/** Names that only have to fit into a path, such as those of roles. */
export function pathSegmentProblems(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((bad) => name.includes(bad)).map((bad) => `may not contain '${bad}'`);
}

export function qualifiedNameProblems(key: string, what = "qualified name"): string[] {
  const parts = key.split("/");
  const problems: string[] = [];
  if (parts.length > 2) {
    return [
      `a ${what} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, name = ""] = parts.length === 2 ? parts : [undefined, key];
  if (prefix === "") problems.push("prefix part must be non-empty");
  else if (prefix !== undefined) problems.push(...subdomainProblems(prefix).map((text) => `prefix part ${text}`));
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push(`name part ${tooLong(63)}`);
  if (!qualifiedPart.test(name)) problems.push(qualifiedNameText);
  return problems;
}

export function labelsProblems(labels: Readonly<Record<string, string>> = {}, field: string): FieldProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key, "valid label key").map((text) => invalidValue(field, key, text)),
    ...labelValueProblems(value).map((text) => invalidValue(field, value, text)),
  ]);
}

export function labelValueProblems(value: string): string[] {
  return [...(value.length > 63 ? [tooLong(63)] : []), ...(labelValue.test(value) ? [] : [labelValueText])];
}

const annotationLimit = 256 * 1024;

function annotationsProblems(annotations: Readonly<Record<string, string>> = {}, field: string): FieldProblem[] {
  let size = 0;
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    problems.push(...qualifiedNameProblems(key.toLowerCase()).map((text) => invalidValue(field, key, text)));
    size += key.length + value.length;
  }
  if (size > annotationLimit) {
    problems.push(tooLongValue(field, annotationLimit));
  }
  return problems;
}

/** What is wrong with the metadata of any object. */
export function metadataProblems(
  { metadata }: KubeObject,
  {
    namespaced,
    nameProblems,
  }: { readonly namespaced: boolean; readonly nameProblems: (name: string, isPrefix: boolean) => string[] },
): FieldProblem[] {
  const { name = "", generateName = "", namespace = "" } = metadata;
  const problems: FieldProblem[] = [];
  if (generateName !== "") {
    problems.push(
      ...nameProblems(generateName, true).map((text) => invalidValue("metadata.generateName", generateName, text)),
    );
  }
  if (name === "") problems.push(requiredValue("metadata.name", "name or generateName is required"));
  else problems.push(...nameProblems(name, false).map((text) => invalidValue("metadata.name", name, text)));
  if (namespaced && namespace === "") problems.push(requiredValue("metadata.namespace"));
  else if (namespaced) {
    problems.push(...labelProblems(namespace).map((text) => invalidValue("metadata.namespace", namespace, text)));
  } else if (namespace !== "") problems.push(forbiddenValue("metadata.namespace", "not allowed on this type"));
  return [
    ...problems,
    ...labelsProblems(metadata.labels, "metadata.labels"),
    ...annotationsProblems(metadata.annotations, "metadata.annotations"),
    ...ownerProblems(metadata.ownerReferences ?? []),
    ...finalizerProblems(metadata.finalizers ?? []),
  ];
}

function ownerProblems(
  owners: readonly { apiVersion?: string; kind?: string; name?: string; uid?: string; controller?: boolean }[],
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const owner of owners) {
    const field = "metadata.ownerReferences";
    if (!owner.apiVersion) problems.push(invalidValue(`${field}.apiVersion`, "", "version must not be empty"));
    if (!owner.kind) problems.push(invalidValue(`${field}.kind`, "", "must not be empty"));
    if (!owner.name) problems.push(invalidValue(`${field}.name`, "", "must not be empty"));
    if (!owner.uid) problems.push(invalidValue(`${field}.uid`, "", "must not be empty"));
  }
  const controllers = owners.filter(({ controller }) => controller === true);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    problems.push(
      invalidValue(
        "metadata.ownerReferences",
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`,
      ),
    );
  }
  return problems;
}

const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function finalizerProblems(finalizers: readonly string[]): FieldProblem[] {
  return finalizers.flatMap((finalizer, index) => {
    const malformed = qualifiedNameProblems(finalizer).map((text) =>
      invalidValue("metadata.finalizers", finalizer, text),
    );
    if (malformed.length > 0 || finalizer.includes("/") || standardFinalizers.has(finalizer)) return malformed;
    const text = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalidValue(`metadata.finalizers[${index}]`, finalizer, text)];
  });
}
