import { AppError } from "@jibe/base";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { readSettings, writeSettings } from "../settings.ts";

export const clientConfigGet = command({
  usage: "client config get [KEY…]",
  summary: "Show the client's settings",
  flags: {},
  async run({ args }, { out, env }) {
    const settings = await readSettings(env);
    const keys = args.length > 0 ? args : Object.keys(settings).sort();
    for (const key of keys) out.line(`${key}: ${settings[key] ?? "<NOT SET>"}`);
    return exitCode.ok;
  },
});

export const clientConfigSet = command({
  usage: "client config set KEY=VALUE…",
  summary: "Change the client's settings; an empty value removes one",
  flags: {},
  async run({ args }, { env }) {
    if (args.length === 0) throw new AppError("InvalidArgument", "say what to set: jibe client config set KEY=VALUE");
    const settings: Record<string, string | undefined> = { ...(await readSettings(env)) };
    for (const pair of args) {
      const at = pair.indexOf("=");
      if (at <= 0) throw new AppError("InvalidArgument", `${JSON.stringify(pair)} must look like KEY=VALUE`);
      settings[pair.slice(0, at)] = pair.slice(at + 1);
    }
    await writeSettings(env, Object.fromEntries(Object.entries(settings).filter(([, value]) => value)));
    return exitCode.ok;
  },
});
