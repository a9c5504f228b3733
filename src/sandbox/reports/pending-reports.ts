/** One planned report that waits for its time. Its content is planned again from serial and mobile when it is due. */
export interface PendingReport {
  dueAt: number;
  serial: number;
  /** The serial whose id the report carries; another message's after `200_dup_id`. */
  idSerial: number;
  mobile: string;
  acceptedAt: number;
  optedOut: boolean;
  step: number;
  /** Tries so far. */
  tries: number;
}

/** Waiting reports, ordered by due time in a binary heap with a bounded size. */
export class PendingReports {
  readonly #most: number;
  readonly #heap: PendingReport[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Due time of the next report; Infinity when none waits. */
  get nextDueAt(): number {
    return this.#dueAt(0);
  }

  /** Adds a report. Answers false, and adds nothing, when the heap is full. */
  push(report: PendingReport): boolean {
    if (this.#heap.length >= this.#most) return false;
    this.#heap.push(report);
    this.#rise(report);
    return true;
  }

  /** Takes the report that is due first. */
  pop(): PendingReport | null {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #dueAt(index: number): number {
    return this.#heap[index]?.dueAt ?? Infinity;
  }

  /** Moves the last report up to its place. */
  #rise(report: PendingReport): void {
    let child = this.#heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || above.dueAt <= report.dueAt) break;
      this.#heap[child] = above;
      child = parent;
    }
    this.#heap[child] = report;
  }

  /** Moves a report from the top down to its place. */
  #sink(report: PendingReport): void {
    let parent = 0;
    for (;;) {
      const left = parent * 2 + 1;
      const child = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left;
      const below = this.#heap[child];
      if (below === undefined || report.dueAt <= below.dueAt) break;
      this.#heap[parent] = below;
      parent = child;
    }
    this.#heap[parent] = report;
  }
}
