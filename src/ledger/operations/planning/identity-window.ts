import { textHash } from '../../../domain/guards.ts';

/** The parts that distinguish the messages of a campaign. */
export interface Identity {
  mobile: string;
  key: string;
  occurrence: string;
}

/**
 * An identity as two numbers. `mark` 0: `code` is the phone number, without a key or date. Any other mark is
 * a hash, which two identities may share.
 */
export interface IdentityCode {
  code: number;
  mark: number;
}

/** This window takes 7 MB. At a quarter of it, five million rows touch each page four times as often. */
export const WINDOW_ROWS = 2 ** 18;
/** Most campaigns fit into this window. */
export const FIRST_WINDOW_ROWS = 2 ** 14;
const NUMBER_STEPS = 2 ** 53;
const FILTER_BITS = 2 ** 25;
const FILTER_PROBES = 3;
const LOW = 2 ** 32;
const PLAIN_MOBILE = /^[1-9]\d{0,14}$/;

/** The numbers of an identity. */
export function codeOf({ mobile, key, occurrence }: Identity): IdentityCode {
  const code = PLAIN_MOBILE.test(mobile) ? Number(mobile) : 0;
  if (code !== 0 && key === '' && occurrence === '') return { code, mark: 0 };
  return { code, mark: textHash(`${mobile}\n${key}\n${occurrence}`) % LOW || 1 };
}

function hashOf({ code, mark }: IdentityCode, seed: number): number {
  let hash = Math.imul((code % LOW) ^ seed, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ Math.floor(code / LOW) ^ mark, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Recognizes most new identities as new, in a fixed 4 MB (a Bloom filter: never wrong about a known one). */
export class IdentityFilter {
  readonly #bits = new Uint32Array(FILTER_BITS / 32);

  /** Adds an identity. True: it may be known. At five million identities that is wrong for one in twenty. */
  add(identity: IdentityCode): boolean {
    let at = hashOf(identity, 0);
    const step = hashOf(identity, 1) | 1;
    let known = true;
    for (let probe = 0; probe < FILTER_PROBES; probe++) {
      const bit = 1 << at;
      const word = (at >>> 5) % this.#bits.length;
      const before = this.#bits[word] as number;
      if ((before & bit) === 0) {
        known = false;
        this.#bits[word] = before | bit;
      }
      at = (at + step) >>> 0;
    }
    return known;
  }
}

/** Identities of consecutive messages, found by value and returned in the order of their numbers. */
export class IdentityWindow {
  readonly #firstSeq: number;
  readonly #rows: number;
  readonly #codes: Float64Array;
  readonly #marks: Uint32Array;
  /** By hash: a place and one; 0: free. */
  readonly #slots: Uint32Array;
  #count = 0;
  #order: Float64Array | null = null;
  #taken = 0;

  /** `firstSeq` belongs to the first message that will be added. */
  constructor(firstSeq: number, rows: number) {
    this.#firstSeq = firstSeq;
    this.#rows = rows;
    this.#codes = new Float64Array(rows);
    this.#marks = new Uint32Array(rows);
    this.#slots = new Uint32Array(2 * rows);
  }

  get isFull(): boolean {
    return this.#count === this.#rows;
  }

  /** Adds the identity of the next message. */
  add(identity: IdentityCode): void {
    const place = this.#count++;
    this.#codes[place] = identity.code;
    this.#marks[place] = identity.mark;
    let slot = hashOf(identity, 0) % this.#slots.length;
    while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
    this.#slots[slot] = place + 1;
  }

  /** The messages with these numbers. */
  *seqsOf(identity: IdentityCode): Generator<number> {
    const { code, mark } = identity;
    const slots = this.#slots.length;
    for (let slot = hashOf(identity, 0) % slots; this.#slots[slot] !== 0; slot = (slot + 1) % slots) {
      const place = (this.#slots[slot] as number) - 1;
      if (this.#codes[place] === code && this.#marks[place] === mark) yield this.#firstSeq + place;
    }
  }

  /** The next identity in order; null: all were taken. After the first call no identity may be added. */
  take(): (IdentityCode & { seq: number }) | null {
    this.#order ??= this.#sorted();
    if (this.#taken === this.#count) return null;
    const place = (this.#order[this.#taken++] as number) % this.#rows;
    return {
      code: this.#codes[place] as number,
      mark: this.#marks[place] as number,
      seq: this.#firstSeq + place,
    };
  }

  /** Number and place in one value, so that it sorts without a comparing function, ten times faster. */
  #sorted(): Float64Array {
    const rows = this.#rows;
    const codes = this.#codes.subarray(0, this.#count);
    const least = codes.reduce((one, other) => Math.min(one, other), Infinity);
    const most = codes.reduce((one, other) => Math.max(one, other), 0);
    // Numbers of all the world do not fit: nearly in order is as good.
    const width = Math.ceil(((most - least + 1) * rows) / NUMBER_STEPS);
    return codes.map((code, place) => Math.floor((code - least) / width) * rows + place).sort();
  }
}
