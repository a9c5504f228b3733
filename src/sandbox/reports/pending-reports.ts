/** One planned report that waits for its time. What it says is planned again from serial and mobile when it is due. */
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

const CELLS = 6;
const FIRST_ROOM = 1_024;
const STEPS = 16;

/**
 * Reports by due time: a binary heap in one array of doubles, 48 bytes a report, because a million of them wait when the
 * receiver is slow. Cells: dueAt, serial, idSerial, mobile, acceptedAt, (tries * 2 + optedOut) * 16 + step.
 */
export class PendingReports {
  readonly #most: number;
  #cells = new Float64Array(FIRST_ROOM * CELLS);
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Due time of the next report; Infinity when none waits. */
  get nextDueAt(): number {
    return this.#size === 0 ? Infinity : this.#at(0);
  }

  /** Adds a report. False, and not added, when there is no room. */
  push(report: PendingReport): boolean {
    if (this.#size >= this.#most) return false;
    if ((this.#size + 1) * CELLS > this.#cells.length) this.#grow();
    this.#write(this.#size, report);
    this.#size += 1;
    this.#rise(this.#size - 1);
    return true;
  }

  /** Takes the report that is due first. */
  pop(): PendingReport | null {
    if (this.#size === 0) return null;
    const first = this.#read(0);
    this.#size -= 1;
    this.#cells.copyWithin(0, this.#size * CELLS, (this.#size + 1) * CELLS);
    this.#sink(0);
    return first;
  }

  #grow(): void {
    const larger = new Float64Array(this.#cells.length * 2);
    larger.set(this.#cells);
    this.#cells = larger;
  }

  #at(index: number): number {
    return this.#cells[index * CELLS] ?? Infinity;
  }

  #rise(index: number): void {
    let child = index;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  #sink(index: number): void {
    let parent = index;
    for (;;) {
      const left = parent * 2 + 1;
      if (left >= this.#size) return;
      const right = left + 1;
      const child = right < this.#size && this.#at(right) < this.#at(left) ? right : left;
      if (this.#at(parent) <= this.#at(child)) return;
      this.#swap(parent, child);
      parent = child;
    }
  }

  #swap(one: number, other: number): void {
    for (let cell = 0; cell < CELLS; cell += 1) {
      const kept = this.#cells[one * CELLS + cell] ?? 0;
      this.#cells[one * CELLS + cell] = this.#cells[other * CELLS + cell] ?? 0;
      this.#cells[other * CELLS + cell] = kept;
    }
  }

  #write(index: number, report: PendingReport): void {
    const { dueAt, serial, idSerial, mobile, acceptedAt, optedOut, step, tries } = report;
    const rest = (tries * 2 + Number(optedOut)) * STEPS + step;
    this.#cells.set([dueAt, serial, idSerial, Number(mobile), acceptedAt, rest], index * CELLS);
  }

  #read(index: number): PendingReport {
    const cell = (offset: number) => this.#cells[index * CELLS + offset] ?? 0;
    const flags = Math.floor(cell(5) / STEPS);
    return {
      dueAt: cell(0),
      serial: cell(1),
      idSerial: cell(2),
      mobile: String(cell(3)),
      acceptedAt: cell(4),
      step: cell(5) % STEPS,
      optedOut: flags % 2 === 1,
      tries: Math.floor(flags / 2),
    };
  }
}
