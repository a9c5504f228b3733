/** The letters of a text in lower case: `Delivery Impossible`, `DELIVERY_IMPOSSIBLE` and `DeliveryImpossible` are one. */
export function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

/** What a word of a report is known under when a person maps it: its letters, or itself where it has none (`32`). */
export function wordKey(word: string): string {
  return letters(word) || word.trim();
}
