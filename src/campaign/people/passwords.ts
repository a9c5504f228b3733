import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** The cost of a guess: 64 MB and about 0.3 s. */
const COST = { logN: 16, r: 8, p: 2 } as const;
const MOST_MEMORY_BYTES = 160 * 2 ** 20;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** More at once would take the memory and the threads of the whole process. */
const AT_ONCE = 2;
const MOST_WAITING = 20;

const PASSWORD_LIMITS = { least: 12, most: 200, leastDifferent: 5 };

/** Why a password is refused. */
export type PasswordProblem = 'short' | 'long' | 'same' | 'name';

/** The bounds of a password, for whoever words them. */
export const SHORTEST_PASSWORD = PASSWORD_LIMITS.least;

/** What is wrong with a password that a user chose; null: nothing. */
export function passwordProblem(password: string, name: string): PasswordProblem | null {
  const letters = Array.from(password);
  if (letters.length < PASSWORD_LIMITS.least) return 'short';
  if (letters.length > PASSWORD_LIMITS.most) return 'long';
  if (new Set(letters).size < PASSWORD_LIMITS.leastDifferent) return 'same';
  return password.toLowerCase().includes(name) ? 'name' : null;
}

/** Thrown where so many passwords wait to be compared that another would only make all slower. */
export class TooManyPasswords extends Error {}

let working = 0;
const waiting: (() => void)[] = [];

/** Two at a time, the others in order. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= MOST_WAITING) throw new TooManyPasswords();
  if (working >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else working += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The next one takes over this place.
    if (next === undefined) working -= 1;
    else next();
  }
}

type Cost = Readonly<Record<'logN' | 'r' | 'p', number>>;

function derive(password: string, salt: Buffer, { logN, r, p }: Cost): Promise<Buffer> {
  const options = { N: 2 ** logN, r, p, maxmem: MOST_MEMORY_BYTES };
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
}

/** What is kept of a password: `scrypt$16$8$2$salt$key`, so that its cost may rise later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  const { logN, r, p } = COST;
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * True: it is the password. `kept` null: there is no such user, or no password yet. The answer takes as long, so that
 * nobody learns names from it.
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const [scheme, logN, r, p, salt = '', key = ''] = (kept ?? '').split('$');
  if (scheme !== 'scrypt') {
    await derive(password, randomBytes(SALT_BYTES), COST);
    return false;
  }
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'));
}
