/** What `npm run bench` was asked for. */
export interface BenchArguments {
  readonly isQuick: boolean;
  /** Compares ratios with the committed baseline. */
  readonly isCheck: boolean;
  /** Takes what was measured as the new baseline. */
  readonly isNewBaseline: boolean;
  /** Measures only what was never measured, or not often enough. */
  readonly isResumed: boolean;
  /** Parts by name or by the beginning of their name; absent: all. Empty: none. */
  readonly only?: readonly string[];
  /** Other numbers of items for comparisons and growth. */
  readonly items?: readonly number[];
  /** Other than three rounds of what is quick enough to be repeated. */
  readonly rounds?: number;
}

const known = /^--(quick|check|baseline|resume|only=[a-z0-9,-]*|items=\d+(,\d+)*|rounds=\d+)$/;

export function parseBenchArguments(args: readonly string[]): BenchArguments {
  const wrong = args.find((arg) => !known.test(arg));
  if (wrong !== undefined)
    throw new Error(
      `unknown argument ${wrong}: there are --quick, --check, --baseline, --resume, --only=, --items=, --rounds=`,
    );
  const valueAfter = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const [only, items, rounds] = [valueAfter("only"), valueAfter("items"), valueAfter("rounds")];
  return {
    isQuick: args.includes("--quick"),
    isCheck: args.includes("--check"),
    isNewBaseline: args.includes("--baseline"),
    isResumed: args.includes("--resume"),
    ...(only === undefined ? {} : { only: only.split(",").filter((part) => part !== "") }),
    ...(items === undefined ? {} : { items: items.split(",").map(Number) }),
    ...(rounds === undefined ? {} : { rounds: Number(rounds) }),
  };
}

/** Whether a part was asked for: `restore` means `restore-1000`, too. */
export function isWanted(part: string, only: readonly string[] | undefined): boolean {
  return !only || only.some((wanted) => part === wanted || part.startsWith(`${wanted}-`));
}
