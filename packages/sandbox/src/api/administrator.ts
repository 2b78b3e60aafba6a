/** Whoever has the sandbox's token. */
export const administrator = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] };
