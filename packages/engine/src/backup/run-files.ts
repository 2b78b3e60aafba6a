import type { Clock, Scope } from "@jibe/base";
import { type ArchiveWriter, createArchiveWriter } from "../archive/index.ts";
import { Spool } from "../collect/spool.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import type { Scratch, ScratchFile } from "../ports/scratch.ts";
import { createRunLog, type RunLog } from "../run-log/run-log.ts";
import type { BackupRequest } from "./backup-request.ts";

/** The scratch files of a run. Disposing removes them all. */
export interface RunFiles extends AsyncDisposable {
  readonly log: RunLog;
  readonly ledger: Ledger;
  readonly spool: Spool;
  readonly contents: ScratchFile;
  readonly archive: ArchiveWriter;
}

export async function openRunFiles(
  { backup, options = {} }: BackupRequest,
  { scratch, clock }: { readonly scratch: Scratch; readonly clock: Clock },
  scope: Scope,
): Promise<RunFiles> {
  await using opened = new AsyncDisposableStack();
  const { namespace = "", name } = backup.metadata;
  const { logFormat, logLevel } = options;
  const ledger = opened.use(await createLedger({ scratch }, scope));
  const log = opened.use(
    await createRunLog(
      {
        scratch,
        clock,
        fields: { backup: `${namespace}/${name}` },
        tee: scope.log,
        count: (line) => ledger.countLogLine(line),
        ...(logFormat === undefined ? {} : { format: logFormat }),
        ...(logLevel === undefined ? {} : { level: logLevel }),
      },
      scope,
    ),
  );
  const spool = opened.use(new Spool(await scratch.create("spool", scope)));
  const contents = opened.use(await scratch.create("contents", scope));
  const archive = opened.use(createArchiveWriter({ sink: contents, clock }, scope));
  const files = opened.move();
  return { log, ledger, spool, contents, archive, [Symbol.asyncDispose]: () => files.disposeAsync() };
}
