import type { Soon } from '../connection.ts';

/**
 * What operations remember between transactions. A transaction that is undone takes back what it remembered, because
 * its operations run again (group-commit.ts).
 */
export class Memory {
  readonly #all: Remembered<unknown>[] = [];
  readonly #last: (() => Soon<void>)[] = [];

  /** A value that changes only with a commit. */
  remember<Value>(value: Value): Remembered<Value> {
    const remembered = new Remembered(value);
    this.#all.push(remembered);
    return remembered;
  }

  /** Puts work off until the end of each transaction, where `finish` does it. */
  beforeCommit(work: () => Soon<void>): void {
    this.#last.push(work);
  }

  /** Does the work that was put off. Whoever runs operations calls it inside of their transaction, after the last. */
  async finish(): Promise<void> {
    for (const work of this.#last) await work();
  }

  /** Marks this moment. The returned function takes back everything that was remembered since. */
  mark(): () => void {
    const before = this.#all.map((each) => each.mark());
    return () => {
      for (const takeBack of before) takeBack();
    };
  }
}

/** One remembered value. Nobody changes it in place, except a copy from `own`. */
export class Remembered<Value> {
  #value: Value;
  /** The value was copied since the last mark. */
  #isOwn = false;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
  }

  /** The value as a copy that may be changed in place until the next mark. */
  own(copy: (value: Value) => Value): Value {
    if (!this.#isOwn) this.#value = copy(this.#value);
    this.#isOwn = true;
    return this.#value;
  }

  /** Returns a function that brings back the present value. */
  mark(): () => void {
    const value = this.#value;
    this.#isOwn = false;
    return () => {
      this.#value = value;
      this.#isOwn = false;
    };
  }
}
