import { createHash } from "node:crypto";

const maxLength = 63;
const keptLength = 57;

/**
 * A name as the value of a label: unchanged up to 63 characters, else its first 57 and six hex digits of its SHA-256.
 * Every lookup by such a label must use the same rule.
 */
export function labelValueFrom(name: string): string {
  if (name.length <= maxLength) return name;
  return (
    name.slice(0, keptLength) +
    createHash("sha256")
      .update(name)
      .digest("hex")
      .slice(0, maxLength - keptLength)
  );
}
