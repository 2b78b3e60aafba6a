import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { tempDir } from "@jibe/testkit";
import { expect, test } from "vitest";
import { readSettings, serverNamespace, settingsPath, writeSettings } from "./settings.ts";

test("the namespace is that of the flag, else of the settings, else of VELERO_NAMESPACE, else velero", async () => {
  await using home = await tempDir("settings");
  const env = { HOME: home.path, VELERO_NAMESPACE: "by-env" };
  expect(await serverNamespace("", { HOME: home.path })).toBe("velero");
  expect(await serverNamespace("", env)).toBe("by-env");
  await writeSettings(env, { namespace: "by-settings" });
  expect(await serverNamespace("", env)).toBe("by-settings");
  expect(await serverNamespace("by-flag", env)).toBe("by-flag");
});

test("settings that cannot be read name their file", async () => {
  await using home = await tempDir("settings");
  const env = { HOME: home.path };
  expect(await readSettings(env)).toEqual({});
  await mkdir(dirname(settingsPath(env)), { recursive: true });
  await writeFile(settingsPath(env), "[]");
  await expect(readSettings(env)).rejects.toThrow(`the settings file ${settingsPath(env)} is not valid`);
});
