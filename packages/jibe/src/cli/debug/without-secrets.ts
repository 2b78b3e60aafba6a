const secretName = /passw|secret|token|credential|access.?key|private.?key|signature|^sig$/i;
/** Tells where a secret is, not what it is. */
const reference = /(Name|File|Ref)$/;
const signedUrl = /([?&](?:[^=&\s"]*(?:sig|signature|credential|token|key)[^=&\s"]*)=)[^&\s"]+/gi;

/**
 * A copy of an object that can be shown to others: values of environment variables and settings whose name tells that they are secret, and
 * signatures in addresses, are replaced. Names stay, since they help.
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return value.replace(signedUrl, "$1***");
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  const named = value as { readonly name?: unknown; readonly value?: unknown };
  if (typeof named.name === "string" && typeof named.value === "string" && secretName.test(named.name)) {
    return { ...value, value: "***" };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "managedFields" && key !== "kubectl.kubernetes.io/last-applied-configuration")
      .map(([key, inner]) => [
        key,
        typeof inner === "string" && secretName.test(key) && !reference.test(key) ? "***" : withoutSecrets(inner),
      ]),
  );
}
