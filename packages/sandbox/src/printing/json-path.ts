import { parseJson } from "@jibe/base";
import { isJsonObject } from "../schema/json-object.ts";
import { scalarText } from "./scalar-text.ts";

type Step = (values: readonly unknown[]) => readonly unknown[];

const token =
  /^(?:\.\.?|)(?:\[\?\(@\.?((?:[^()[\]=!<>\s]|\\.)*)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^)\s]+)\s*)?\)\]|\[(\*|-?\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]|((?:\\.|[^.[\]\\])+))/;

/**
 * Compiles the part of JSONPath that printer columns use: fields, `['a.b']`, indices, `[*]` and
 * `[?(@.type=="Ready")]`. Undefined when the path is not of that kind.
 */
export function compileJsonPath(path: string): ((value: unknown) => readonly unknown[]) | undefined {
  const steps: Step[] = [];
  let rest = path.trim().replace(/^\$/, "");
  while (rest !== "" && rest !== ".") {
    const match = token.exec(rest);
    if (!match || match[0] === "") return undefined;
    const [all, filterPath, operator, operand, index, single, double, name] = match;
    if (filterPath !== undefined) steps.push(filterStep(filterPath, operator, operand));
    else if (index !== undefined) steps.push(index === "*" ? allStep : indexStep(Number(index)));
    else steps.push(name === "*" ? allStep : fieldStep(unescapeName(single ?? double ?? name ?? "")));
    rest = rest.slice(all.length);
  }
  return (value) => steps.reduce<readonly unknown[]>((values, step) => step(values), [value]);
}

const unescapeName = (name: string) => name.replace(/\\(.)/g, "$1");

const fieldStep =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));

const indexStep =
  (index: number): Step =>
  (values) =>
    values.flatMap((value) => (Array.isArray(value) && value.at(index) !== undefined ? [value.at(index)] : []));

const allStep: Step = (values) =>
  values.flatMap((value): unknown[] => {
    if (Array.isArray(value)) return value;
    return isJsonObject(value) ? Object.values(value) : [];
  });

function filterStep(path: string, operator: string | undefined, operand: string | undefined): Step {
  const find = compileJsonPath(path === "" ? "" : `.${path}`) ?? (() => []);
  const wanted = operand === undefined ? undefined : literal(operand);
  return (values) =>
    values.flatMap((value) => {
      const items = Array.isArray(value) ? value : [];
      return items.filter((item) => {
        const [found] = find(item);
        if (found === undefined) return false;
        return operator === undefined || compare(found, operator, wanted);
      });
    });
}

function literal(text: string): unknown {
  if (/^['"]/.test(text)) return unescapeName(text.slice(1, -1));
  try {
    return parseJson(text);
  } catch {
    return text; // a bare word
  }
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  if (operator === "==") return scalarText(left) === scalarText(right);
  if (operator === "!=") return scalarText(left) !== scalarText(right);
  const order = Number(scalarText(left)) - Number(scalarText(right));
  if (operator === "<") return order < 0;
  if (operator === ">") return order > 0;
  return operator === "<=" ? order <= 0 : order >= 0;
}
