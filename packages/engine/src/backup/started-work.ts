import type { BackupOperation } from "../operations/item-operation.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import type { TakenSnapshot } from "../volumes/take-snapshot.ts";
import type { StartedWork } from "./backup-request.ts";

/** The operations and snapshots that a run has started. `onChange` is given the live lists. */
export class StartedWorkList implements StartedWork {
  readonly operations: BackupOperation[] = [];
  readonly snapshots: StoredSnapshot[] = [];
  readonly #onChange: (work: StartedWork) => void;

  constructor(onChange: (work: StartedWork) => void) {
    this.#onChange = onChange;
  }

  addOperation(operation: BackupOperation): void {
    this.operations.push(operation);
    this.#changed();
  }

  addSnapshot({ snapshot, operation }: TakenSnapshot): void {
    this.snapshots.push(snapshot);
    if (operation) this.operations.push(operation);
    this.#changed();
  }

  #changed(): void {
    this.#onChange(this);
  }
}
