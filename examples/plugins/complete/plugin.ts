#!/usr/bin/env node
import { tmpdir } from "node:os";
import { join } from "node:path";
import { servePlugins } from "@jibe/plugin-sdk";
import { archiveAction } from "./archive-action.ts";
import { folderStore } from "./folder-store.ts";
import { folderVolumes } from "./folder-volumes.ts";
import { OperationFiles } from "./operation-file.ts";
import { unpackAction } from "./unpack-action.ts";

const stateDir = process.env["EXAMPLE_STATE_DIR"] ?? join(tmpdir(), "example-plugin");
const operations = new OperationFiles(stateDir);

await servePlugins({
  "example.io/archive": archiveAction(operations),
  "example.io/unpack": unpackAction(operations),
  "example.io/folder-volumes": folderVolumes(),
  "example.io/folder-store": folderStore(),
});
