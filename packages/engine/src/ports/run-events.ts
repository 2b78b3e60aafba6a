/** What a run tells a live view, in process. Never more than a view needs: totals, not bodies. */
export interface RunEvent {
  readonly step: "collect" | "items" | "upload" | "operations" | "finalize" | "done";
  /** The resource type at work, and the item, where there is one. */
  readonly groupResource?: string;
  readonly item?: string;
  /** For restores: the wave at work. */
  readonly wave?: string;
  readonly itemsDone: number;
  readonly itemsTotal: number;
  readonly itemsPerSecond: number;
}
