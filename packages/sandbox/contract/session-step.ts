/** A command of a session: its arguments and what it reads. */
export interface SessionStep {
  /** As in a shell: parts in single quotes may have blanks in them. */
  readonly args: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const step = (args: string, stdin?: object): SessionStep => ({
  args,
  ...(stdin ? { stdin: JSON.stringify(stdin) } : {}),
});

/** The words of a command line. */
export const wordsOf = (args: string): string[] =>
  (args.match(/(?:[^\s']+|'[^']*')+/g) ?? []).map((word) => word.replaceAll("'", ""));

const replacements: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( \+0000)?Z?/g, "TIME"],
  [/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, "DATE"],
  [/(resourceVersion"?: )"\d+"/g, '$1"RV"'],
  [/\b10\.(96|0|244)\.\d+\.\d+/g, "ADDRESS"],
  [/\b3[0-2]\d{3}\b/g, "PORT"],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, "/tmp/$1"],
  [/\b\d+m?\d*s\b/g, "AGE"],
  [/Context "\w+"/g, "Context NAME"],
  [/127\.0\.0\.1:\d+/g, "SERVER"],
  // Generated names have no vowels.
  [/-[2456789bcdfghjklmnpqrstvwxz]{6,10}\b/g, "-HASH"],
  [/-[2456789bcdfghjklmnpqrstvwxz]{5}\b/g, "-SUFFIX"],
  [/(pod-template-hash[=:] ?)[0-9a-z]+/g, "$1HASH"],
  [/[ \t]+/g, " "],
  // How often one is told to wait is a matter of speed.
  [/^(Waiting for deployment .*|\.*)\n/gm, ""],
  [/ca\.crt:\n----\n(.|\n)*?END CERTIFICATE-----\n/g, "ca.crt\n"],
  // Each cluster has a node of its own, and the sandbox records no events.
  [/\b(node-1|sandbox)\b/g, "NODE"],
  [/^Events:(.|\n)*$/gm, "Events"],
];

/** Replaces what differs from run to run. */
export const normalizeOutput = (text: string): string =>
  replacements.reduce((normal, [pattern, by]) => normal.replace(pattern, by), text);
