import type { Schedule } from "../../api/resources.ts";
import type { Output } from "../output.ts";
import { goTime } from "../print/time.ts";
import { describeValidation } from "./backup.ts";
import { Description } from "./description.ts";
import { describeBackupSpec } from "./spec.ts";

/** When a schedule runs and what its backups hold. */
export function describeSchedule({ metadata, spec, status }: Schedule, out: Output): string {
  const into = new Description();
  into.field("Name", metadata.name).field("Namespace", metadata.namespace ?? "");
  into.pairs("Labels", metadata.labels).pairs("Annotations", metadata.annotations).line();
  const phase = status?.phase ?? "New";
  const style = phase === "Enabled" ? "green" : phase === "FailedValidation" ? "red" : undefined;
  into.field("Phase", style ? out.style(style, phase) : phase).line();
  describeValidation(into, status?.validationErrors);
  into.field("Paused", spec.paused ?? false).line();
  into.field("Schedule", spec.schedule).line();
  const template = new Description();
  describeBackupSpec(template, spec.template);
  into.line("Backup Template:");
  for (const line of template.toString().trimEnd().split("\n")) into.line(line === "" ? "" : `  ${line}`);
  into.line().field("Last Backup", goTime(status?.lastBackup, "<never>"));
  return into.toString();
}
