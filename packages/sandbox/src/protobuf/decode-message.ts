import { formatGoDuration, parseJson, setOwn } from "@jibe/base";
import { type Tree, timeText } from "../api/kube-object.ts";
import { readTable } from "../registry/read-table.ts";
import { wireFields } from "./wire-reader.ts";

type ProtoField = readonly [number: number, name: string, type: string];

/** Decodes protobuf messages of built-in types into the objects that JSON would have given. */
export class ProtoMessages {
  #table: Record<string, readonly ProtoField[]> | undefined;
  readonly #byNumber = new Map<string, ReadonlyMap<number, ProtoField>>();

  decode(message: string, bytes: Buffer): unknown {
    const special = specialForms[message];
    if (special) return special(bytes);
    const fields = this.#fieldsOf(message);
    const only = fields.size === 1 ? [...fields.values()][0] : undefined;
    // A list that is a type of its own has no name in JSON: it is the list.
    if (only?.[1] === "items" && only[2] === "string[]" && !message.endsWith("List")) {
      return [...wireFields(bytes)].map(({ value }) => value.toString());
    }
    const object: Tree = {};
    for (const { number, value } of wireFields(bytes)) {
      const field = fields.get(number);
      if (field) this.#set(object, field, value);
    }
    return object;
  }

  #set(object: Tree, [, name, type]: ProtoField, value: bigint | Buffer): void {
    if (name === "") Object.assign(object, this.#value(type, value));
    else if (type.endsWith("[]")) {
      const item = this.#value(type.slice(0, -2), value);
      object[name] = [...((object[name] as unknown[] | undefined) ?? []), item];
    } else if (type.startsWith("{}")) {
      const map = (object[name] as Tree | undefined) ?? {};
      object[name] = map;
      const [key, item] = this.#mapEntry(type.slice(2), value);
      setOwn(map, key, item);
    } else object[name] = this.#value(type, value);
  }

  #mapEntry(type: string, value: bigint | Buffer): readonly [string, unknown] {
    let key = "";
    let item: bigint | Buffer = Buffer.alloc(0);
    for (const part of wireFields(value as Buffer)) {
      if (part.number === 1) key = part.value.toString();
      else item = part.value;
    }
    return [key, this.#value(type, item)];
  }

  #value(type: string, value: bigint | Buffer): unknown {
    switch (type) {
      case "string":
        return value.toString();
      case "bool":
        return value !== 0n;
      case "int32":
      case "int64":
      case "uint32":
      case "uint64":
        return integer(value as bigint);
      case "bytes":
        return (value as Buffer).toString("base64");
      case "double":
        return (value as Buffer).readDoubleLE();
      default:
        return this.decode(type, value as Buffer);
    }
  }

  #fieldsOf(message: string): ReadonlyMap<number, ProtoField> {
    let fields = this.#byNumber.get(message);
    if (!fields) {
      this.#table ??= readTable<Record<string, readonly ProtoField[]>>("proto-messages.json");
      fields = new Map((this.#table[message] ?? []).map((field) => [field[0], field]));
      this.#byNumber.set(message, fields);
    }
    return fields;
  }
}

/** Negative numbers fill all 64 bits; what a JavaScript number cannot hold stays text. */
function integer(value: bigint): unknown {
  const signed = BigInt.asIntN(64, value);
  const number = Number(signed);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(signed.toString());
}

const partsOf = (bytes: Buffer) => new Map([...wireFields(bytes)].map(({ number, value }) => [number, value]));
const numberAt = (parts: ReadonlyMap<number, bigint | Buffer>, key: number) =>
  Number(BigInt.asIntN(64, (parts.get(key) as bigint | undefined) ?? 0n));

const rawJson = (bytes: Buffer): unknown => {
  const raw = partsOf(bytes).get(1) as Buffer | undefined;
  return raw === undefined || raw.length === 0 ? null : parseJson(raw.toString());
};

function time(bytes: Buffer): unknown {
  const parts = partsOf(bytes);
  return parts.size === 0 ? null : timeText(new Date(numberAt(parts, 1) * 1000));
}

function microTime(bytes: Buffer): unknown {
  const parts = partsOf(bytes);
  if (parts.size === 0) return null;
  const micros = Math.floor(numberAt(parts, 2) / 1000);
  return `${timeText(new Date(numberAt(parts, 1) * 1000)).slice(0, -1)}.${String(micros).padStart(6, "0")}Z`;
}

function intOrString(bytes: Buffer): unknown {
  const parts = partsOf(bytes);
  return numberAt(parts, 1) === 0 ? numberAt(parts, 2) : (parts.get(3) ?? "").toString();
}

const crd = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const machinery = "io.k8s.apimachinery.pkg";

/** Messages whose JSON is not an object of their fields. */
const specialForms: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  [`${machinery}.apis.meta.v1.Time`]: time,
  [`${machinery}.apis.meta.v1.MicroTime`]: microTime,
  [`${machinery}.apis.meta.v1.Duration`]: (bytes) => formatGoDuration(numberAt(partsOf(bytes), 1) / 1e6),
  [`${machinery}.apis.meta.v1.FieldsV1`]: rawJson,
  [`${machinery}.api.resource.Quantity`]: (bytes) => (partsOf(bytes).get(1) ?? "0").toString(),
  [`${machinery}.util.intstr.IntOrString`]: intOrString,
  [`${machinery}.runtime.RawExtension`]: rawJson,
  [`${crd}.JSON`]: rawJson,
};
