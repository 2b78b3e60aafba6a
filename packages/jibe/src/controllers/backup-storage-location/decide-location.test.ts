import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { checkDueInMs, layoutProblem, locationProblem, redacted, surplusDefaults } from "./decide-location.ts";

const now = new Date("2026-03-01T12:00:00Z");
type Spec = Partial<BackupStorageLocation["spec"]>;
const location = (
  spec: Spec = {},
  lastValidationTime?: string,
  created = "",
  name = "main",
): BackupStorageLocation => ({
  apiVersion: "velero.io/v1",
  kind: "BackupStorageLocation",
  metadata: { name, creationTimestamp: created },
  spec: { provider: "aws", ...spec },
  status: lastValidationTime ? { lastValidationTime } : {},
});

const due: Record<string, [BackupStorageLocation, number | undefined]> = {
  "at once when it never was": [location(), 0],
  "at once when it never was, though it asks for no checks": [location({ validationFrequency: "0s" }), 0],
  "never again when it asks for none": [location({ validationFrequency: "0s" }, "2026-03-01T11:00:00Z"), undefined],
  "after the server's time": [location({}, "2026-03-01T11:59:30Z"), 30_000],
  "after its own time": [location({ validationFrequency: "10m" }, "2026-03-01T11:59:30Z"), 570_000],
};
for (const [name, [given, want]] of Object.entries(due)) {
  test(`a location is checked ${name}`, () => expect(checkDueInMs(given, 60_000, now)).toBe(want));
}

const problems: Record<string, [Spec, RegExp | undefined]> = {
  "is fine with a bucket": [{ objectStorage: { bucket: "b" } }, undefined],
  "is fine with slashes around the bucket": [{ objectStorage: { bucket: "/b/" } }, undefined],
  "is fine with an ARN": [{ objectStorage: { bucket: "arn:aws:s3:eu-west-1:123:accesspoint/x" } }, undefined],
  "must not have a slash in the bucket": [{ objectStorage: { bucket: "b/c" } }, /must not contain a '\/'/],
  "must not have two certificates": [
    { objectStorage: { bucket: "b", caCert: "x", caCertRef: { name: "n", key: "k" } } },
    /only one of caCert and caCertRef/,
  ],
};
for (const [name, [spec, want]] of Object.entries(problems)) {
  test(`a location ${name}`, () => {
    if (want) expect(locationProblem(location(spec))).toMatch(want);
    else expect(locationProblem(location(spec))).toBeUndefined();
  });
}

test("a store may hold the folders of a backup store and no others", () => {
  expect(layoutProblem(["backups/", "restores/", "kopia/", "plugins/"])).toBeUndefined();
  expect(layoutProblem(["backups/", "photos/", "music/"])).toBe(
    "Backup store contains invalid top-level directories: [photos music]",
  );
});

test("of several defaults the newest stays", () => {
  const made = (name: string, created: string, isDefault = true) =>
    location({ default: isDefault }, undefined, created, name);
  const all = [
    made("old", "2026-01-01T00:00:00Z"),
    made("new", "2026-02-01T00:00:00Z"),
    made("no", "2026-03-01T00:00:00Z", false),
  ];
  expect(surplusDefaults(all).map(({ metadata }) => metadata.name)).toEqual(["old"]);
});

test("signatures are taken out of messages", () => {
  expect(redacted("GET https://h/b?sv=2024&sig=abc%3D&x=1 failed")).toBe("GET https://h/b?sv=***&sig=***&x=1 failed");
});
