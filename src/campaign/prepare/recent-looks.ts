const MOST = 20;

/**
 * What looks at contacts found. A step of the pages looks at the same rows when it is shown, when its form comes, and
 * when it is shown again, and each look reads the file. The answers follow from what is asked alone.
 */
export class RecentLooks {
  readonly #found = new Map<string, Promise<unknown>>();

  /** The answer to what is asked: a known one, or that of `look`. A look that fails is no answer. */
  async find<Answer>(asked: readonly unknown[], look: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(asked);
    const known = this.#found.get(key) as Promise<Answer> | undefined;
    const answer = known ?? look();
    this.#keep(key, answer);
    try {
      return await answer;
    } catch (error) {
      this.#found.delete(key);
      throw error;
    }
  }

  /** The latest come last, and the oldest goes. */
  #keep(key: string, answer: Promise<unknown>): void {
    this.#found.delete(key);
    this.#found.set(key, answer);
    const [oldest] = this.#found.keys();
    if (this.#found.size > MOST && oldest !== undefined) this.#found.delete(oldest);
  }
}
