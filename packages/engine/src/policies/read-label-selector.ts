import type { LabelRequirement, LabelSelector } from "@jibe/base";
import { array, fields, invalid, optional, string, stringList, stringMap } from "./read-values.ts";

/** Reads a label selector strictly. One without any requirement is as good as none. */
export function readLabelSelector(value: unknown, where: string): LabelSelector | undefined {
  const given = fields(value, `${where}.labelSelector`, ["matchLabels", "matchExpressions"]);
  const matchLabels = optional(given["matchLabels"], (map) => stringMap(map, `${where}.matchLabels`)) ?? {};
  const list = optional(given["matchExpressions"], (items) => array(items, `${where}.matchExpressions`)) ?? [];
  const matchExpressions = list.map((item) => readRequirement(item, where));
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return undefined;
  return { matchLabels, matchExpressions };
}

function readRequirement(value: unknown, where: string): LabelRequirement {
  const given = fields(value, `${where}.matchExpressions`, ["key", "operator", "values"]);
  const operator = string(given["operator"] ?? "", `${where}.operator`);
  const values = optional(given["values"], (list) => stringList(list, `${where}.values`)) ?? [];
  const refuse = (why: string) => invalid(`${where}: invalid label selector: ${why}`);
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        throw refuse("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        const shown = JSON.stringify(values);
        throw refuse(`values: Invalid value: ${shown}: values set must be empty for exists and does not exist`);
      }
      break;
    default:
      throw refuse(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return { key: string(given["key"] ?? "", `${where}.key`), operator, values };
}
