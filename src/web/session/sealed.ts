import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { dashboardToken } from '../../config/dashboard-token.ts';
import type { Secret } from '../../config/secret.ts';
import type { WebEnv } from '../web-env.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** What is sealed. What was sealed as one thing opens as no other, or a search would show what a place holds. */
export type Sealed = 'number' | 'search' | 'place' | 'cursor' | 'word';

/**
 * Texts that an address must carry and nobody may read there, such as a number: a history, a log or a screenshot keeps
 * addresses. Sealed with the secret of the home. The same text always gives the same address.
 */
export class Seals {
  readonly #key: Buffer;
  readonly #nonceKey: Buffer;

  constructor(secret: Secret) {
    const keys = Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'sealed addresses', 2 * KEY_BYTES));
    this.#key = keys.subarray(0, KEY_BYTES);
    this.#nonceKey = keys.subarray(KEY_BYTES);
  }

  /** Letters, digits, - and _. */
  seal(what: Sealed, text: string): string {
    // A nonce that follows from the text is never used for two texts.
    const digest = createHmac('sha256', this.#nonceKey).update(`${what} ${text}`).digest();
    const nonce = digest.subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(what));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Null: it was not sealed here, or as something else. */
  open(what: Sealed, sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const tagEnd = NONCE_BYTES + TAG_BYTES;
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(what));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

const made = new WeakMap<WebEnv, Promise<Seals>>();

/** The seals of this home. */
export function sealsOf(env: WebEnv): Promise<Seals> {
  const known = made.get(env);
  if (known !== undefined) return known;
  const seals = dashboardToken(env.config).then((secret) => new Seals(secret));
  made.set(env, seals);
  return seals;
}
