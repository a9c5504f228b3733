/** Items that wait for their time, in a binary heap of bounded size. */
export class DueQueue<T extends { dueAt: number }> {
  readonly #most: number;
  readonly #heap: T[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Due time of the next item; Infinity when none waits. */
  get nextDueAt(): number {
    return this.#dueAt(0);
  }

  /** Adds an item. Answers false, and adds nothing, when there is no room. */
  push(item: T): boolean {
    if (this.#heap.length >= this.#most) return false;
    this.#heap.push(item);
    this.#rise(item);
    return true;
  }

  /** Takes the item that is due first. */
  pop(): T | null {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #dueAt(index: number): number {
    return this.#heap[index]?.dueAt ?? Infinity;
  }

  /** Moves the last item up to its place. */
  #rise(item: T): void {
    let child = this.#heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = this.#heap[parent];
      if (above === undefined || above.dueAt <= item.dueAt) break;
      this.#heap[child] = above;
      child = parent;
    }
    this.#heap[child] = item;
  }

  /** Moves an item from the top down to its place. */
  #sink(item: T): void {
    let parent = 0;
    for (;;) {
      const left = parent * 2 + 1;
      const child = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left;
      const below = this.#heap[child];
      if (below === undefined || item.dueAt <= below.dueAt) break;
      this.#heap[parent] = below;
      parent = child;
    }
    this.#heap[parent] = item;
  }
}
