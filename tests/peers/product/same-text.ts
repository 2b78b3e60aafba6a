/**
 * What a command printed, without what differs on purpose: the program's own name in hints, blanks at the ends of lines, and
 * the causes that our descriptions group first.
 */
export function comparable(text: string): string {
  return text
    .replaceAll(/([`'])(velero|jibe) /g, "$1PROGRAM ")
    .replaceAll(/^Top causes of errors:\n(?: +.*\n)*\n/gm, "")
    .replaceAll(/[ \t]+$/gm, "")
    .trimEnd();
}
