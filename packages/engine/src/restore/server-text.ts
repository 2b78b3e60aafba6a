import { AppError } from "@jibe/base";

/** The API server's own text behind an error, without our context, as users of Velero know it. */
export function serverText(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 10; current = current.cause, depth++) {
    if (!(current instanceof AppError)) continue;
    const { message } = current.fields;
    if (typeof message === "string" && message !== "") return message;
  }
  return undefined;
}

/** The causes that an API server gave with its refusal. */
export function serverCauses(error: unknown): readonly string[] {
  const causes = error instanceof AppError ? error.fields["causes"] : undefined;
  if (!Array.isArray(causes)) return [];
  return causes.map((cause) => String((cause as { readonly message?: unknown } | null)?.message ?? ""));
}
