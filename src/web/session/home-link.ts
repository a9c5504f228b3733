import { randomBytes } from 'node:crypto';

/** Sessions of those who opened the link of this machine. */
export class HomeSessions {
  readonly #ids = new Set<string>();

  /** Begins a session; the id is the secret of its cookie. */
  begin(): string {
    const id = randomBytes(32).toString('base64url');
    this.#ids.add(id);
    return id;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
