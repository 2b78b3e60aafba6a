import { AppError } from "@jibe/base";
import { expect, test } from "vitest";
import { veleroTypes } from "../api/resource-types.ts";
import { explainAccessError } from "./access-error.ts";

const target = { verb: "list", type: veleroTypes.backup, namespace: "velero" } as const;
const status = (code: number, message = "", details: Record<string, unknown> = {}) => ({
  code,
  reason: "",
  message,
  causes: [],
  details,
});

const cases: Record<string, [AppError, ReturnType<typeof status> | undefined, string | undefined]> = {
  "a cluster without our definitions": [
    new AppError("NotFound", "cannot list backups"),
    status(404, "404 page not found"),
    'The cluster has no backups.velero.io: run "jibe install", or "jibe install --crds-only".',
  ],
  "a namespace that does not exist": [
    new AppError("NotFound", "cannot create backup"),
    status(404, 'namespaces "velero" not found', { kind: "namespaces", name: "velero" }),
    'Namespace "velero" does not exist: name the server\'s with --namespace, or run "jibe install".',
  ],
  "an object that does not exist": [
    new AppError("NotFound", "cannot get backup"),
    status(404, 'backups "x" not found', { name: "x", kind: "backups" }),
    undefined,
  ],
  "credentials that are not known": [
    new AppError("PermissionDenied", "cannot list backups"),
    status(401, "Unauthorized"),
    "The cluster does not know you: check the user of your kubeconfig's context, or log in again.",
  ],
  "a missing right": [
    new AppError("PermissionDenied", "cannot list backups"),
    status(403, "forbidden"),
    'Ask an administrator of the cluster for the right to list backups.velero.io in namespace "velero".',
  ],
  "a cluster that does not answer": [
    new AppError("Unavailable", "cannot reach it"),
    undefined,
    "Is the cluster running, and is this the right one? --kubeconfig and --kubecontext choose another.",
  ],
};
for (const [name, [error, answer, advice]] of Object.entries(cases)) {
  test(`${name} is explained`, () => {
    const explained = explainAccessError(error, answer, target) as AppError;
    expect(explained.message).toBe(advice === undefined ? error.message : `${error.message}\n${advice}`);
    expect(explained.code).toBe(error.code);
  });
}
