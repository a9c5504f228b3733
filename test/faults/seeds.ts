/** Replays a run: `TUMA_FAULT_SEED=123 npm run test:faults`. */
const GIVEN = process.env['TUMA_FAULT_SEED'];

/** Numbers that only look random: the same seed gives the same moments, though not the same race. */
export interface Seeded {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
}

/** The numbers of one test. Its seed is printed, and is another one each time where `fixed` is not given. */
export function seeded(what: string, fixed?: number): Seeded {
  const seed = GIVEN === undefined ? (fixed ?? Math.floor(Math.random() * 2 ** 31)) : Number(GIVEN);
  console.log(`${what}: TUMA_FAULT_SEED=${seed}`);
  const next = mulberry32(seed);
  return { next, whole: (least, most) => least + Math.floor(next() * (most - least + 1)) };
}

/** Numbers in [0, 1) that only look random: the same seed gives the same ones. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
