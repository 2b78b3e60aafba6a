import { setFlagsFromString } from "node:v8";

/**
 * Lets the heap grow to twice what is alive and no further. By itself V8 lets it grow to four times that while much is allocated, and a
 * run of many items allocates all the time: its memory would follow the machine's speed, not the work.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=100");
}
