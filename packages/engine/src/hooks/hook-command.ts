/** A command as an annotation has it: a JSON list of words, or one word; what looks like a list and is none is one word, too. */
export function hookCommandFrom(text: string): string[] {
  if (!text.startsWith("[")) return [text];
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  } catch {
    // no JSON: meant as it stands, as Velero takes it
  }
  return [text];
}
