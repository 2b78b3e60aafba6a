import { AppError, messageOf } from "@jibe/base";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

export function fields(value: unknown, where: string, known: readonly string[]): Record<string, unknown> {
  const object = objectOf(value, where);
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unreadable(`${where}: field ${unknown} not found`);
  return object;
}

export function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (!isObject(value)) throw unreadable(`${where} must be a map`);
  return value;
}

export function array(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unreadable(`${where} must be a list`);
  return value;
}

export function string(value: unknown, where: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value); // YAML reads 10 as a number where a text is meant
  throw unreadable(`${where} must be a string`);
}

export function stringList(value: unknown, where: string): string[] {
  return array(value, where).map((item, index) => string(item, `${where}[${index}]`));
}

export function stringMap(value: unknown, where: string): Record<string, string> {
  const entries = Object.entries(objectOf(value, where));
  return Object.fromEntries(entries.map(([key, item]) => [key, string(item, `${where}.${key}`)]));
}

export function stringFields<Key extends string>(
  value: unknown,
  where: string,
  keys: readonly Key[],
): Partial<Record<Key, string>> {
  const object = fields(value, where, keys);
  return stringMap(object, where) as Partial<Record<Key, string>>;
}

/** The document has the right shape and says something impossible. */
export function invalid(message: string): AppError {
  return new AppError("InvalidArgument", message);
}

/** The document cannot even be read; Velero tells this apart. */
export function unreadable(message: string): AppError {
  return new AppError("InvalidArgument", message, { fields: { isUnreadable: true } });
}

/** What Velero says of a ConfigMap whose policies could not be taken. */
export function refusalOf(configMap: string, error: unknown): string {
  const isUnreadable = error instanceof AppError && error.fields["isUnreadable"] === true;
  const what = isUnreadable ? "read the ResourcePolicies from" : "validate ResourcePolicies in";
  return `fail to ${what} ConfigMap ${configMap}: ${messageOf(error)}`;
}
