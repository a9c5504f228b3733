/** Something that will happen. Times are monotonic milliseconds of the simulation. */
interface Coming {
  at: number;
  order: number;
  run: () => void | Promise<void>;
}

/**
 * Time that passes only when nothing is left to do at the present moment: an hour of waiting costs nothing, and the same
 * seed gives the same order of everything. Of two things at the same moment the one that was planned first comes first.
 */
export class VirtualTime {
  /** Monotonic milliseconds since the beginning of the world. */
  now = 0;
  #heap: Coming[] = [];
  #order = 0;
  #held: Promise<unknown>[] = [];

  /** Lets `run` happen in `ms` milliseconds. What it awaits belongs to the same moment: nothing else happens before its end. */
  in(ms: number, run: () => void | Promise<void>): void {
    this.at(this.now + ms, run);
  }

  at(at: number, run: () => void | Promise<void>): void {
    this.#order += 1;
    this.#heap.push({ at: Math.max(at, this.now), order: this.#order, run });
    this.#rise(this.#heap.length - 1);
  }

  /** Nothing else happens before `work` has ended, which takes real time and none of this one. */
  hold(work: Promise<unknown>): void {
    this.#held.push(work);
  }

  /** Lets things happen, one after the other, until `done`. False: it was not done within `ms` milliseconds. */
  async run(done: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
    const until = this.now + ms;
    await this.#heldWork();
    while (!(await done())) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) return false;
      this.#drop();
      this.now = next.at;
      await next.run();
      await everythingElse();
      await this.#heldWork();
    }
    return true;
  }

  async #heldWork(): Promise<void> {
    while (this.#held.length > 0) {
      await Promise.all(this.#held.splice(0));
      await everythingElse();
    }
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(heap[index], heap[parent])) return;
      swap(heap, index, parent);
      index = parent;
    }
  }

  #drop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Coming;
    if (heap.length === 0) return;
    heap[0] = last;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const least = before(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!before(heap[least], heap[index])) return;
      swap(heap, index, least);
      index = least;
    }
  }
}

/** Lets every promise that can go on go on: the check phase of the event loop comes after all of them. */
function everythingElse(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function before(left: Coming | undefined, right: Coming | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}

function swap(heap: Coming[], left: number, right: number): void {
  [heap[left], heap[right]] = [heap[right] as Coming, heap[left] as Coming];
}
