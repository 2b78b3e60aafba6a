import packageJson from "../../../package.json" with { type: "json" };

/** The version of this build. */
export const clientVersion = `v${packageJson.version}`;
