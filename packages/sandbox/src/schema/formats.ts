import { isIPv4, isIPv6 } from "node:net";

const name = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const uuid = (third: string, fourth: string) =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}[0-9a-f]{3}-?${fourth}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

const isIsbn10 = (text: string) => {
  const digits = text.replace(/[\s-]/g, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return (
    [...digits].reduce((sum, digit, index) => sum + (10 - index) * (digit === "X" ? 10 : Number(digit)), 0) % 11 === 0
  );
};

const isIsbn13 = (text: string) => {
  const digits = text.replace(/[\s-]/g, "");
  return /^\d{13}$/.test(digits) && [...digits].reduce((sum, d, i) => sum + Number(d) * (i % 2 ? 3 : 1), 0) % 10 === 0;
};

const isCidr = (text: string) => {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return isIPv4(address) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128;
};

const isDate = (text: string) => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

const dateTime = /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const isDateTime = (text: string) => isDate(dateTime.exec(text)?.[1] ?? "");

const isUri = (text: string) => {
  if (text.startsWith("/")) return !/[\s\p{Cc}]/u.test(text);
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text);
};

/** The string formats that custom resource schemas may use; others are ignored. Dashes in a format's name do not count. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  uri: isUri,
  email: matches(/^(?:[^<>@\s]+|[^<>@]*<[^<>@\s]+)@[^<>@\s]+>?$/),
  hostname: (text) =>
    text.length < 254 && matches(/^[a-z0-9](?:[-a-z0-9]{0,62})?(?:\.[a-z0-9][-a-z0-9]{0,62})*\.?$/i)(text),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matches(/^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$|^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$/i),
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(uuid("3", "[0-9a-f]")),
  uuid4: matches(uuid("4", "[89ab]")),
  uuid5: matches(uuid("5", "[89ab]")),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: (text) =>
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13})$/.test(text.replace(/\D/g, "")),
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i),
  rgbcolor: matches(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/),
  password: () => true,
  date: isDate,
  duration: matches(
    /^[+-]?(?:(?:\d+\.?\d*|\.\d+)\s*(?:ns|us|µs|ms|s|m|h|d|w|nanoseconds?|microseconds?|milliseconds?|seconds?|minutes?|hours?|days?|weeks?)\s*)+$/,
  ),
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && new RegExp(`^${name}$`).test(text),
  k8slongname: (text) => text.length <= 253 && new RegExp(`^${name}(?:\\.${name})*$`).test(text),
};

/** Whether a text has a format; undefined when the format is not one that is checked. */
export function hasFormat(format: string, text: string): boolean | undefined {
  const key = format.replaceAll("-", "");
  return Object.hasOwn(formats, key) ? formats[key]?.(text) : undefined;
}

/** Whether a format is one that is checked. */
export const isKnownFormat = (format: string): boolean => Object.hasOwn(formats, format.replaceAll("-", ""));
