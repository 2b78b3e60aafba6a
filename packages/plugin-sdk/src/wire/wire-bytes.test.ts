import {
  create,
  type DescMessage,
  type DescService,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { methodPath } from "@jibe/go-plugin";
import { describe, expect, test } from "vitest";
import * as backupV1 from "../gen/generated/backup_item_action_pb.ts";
import * as deletion from "../gen/generated/delete_item_action_pb.ts";
import * as store from "../gen/generated/object_store_pb.ts";
import * as lister from "../gen/generated/plugin_lister_pb.ts";
import * as restoreV1 from "../gen/generated/restore_item_action_pb.ts";
import * as shared from "../gen/generated/shared_pb.ts";
import * as volumesV1 from "../gen/generated/volume_snapshotter_pb.ts";
import * as block from "../gen/v1/item_block_action_pb.ts";
import * as backupV2 from "../gen/v2/backup_item_action_pb.ts";
import * as restoreV2 from "../gen/v2/restore_item_action_pb.ts";
import * as volumesV2 from "../gen/v2/volume_snapshotter_pb.ts";
import { durationFromMs } from "./duration-message.ts";
import { progressAsMessage, progressFromMessage } from "./progress-message.ts";

const text = (value: string) => new TextEncoder().encode(value);

/** A message and its bytes. The hex is written by hand from the field tables: tag, length, value, one field a group. */
interface Fixture<D extends DescMessage = DescMessage> {
  readonly schema: D;
  readonly message: MessageInitShape<D>;
  readonly hex: string;
}

function fixture<D extends DescMessage>(schema: D, message: MessageInitShape<D>, hex: string): Fixture {
  return { schema, message, hex } as unknown as Fixture;
}

/** Messages of the same fields and numbers, each under its whole name. */
function alike(
  schemas: readonly DescMessage[],
  message: Record<string, unknown>,
  hex: string,
): Record<string, Fixture> {
  return Object.fromEntries(schemas.map((schema) => [schema.typeName, fixture(schema, message, hex)]));
}

const identifier = { group: "g", resource: "r", namespace: "n", name: "m" };
const identifierHex = "0a0167 120172 1a016e 22016d";
const selector = {
  includedNamespaces: ["a"],
  excludedNamespaces: ["b"],
  includedResources: ["c"],
  excludedResources: ["d"],
  selector: "e",
};
const selectorHex = "0a0161 120162 1a0163 220164 2a0165";

const fixtures: Record<string, Fixture> = {
  ResourceIdentifier: fixture(shared.ResourceIdentifierSchema, identifier, identifierHex),
  ResourceSelector: fixture(shared.ResourceSelectorSchema, selector, selectorHex),
  OperationProgress: fixture(
    shared.OperationProgressSchema,
    progressAsMessage({
      completed: true,
      error: "e",
      nCompleted: 3,
      nTotal: 300,
      operationUnits: "u",
      description: "d",
      started: new Date(1_700_000_000_123),
    }),
    "0801 120165 1803 20ac02 2a0175 320164 3a0b 0880e2cfaa06 10c0a9d33a 420b 088092b8c398feffffff01",
  ),
  Empty: fixture(shared.EmptySchema, {}, ""),
  StackFrame: fixture(shared.StackFrameSchema, { file: "f", line: 7, function: "g" }, "0a0166 1007 1a0167"),
  Stack: fixture(shared.StackSchema, { frames: [{ file: "f", line: 7, function: "g" }] }, "0a08 0a0166 1007 1a0167"),
  PluginIdentifier: fixture(
    lister.PluginIdentifierSchema,
    { command: "c", kind: "k", name: "n" },
    "0a0163 12016b 1a016e",
  ),
  ListPluginsResponse: fixture(lister.ListPluginsResponseSchema, { plugins: [{ name: "n" }] }, "0a03 1a016e"),
  "ExecuteRequest of BackupItemAction": fixture(
    backupV1.ExecuteRequestSchema,
    { plugin: "p", item: text("i"), backup: text("b") },
    "0a0170 120169 1a0162",
  ),
  "ExecuteResponse of BackupItemAction": fixture(
    backupV1.ExecuteResponseSchema,
    { item: text("i"), additionalItems: [identifier] },
    `0a0169 120c ${identifierHex}`,
  ),
  ...alike(
    [
      backupV1.BackupItemActionAppliesToRequestSchema,
      backupV2.BackupItemActionAppliesToRequestSchema,
      restoreV1.RestoreItemActionAppliesToRequestSchema,
      restoreV2.RestoreItemActionAppliesToRequestSchema,
      deletion.DeleteItemActionAppliesToRequestSchema,
      block.ItemBlockActionAppliesToRequestSchema,
    ],
    { plugin: "p" },
    "0a0170",
  ),
  ...alike(
    [
      backupV1.BackupItemActionAppliesToResponseSchema,
      backupV2.BackupItemActionAppliesToResponseSchema,
      restoreV1.RestoreItemActionAppliesToResponseSchema,
      restoreV2.RestoreItemActionAppliesToResponseSchema,
      deletion.DeleteItemActionAppliesToResponseSchema,
      block.ItemBlockActionAppliesToResponseSchema,
    ],
    { ResourceSelector: selector },
    `0a0f ${selectorHex}`,
  ),
  "ExecuteRequest of BackupItemAction v2": fixture(
    backupV2.ExecuteRequestSchema,
    { plugin: "p", item: text("i"), backup: text("b") },
    "0a0170 120169 1a0162",
  ),
  "ExecuteResponse of BackupItemAction v2": fixture(
    backupV2.ExecuteResponseSchema,
    { item: text("i"), additionalItems: [identifier], operationID: "o", postOperationItems: [identifier] },
    `0a0169 120c ${identifierHex} 1a016f 220c ${identifierHex}`,
  ),
  "ProgressRequest of BackupItemAction v2": fixture(
    backupV2.BackupItemActionProgressRequestSchema,
    { plugin: "p", operationID: "o", backup: text("b") },
    "0a0170 12016f 1a0162",
  ),
  "ProgressResponse of BackupItemAction v2": fixture(
    backupV2.BackupItemActionProgressResponseSchema,
    { progress: { completed: true } },
    "0a02 0801",
  ),
  "CancelRequest of BackupItemAction v2": fixture(
    backupV2.BackupItemActionCancelRequestSchema,
    { plugin: "p", operationID: "o", backup: text("b") },
    "0a0170 12016f 1a0162",
  ),
  ...alike(
    [restoreV1.RestoreItemActionExecuteRequestSchema, restoreV2.RestoreItemActionExecuteRequestSchema],
    { plugin: "p", item: text("i"), restore: text("r"), itemFromBackup: text("f") },
    "0a0170 120169 1a0172 220166",
  ),
  "ExecuteResponse of RestoreItemAction": fixture(
    restoreV1.RestoreItemActionExecuteResponseSchema,
    { item: text("i"), additionalItems: [identifier], skipRestore: true },
    `0a0169 120c ${identifierHex} 1801`,
  ),
  "ExecuteResponse of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionExecuteResponseSchema,
    {
      item: text("i"),
      additionalItems: [identifier],
      skipRestore: true,
      operationID: "o",
      waitForAdditionalItems: true,
      additionalItemsReadyTimeout: durationFromMs(90_500),
    },
    `0a0169 120c ${identifierHex} 1801 22016f 2801 3208 085a 1080cab5ee01`,
  ),
  "ItemsReadyRequest of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionItemsReadyRequestSchema,
    { plugin: "p", restore: text("r"), additionalItems: [identifier] },
    `0a0170 120172 1a0c ${identifierHex}`,
  ),
  "ItemsReadyResponse of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionItemsReadyResponseSchema,
    { ready: true },
    "0801",
  ),
  "ProgressRequest of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionProgressRequestSchema,
    { plugin: "p", operationID: "o", restore: text("r") },
    "0a0170 12016f 1a0172",
  ),
  "ProgressResponse of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionProgressResponseSchema,
    { progress: { completed: true } },
    "0a02 0801",
  ),
  "CancelRequest of RestoreItemAction v2": fixture(
    restoreV2.RestoreItemActionCancelRequestSchema,
    { plugin: "p", operationID: "o", restore: text("r") },
    "0a0170 12016f 1a0172",
  ),
  "ExecuteRequest of DeleteItemAction": fixture(
    deletion.DeleteItemActionExecuteRequestSchema,
    { plugin: "p", item: text("i"), backup: text("b") },
    "0a0170 120169 1a0162",
  ),
  "GetRelatedItemsRequest of ItemBlockAction": fixture(
    block.ItemBlockActionGetRelatedItemsRequestSchema,
    { plugin: "p", item: text("i"), backup: text("b") },
    "0a0170 120169 1a0162",
  ),
  "GetRelatedItemsResponse of ItemBlockAction": fixture(
    block.ItemBlockActionGetRelatedItemsResponseSchema,
    { relatedItems: [identifier] },
    `0a0c ${identifierHex}`,
  ),
  ...alike(
    [store.ObjectStoreInitRequestSchema, volumesV1.VolumeSnapshotterInitRequestSchema],
    { plugin: "p", config: { k: "v" } },
    "0a0170 1206 0a016b 120176",
  ),
  PutObjectRequest: fixture(
    store.PutObjectRequestSchema,
    { plugin: "p", bucket: "b", key: "k", body: text("x") },
    "0a0170 120162 1a016b 220178",
  ),
  ...alike(
    [store.ObjectExistsRequestSchema, store.GetObjectRequestSchema, store.DeleteObjectRequestSchema],
    { plugin: "p", bucket: "b", key: "k" },
    "0a0170 120162 1a016b",
  ),
  ObjectExistsResponse: fixture(store.ObjectExistsResponseSchema, { exists: true }, "0801"),
  ListCommonPrefixesRequest: fixture(
    store.ListCommonPrefixesRequestSchema,
    { plugin: "p", bucket: "b", delimiter: "/", prefix: "x" },
    "0a0170 120162 1a012f 220178",
  ),
  ListCommonPrefixesResponse: fixture(
    store.ListCommonPrefixesResponseSchema,
    { prefixes: ["a/", "b/"] },
    "0a02612f 0a02622f",
  ),
  ListObjectsRequest: fixture(
    store.ListObjectsRequestSchema,
    { plugin: "p", bucket: "b", prefix: "x" },
    "0a0170 120162 1a0178",
  ),
  ListObjectsResponse: fixture(store.ListObjectsResponseSchema, { keys: ["a", "b"] }, "0a0161 0a0162"),
  "Bytes of GetObject": fixture(store.BytesSchema, { data: text("x") }, "0a0178"),
  CreateSignedURLRequest: fixture(
    store.CreateSignedURLRequestSchema,
    { plugin: "p", bucket: "b", key: "k", ttl: 600_000_000_000n },
    "0a0170 120162 1a016b 2080e0a596bb11",
  ),
  CreateSignedURLResponse: fixture(store.CreateSignedURLResponseSchema, { url: "u" }, "0a0175"),
  CreateVolumeRequest: fixture(
    volumesV1.CreateVolumeRequestSchema,
    { plugin: "p", snapshotID: "s", volumeType: "t", volumeAZ: "z", iops: 300n },
    "0a0170 120173 1a0174 22017a 28ac02",
  ),
  ...alike([volumesV1.CreateVolumeResponseSchema, volumesV1.GetVolumeIDResponseSchema], { volumeID: "v" }, "0a0176"),
  GetVolumeInfoRequest: fixture(
    volumesV1.GetVolumeInfoRequestSchema,
    { plugin: "p", volumeID: "v", volumeAZ: "z" },
    "0a0170 120176 1a017a",
  ),
  GetVolumeInfoResponse: fixture(
    volumesV1.GetVolumeInfoResponseSchema,
    { volumeType: "t", iops: 300n },
    "0a0174 10ac02",
  ),
  CreateSnapshotRequest: fixture(
    volumesV1.CreateSnapshotRequestSchema,
    { plugin: "p", volumeID: "v", volumeAZ: "z", tags: { a: "b" } },
    "0a0170 120176 1a017a 2206 0a0161 120162",
  ),
  CreateSnapshotResponse: fixture(volumesV1.CreateSnapshotResponseSchema, { snapshotID: "s" }, "0a0173"),
  DeleteSnapshotRequest: fixture(
    volumesV1.DeleteSnapshotRequestSchema,
    { plugin: "p", snapshotID: "s" },
    "0a0170 120173",
  ),
  GetVolumeIDRequest: fixture(
    volumesV1.GetVolumeIDRequestSchema,
    { plugin: "p", persistentVolume: text("o") },
    "0a0170 12016f",
  ),
  SetVolumeIDRequest: fixture(
    volumesV1.SetVolumeIDRequestSchema,
    { plugin: "p", persistentVolume: text("o"), volumeID: "v" },
    "0a0170 12016f 1a0176",
  ),
  SetVolumeIDResponse: fixture(volumesV1.SetVolumeIDResponseSchema, { persistentVolume: text("o") }, "0a016f"),
  "ProgressRequest of VolumeSnapshotter v2": fixture(
    volumesV2.VolumeSnapshotterProgressRequestSchema,
    { plugin: "p", snapshotID: "s" },
    "0a0170 120173",
  ),
  "ProgressResponse of VolumeSnapshotter v2": fixture(
    volumesV2.VolumeSnapshotterProgressResponseSchema,
    { progress: { nTotal: 300n } },
    "0a03 20ac02",
  ),
  "CancelRequest of VolumeSnapshotter v2": fixture(
    volumesV2.VolumeSnapshotterCancelRequestSchema,
    { plugin: "p", operationID: "s" },
    "0a0170 120173",
  ),
};

const files = [
  shared.file_generated_shared,
  lister.file_generated_plugin_lister,
  store.file_generated_object_store,
  volumesV1.file_generated_volume_snapshotter,
  backupV1.file_generated_backup_item_action,
  restoreV1.file_generated_restore_item_action,
  deletion.file_generated_delete_item_action,
  block.file_v1_item_block_action,
  backupV2.file_v2_backup_item_action,
  restoreV2.file_v2_restore_item_action,
  volumesV2.file_v2_volume_snapshotter,
];

describe("messages on the wire", () => {
  test("are all checked against bytes, with every field of theirs", () => {
    const checked = Object.values(fixtures).map(({ schema, message }) => {
      const missing = schema.fields.filter(({ localName }) => !(localName in message)).map(({ name }) => name);
      return missing.length === 0 ? schema.typeName : `${schema.typeName} without ${missing.join(", ")}`;
    });
    const all = files.flatMap(({ messages }) => messages.map(({ typeName }) => typeName));
    expect(checked.toSorted()).toEqual(all.toSorted());
  });

  for (const [name, { schema, message, hex }] of Object.entries(fixtures)) {
    const bytes = Uint8Array.fromHex(hex.replaceAll(" ", ""));
    test(`${name} is written as the field table says`, () => {
      expect(toBinary(schema, create(schema, message)).toHex()).toBe(bytes.toHex());
    });
    test(`${name} is read as the field table says`, () => {
      expect(fromBinary(schema, bytes)).toEqual(create(schema, message));
    });
  }
});

const methods: Record<string, DescService> = {
  "generated.PluginLister: ListPlugins": lister.PluginLister,
  "generated.ObjectStore: Init PutObject< ObjectExists GetObject> ListCommonPrefixes ListObjects DeleteObject CreateSignedURL":
    store.ObjectStore,
  "generated.VolumeSnapshotter: Init CreateVolumeFromSnapshot GetVolumeInfo CreateSnapshot DeleteSnapshot GetVolumeID SetVolumeID":
    volumesV1.VolumeSnapshotter,
  "v2.VolumeSnapshotter: Init CreateVolumeFromSnapshot GetVolumeInfo CreateSnapshot DeleteSnapshot GetVolumeID SetVolumeID Progress Cancel":
    volumesV2.VolumeSnapshotter,
  "generated.BackupItemAction: AppliesTo Execute": backupV1.BackupItemAction,
  "v2.BackupItemAction: AppliesTo Execute Progress Cancel": backupV2.BackupItemAction,
  "generated.RestoreItemAction: AppliesTo Execute": restoreV1.RestoreItemAction,
  "v2.RestoreItemAction: AppliesTo Execute Progress Cancel AreAdditionalItemsReady": restoreV2.RestoreItemAction,
  "generated.DeleteItemAction: AppliesTo Execute": deletion.DeleteItemAction,
  "v1.ItemBlockAction: AppliesTo GetRelatedItems": block.ItemBlockAction,
};

describe("services on the wire", () => {
  for (const [line, service] of Object.entries(methods)) {
    const [typeName, names = ""] = line.split(": ");
    test(`${typeName} has its methods`, () => {
      const streams = { unary: "", client_streaming: "<", server_streaming: ">", bidi_streaming: "<>" };
      const found = service.methods.map((method) => `${methodPath(method)}${streams[method.methodKind]}`);
      expect(found).toEqual(names.split(" ").map((name) => `/${typeName}/${name}`));
    });
  }
});

describe("a progress that was not set", () => {
  test("is read as not known, in each way plugins say it", () => {
    const { OperationProgressSchema: schema } = shared;
    const said = [undefined, { seconds: 0n, nanos: 0 }, { seconds: -62135596800n, nanos: 0 }];
    for (const started of said) {
      const message = create(schema, { completed: false, ...(started && { started }) });
      expect(progressFromMessage(message).started).toBeUndefined();
    }
    expect(progressFromMessage(undefined)).toEqual({ completed: false });
  });
});
