import { AppError } from "./app-error.ts";

export type LabelOperator = "In" | "NotIn" | "Exists" | "DoesNotExist";

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values?: readonly string[];
}

/** Kubernetes' structured label selector. An empty one matches everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export type Labels = Readonly<Record<string, string>>;

/** Whether the labels satisfy every requirement of the selector. */
export function matchesLabels(selector: LabelSelector, labels: Labels = {}): boolean {
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      throw new AppError("InvalidArgument", `${JSON.stringify(operator)} is not a valid label selector operator`);
  }
}

/** The text form that the API server takes: `a=b,c in (d,e),!f`. */
export function formatLabelSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    const set = `(${[...values].sort().join(",")})`;
    return { In: `${key} in ${set}`, NotIn: `${key} notin ${set}`, Exists: key, DoesNotExist: `!${key}` }[operator];
  });
  return [...equal, ...others].join(",");
}

const key = "([A-Za-z0-9][A-Za-z0-9._/-]*)";
const term = new RegExp(
  `^\\s*(?:(!)\\s*${key}|${key}\\s+(in|notin)\\s*\\(([^()]*)\\)|${key}\\s*(==|=|!=)\\s*([A-Za-z0-9._-]*)|${key})\\s*(?:,|$)`,
);

/** Reads a selector's text form. */
export function parseLabelSelector(text: string): LabelSelector {
  const matchExpressions: LabelRequirement[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const match = term.exec(rest);
    if (!match)
      throw new AppError(
        "InvalidArgument",
        `invalid label selector ${JSON.stringify(text)} near ${JSON.stringify(rest)}`,
      );
    const [all, , absent, set, word, list = "", equal, sign, value = "", present] = match;
    if (absent) matchExpressions.push({ key: absent, operator: "DoesNotExist" });
    else if (set) {
      const values = list.split(",").map((item) => item.trim());
      matchExpressions.push({ key: set, operator: word === "in" ? "In" : "NotIn", values });
    } else if (equal) matchExpressions.push({ key: equal, operator: sign === "!=" ? "NotIn" : "In", values: [value] });
    else if (present) matchExpressions.push({ key: present, operator: "Exists" });
    rest = rest.slice(all.length);
  }
  return { matchExpressions };
}
