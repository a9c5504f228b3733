import { inspect } from 'node:util';

/** The placeholder of a printed secret. */
export const HIDDEN = '[secret]';

/** A printable text: an address loses its user, its query, and the webhook's token. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\/\/\S*@/g, `//${HIDDEN}@`)
    .replaceAll(/\?\S*=\S*/g, `?${HIDDEN}`)
    .replaceAll(/\/webhooks\/[^\s/?]+/g, `/webhooks/${HIDDEN}`);
}

/** The password that a file holds and nothing else, without the end of its line; null: no password, or more than one line. */
export function passwordIn(text: string): string | null {
  const password = text.replace(/\r?\n$/, '');
  return password === '' || /\p{Cc}/u.test(password) ? null : password;
}

/** A value that only `reveal` shows: printed, logged, joined or as JSON it is `[secret]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that needs it on the wire. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
