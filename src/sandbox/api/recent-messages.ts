import type { AcceptedEntry } from '../truth/truth-entry.ts';

const MOST = 1_000;

/** The last thousand accepted messages, for people who look at the sandbox. */
export class RecentMessages {
  readonly #ring: AcceptedEntry[] = [];
  #next = 0;

  add(entry: AcceptedEntry): void {
    this.#ring[this.#next] = entry;
    this.#next = (this.#next + 1) % MOST;
  }

  /** At most `limit`, newest first. */
  list(limit: number): AcceptedEntry[] {
    const older = this.#ring.slice(this.#next);
    const newer = this.#ring.slice(0, this.#next);
    return [...older, ...newer].toReversed().slice(0, limit);
  }
}
