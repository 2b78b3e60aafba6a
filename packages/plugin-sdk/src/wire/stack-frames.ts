/** One place in an error's stack. */
export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
}

const frame = /^\s+at (?:(?:async )?(.*?) \()?(?:file:\/\/)?(.*?):(\d+):\d+\)?$/;

/** The places an error's stack names, innermost first. */
export function stackFrames({ stack = "" }: Error): readonly Frame[] {
  return stack.split("\n").flatMap((line) => {
    const match = frame.exec(line);
    if (!match) return [];
    const [, name = "", file = "", number = "0"] = match;
    return [{ file, line: Number(number), function: name === "" ? "anonymous" : name }];
  });
}
