import { fakeClock } from "@jibe/testkit";
import { expect, test } from "vitest";
import type { Backup } from "../../api/resources.ts";
import type { Output } from "../output.ts";
import { createRunView } from "./run-view.ts";

const backup = (status: Backup["status"] = {}): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "shop" },
  spec: {},
  status,
});

function plainView() {
  const lines: string[] = [];
  const clock = fakeClock();
  const out: Output = {
    line: (text = "") => lines.push(text),
    text: (text) => lines.push(text),
    note: () => {},
    style: (_, text) => text,
  };
  const view = createRunView("backup", { world: { out, clock, env: {}, argv: [] }, quiet: false });
  return { view, clock, lines };
}

test("in a pipe a run that no server takes is said once, though nothing changes", async () => {
  const { view, clock, lines } = plainView();
  using _view = view;
  view.show(backup());
  await clock.advance(60_000);
  expect(lines).toEqual(["New", expect.stringContaining("No server has taken it yet")]);
});

test("in a pipe a run that a server took gets a line a change, and no hint", async () => {
  const { view, clock, lines } = plainView();
  using _view = view;
  view.show(backup());
  const progress = { totalItems: 4, itemsBackedUp: 2 };
  view.show(backup({ phase: "InProgress", progress }));
  view.show(backup({ phase: "InProgress", progress: { ...progress, itemsBackedUp: 3 } }));
  view.show(backup({ phase: "Completed", progress: { totalItems: 4, itemsBackedUp: 4 } }));
  await clock.advance(60_000);
  expect(lines).toEqual(["New", "InProgress: 2/4 items", "Completed: 4/4 items"]);
});
