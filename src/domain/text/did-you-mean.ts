/** Longer words are not compared, because they are hardly typing errors. */
const MAX_WORD_LENGTH = 64;

/** The nearest candidate, case not counted; null: none is within two slips (one in up to three letters). */
export function didYouMean(word: string, candidates: Iterable<string>): string | null {
  if (word.length > MAX_WORD_LENGTH) return null;
  const lower = word.toLowerCase();
  let best: { candidate: string; slips: number } | null = null;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const slips = slipsBetween(lower, candidate.toLowerCase());
    const most = Math.min(word.length, candidate.length) <= 3 ? 1 : 2;
    if (slips <= most && (best === null || slips < best.slips)) best = { candidate, slips };
  }
  return best?.candidate ?? null;
}

/** Levenshtein distance: the fewest letters added, left out or changed. */
function slipsBetween(left: string, right: string): number {
  let last = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 0; i < left.length; i++) {
    const row = [i + 1];
    for (let j = 1; j <= right.length; j++) {
      const changed = at(last, j - 1) + (left[i] === right[j - 1] ? 0 : 1);
      row.push(Math.min(changed, at(last, j) + 1, at(row, j - 1) + 1));
    }
    last = row;
  }
  return at(last, right.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
