/**
 * Splits work into rounds. In one round each key occurs once at most, so that its rows can be written by one statement.
 * Items that share a key keep their order: the later one comes in a later round, and sees what the earlier one wrote.
 * Nearly always there is one round.
 */
export function roundsOf<Item>(
  items: Iterable<Item>,
  keysOf: (item: Item) => readonly string[],
): readonly Item[][] {
  const rounds: Item[][] = [];
  /** The first round that a key has not been in. */
  const free = new Map<string, number>();
  for (const item of items) {
    const keys = keysOf(item);
    const round = Math.max(0, ...keys.map((key) => free.get(key) ?? 0));
    (rounds[round] ??= []).push(item);
    for (const key of keys) free.set(key, round + 1);
  }
  return rounds;
}
