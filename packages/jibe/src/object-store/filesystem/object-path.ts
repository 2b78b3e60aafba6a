import { AppError } from "@jibe/base";

const pieceBytes = 200;

// A percent sign begins an escape, a leading dot is ours, and no file system takes the others everywhere.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
const odd = /^\.|[%\\:*?"<>|\u0000-\u001f\u007f]/g;

/**
 * The file names under which an object of this key lies, below the store's folder. Plain keys look as they are. An empty part
 * becomes `%`; a part too long for a file name is cut into folders, all but the last ending with `%+`. Neither can come from an
 * escape, so that different keys always have different paths.
 */
export function pathFromKey(key: string): string[] {
  if (!key.isWellFormed()) throw invalid(key, "it is not valid Unicode");
  if (key === "") throw invalid(key, "it is empty");
  return key.split("/").flatMap(namesFromPart);
}

/** The folders in which objects lie whose keys begin with `prefix`, which is empty or ends with `/`. */
export function folderFromPrefix(prefix: string): string[] {
  return prefix === "" ? [] : prefix.slice(0, -1).split("/").flatMap(namesFromPart);
}

function namesFromPart(part: string): string[] {
  return part === "" ? ["%"] : pieces(part.replaceAll(odd, escaped));
}

/** What a file or folder name stands for: a part of the key, or the beginning of a part that goes on one folder below. */
export function partFromName(name: string): { readonly part: string; readonly continues: boolean } {
  if (name === "%") return { part: "", continues: false };
  const continues = name.endsWith("%+");
  const text = continues ? name.slice(0, -2) : name;
  return {
    part: text.replaceAll(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    continues,
  };
}

function escaped(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

function pieces(name: string): string[] {
  const all: string[] = [];
  let piece = "";
  let bytes = 0;
  for (const unit of name.match(/%[0-9A-F]{2}|./gsu) ?? []) {
    const size = Buffer.byteLength(unit);
    if (bytes + size > pieceBytes) {
      all.push(`${piece}%+`);
      piece = "";
      bytes = 0;
    }
    piece += unit;
    bytes += size;
  }
  return [...all, piece];
}

function invalid(key: string, why: string): AppError {
  return new AppError("InvalidArgument", `invalid object key ${JSON.stringify(key)}: ${why}`);
}
