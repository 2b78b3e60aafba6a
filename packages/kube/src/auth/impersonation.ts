/** Whom to act as. The server allows it only to those who may impersonate. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The `as…` settings of a kubeconfig's user. */
export function impersonationFrom(user: Readonly<Record<string, unknown>>): Impersonation | undefined {
  const { as, "as-groups": groups, "as-uid": uid, "as-user-extra": extra } = user;
  if (typeof as !== "string" || as === "") return undefined;
  const entries = typeof extra === "object" && extra !== null ? Object.entries(extra) : [];
  return {
    user: as,
    ...(Array.isArray(groups) ? { groups: groups.map(String) } : {}),
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    ...(entries.length > 0
      ? {
          extra: Object.fromEntries(
            entries.map(([key, values]) => [key, Array.isArray(values) ? values.map(String) : []]),
          ),
        }
      : {}),
  };
}

/** The request headers that ask for it. */
export function impersonationHeaders({ user, groups, uid, extra }: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { "impersonate-user": user };
  if (groups && groups.length > 0) headers["impersonate-group"] = [...groups];
  if (uid) headers["impersonate-uid"] = uid;
  for (const [key, values] of Object.entries(extra ?? {})) {
    // the server lower-cases and percent-decodes the key, which may hold what a header name cannot
    headers[`impersonate-extra-${encodeURIComponent(key)}`.toLowerCase()] = [...values];
  }
  return headers;
}
