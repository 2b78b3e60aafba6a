import type { Scope } from "@jibe/base";
import type { RunResults } from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Restore } from "../../api/resources.ts";
import type { RestoreStory } from "../describe/restore.ts";
import { type DescribeContext, describeCommand } from "../resource/describe-command.ts";

const withoutFiles: ReadonlySet<string | undefined> = new Set([undefined, "New", "FailedValidation", "InProgress"]);

export const restoreDescribe = describeCommand<Restore>({
  noun: "restore",
  what: "restores",
  type: veleroTypes.restore,
  text: async (restore, context, scope) => {
    const { describeRestore } = await import("../describe/restore.ts");
    return describeRestore(await storyOf(restore, context, scope), context.world.out);
  },
  json: async (restore, context, scope) => {
    const { files } = await storyOf(restore, context, scope);
    return {
      metadata: restore.metadata,
      phase: restore.status?.phase ?? "New",
      ...(files.results ? { errors: files.results.errors, warnings: files.results.warnings } : {}),
      spec: restore.spec,
      status: {
        ...restore.status,
        ...(files.resourceList ? { resourceList: files.resourceList } : {}),
        ...(files.operations ? { restoreItemOperations: files.operations } : {}),
      },
    };
  },
});

async function storyOf(restore: Restore, context: DescribeContext, scope: Scope): Promise<RestoreStory> {
  scope.signal.throwIfAborted();
  const { name } = restore.metadata;
  const { details } = context.flags;
  const { status } = restore;
  if (withoutFiles.has(status?.phase)) return { restore, files: {}, details };
  const hasMessages = (status?.errors ?? 0) + (status?.warnings ?? 0) > 0;
  const hasOperations = (status?.restoreItemOperationsAttempted ?? 0) > 0;
  const [results, resourceList, operations, volumes] = await Promise.all([
    hasMessages ? context.file<RunResults>("RestoreResults", name) : undefined,
    details ? context.file<Record<string, string[]>>("RestoreResourceList", name) : undefined,
    details && hasOperations
      ? context.file<NonNullable<RestoreStory["files"]["operations"]>>("RestoreItemOperations", name)
      : undefined,
    context.file<NonNullable<RestoreStory["files"]["volumes"]>>("RestoreVolumeInfo", name),
  ]);
  return { restore, files: { results, resourceList, operations, volumes }, details };
}
