/**
 * The lines of a contacts file that have a message already. Of several rows for the same the first one wins. What two
 * rows may not both have is its name: a number with its key and date, for example.
 */
export class FirstLines {
  readonly #lines = new Map<string, number>();

  /** A row that was kept by an earlier call has this name. */
  know(name: string, line: number): void {
    this.#lines.set(name, line);
  }

  /** The line that has the first known one of these names. Null: none is known, and now `line` has all of them. */
  take(names: readonly string[], line: number): number | null {
    for (const name of names) {
      const kept = this.#lines.get(name);
      if (kept !== undefined) return kept;
    }
    for (const name of names) this.#lines.set(name, line);
    return null;
  }
}

/** The name of a number with its key and date. Two of them differ where one of the parts differs. */
export function nameOf(mobile: string, key: string, occurrence: string): string {
  return JSON.stringify([mobile, key, occurrence]);
}
