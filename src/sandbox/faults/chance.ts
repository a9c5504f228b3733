/** A number in [0, 1) from seed and key alone (FNV-1a with a final mix), so the order of the sends changes nothing. */
export function chance(seed: number, key: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** One entry of a list that is not empty, chosen by seed and key. */
export function pick<T>(list: readonly T[], draw: { seed: number; key: string }): T {
  const entry = list[Math.floor(chance(draw.seed, draw.key) * list.length)];
  if (entry === undefined) throw new Error('Nothing to pick from an empty list.');
  return entry;
}
