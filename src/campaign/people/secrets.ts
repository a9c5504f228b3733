import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A new secret that nobody can guess, and what is kept of it. */
export function newSecret(prefix = ''): { secret: string; digest: string } {
  const secret = `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, digest: digestOf(secret) };
}

/** SHA-256, in hexadecimal. It needs no salt, because nobody can guess 32 random bytes. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
