import { jsonEquals } from "@jibe/base";
import { type KubeObject, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { type FieldError, forbidden, invalid, required } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

/** Keys of config maps and secrets become file names. */
function keyProblems(data: Tree | undefined, field: string): FieldError[] {
  return Object.keys(data ?? {})
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map((key) =>
      invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ),
    );
}

/** Objects marked immutable keep their data and the mark. */
function immutableProblems(object: KubeObject, old: KubeObject | undefined, fields: readonly string[]): FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const text = "field is immutable when `immutable` is set";
  return [
    ...(object["immutable"] === true ? [] : [forbidden("immutable", text)]),
    ...fields.filter((field) => !jsonEquals(object[field], old[field])).map((field) => forbidden(field, text)),
  ];
}

export const configMapStrategy: Strategy = {
  validate: (object, old) => [
    ...keyProblems(treeAt(object, "data"), "data"),
    ...keyProblems(treeAt(object, "binaryData"), "binaryData"),
    ...immutableProblems(object, old, ["data", "binaryData"]),
  ],
};

export const secretStrategy: Strategy = {
  setDefaults: (object) => {
    const text = treeAt(object, "stringData");
    if (text) {
      const encoded = Object.entries(text).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")]);
      object["data"] = { ...treeAt(object, "data"), ...Object.fromEntries(encoded) };
      delete object["stringData"];
    }
    fill(object, { type: "Opaque" });
  },
  validate: (object, old) => [
    ...keyProblems(treeAt(object, "data"), "data"),
    ...(old && old["type"] !== object["type"] ? [invalid("type", object["type"], "field is immutable")] : []),
    ...immutableProblems(object, old, ["data"]),
    ...secretTypeProblems(object),
  ],
  fieldNames: ["type"],
  fields: (object) => ({ type: textAt(object, "type") }),
};

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

const accountName = "kubernetes.io/service-account.name";

function secretTypeProblems(object: KubeObject): FieldError[] {
  if (textAt(object, "type") === "kubernetes.io/service-account-token" && !object.metadata.annotations?.[accountName]) {
    return [required(`metadata.annotations[${accountName}]`)];
  }
  const data = treeAt(object, "data") ?? {};
  return (neededKeys[textAt(object, "type")] ?? [])
    .filter((key) => !(key in data))
    .map((key) => required(`data[${key}]`));
}
