import { randomBytes, scryptSync } from 'node:crypto';

/** A password as the ledger keeps it, at a cost that a test can pay often. */
export function cheapPassword(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 });
  return ['scrypt', 4, 8, 1, salt.toString('base64url'), key.toString('base64url')].join('$');
}
