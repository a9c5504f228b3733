/** Counts events and says how many there were a second, over the last full second or so. Times are monotonic milliseconds. */
export class Tempo {
  #since = 0;
  #count = 0;
  #perSecond = 0;

  add(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed >= PERIOD_MS) {
      // After a pause of several periods nothing is known of the tempo before it.
      this.#perSecond = elapsed >= 3 * PERIOD_MS ? 0 : (this.#count * 1_000) / elapsed;
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
  }

  perSecond(): number {
    return Math.max(this.#perSecond, this.#count);
  }
}

const PERIOD_MS = 1_000;
