import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashPassword, isPassword, passwordProblem } from '../../../src/campaign/people/passwords.ts';
import {
  openHome,
  sessionOf,
  setPassword,
  signIn,
  userOfLink,
} from '../../../src/campaign/people/sessions.ts';
import { digestOf, newSecret } from '../../../src/campaign/people/secrets.ts';
import { addToken, programOf, removeToken } from '../../../src/campaign/people/tokens.ts';
import { addUser, changeRole, linkForUser, removeUser } from '../../../src/campaign/people/users.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { cheapPassword } from '../../support/cheap-password.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { newLedgerFile } from '../../support/new-ledger-file.ts';

const START = 1_790_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const PASSWORD = 'seven small boats';

describe('passwords', () => {
  it.each([
    ['too short', 'short'],
    ['x'.repeat(201), 'long'],
    ['abababababab', 'same'],
    ['I am Mary Wanjiru', 'name'],
    ['seven small boats', null],
    ['nywila ndefu sana 🙂', null],
  ])('%j of mary: %s', (password, problem) => {
    expect(passwordProblem(password, 'mary')).toBe(problem);
  });

  it('is kept with its salt and its cost, and only the password itself fits', async () => {
    const kept = await hashPassword(PASSWORD);
    expect(kept).toMatch(/^scrypt\$16\$8\$2\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hashPassword(PASSWORD)).not.toBe(kept);
    expect(await isPassword(PASSWORD, kept)).toBe(true);
    expect(await isPassword(`${PASSWORD} `, kept)).toBe(false);
    expect(await isPassword(PASSWORD, null)).toBe(false);
  });

  it('one that was typed with other code points of the same letters fits', async () => {
    expect(await isPassword('caf\u0065\u0301 na chai tamu', await hashPassword('café na chai tamu'))).toBe(
      true,
    );
  });

  it('more than wait in the queue are refused at once', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 24 }, () => isPassword('x', 'scrypt$4$8$1$c2FsdA$a2V5')),
    );
    expect(all.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    expect(await isPassword(PASSWORD, null)).toBe(false);
  });
});

describe('sessions', () => {
  let ledger: Ledger;
  let reader: LedgerReader;
  let now: number;
  const env = () => ({ ledger, reader, now });
  const change = () => ({ now, by: 'operator otto' });
  const browser = { from: '10.0.0.7', secret: null };

  beforeEach(async () => {
    const file = await newLedgerFile();
    ledger = await openLedgerHere(file);
    reader = await openReaderHere(file);
    now = START;
  });
  afterEach(async () => {
    await reader.close();
    await ledger.close();
  });

  /** A user with a password, signed in by the link. */
  async function mary(role: 'viewer' | 'operator' = 'viewer'): Promise<string> {
    const { secret: link } = await addUser({ ledger, change: change(), name: 'Mary', role });
    const { secret, digest } = newSecret();
    const session = { digest, endsAt: now + 7 * DAY_MS, replaces: null };
    const password = cheapPassword(PASSWORD);
    await ledger.setPassword({ link: digestOf(link), password, session, now });
    return secret;
  }

  /** The use of a session is noted behind the page: a later write is done only after it. */
  const noted = () => ledger.facts();

  const signInMary = (password = PASSWORD, secret: string | null = null) =>
    signIn(env(), { name: ' MARY ', password, from: '10.0.0.7', secret });

  it('a link tells whom it is for until it is used, and refuses a weak password without being used up', async () => {
    const { secret, endsAt } = await addUser({ ledger, change: change(), name: 'mary', role: 'viewer' });
    expect(endsAt).toBe(START + 3 * DAY_MS);
    expect(await userOfLink(env(), secret)).toBe('mary');
    expect(await userOfLink(env(), 'another')).toBeNull();
    const use = (password: string) => setPassword(env(), { link: secret, password, ...browser });
    expect(await use('weak')).toEqual({ state: 'refused', problem: 'short' });
    expect(await use(PASSWORD)).toMatchObject({ state: 'done', name: 'mary' });
    expect(await use('another good password')).toEqual({ state: 'ended' });
    expect(await userOfLink(env(), secret)).toBeNull();
    expect((await signInMary()).state).toBe('done');
  });

  it('a link is too old after three days', async () => {
    const { secret } = await addUser({ ledger, change: change(), name: 'mary', role: 'viewer' });
    now += 3 * DAY_MS;
    expect(await userOfLink(env(), secret)).toBeNull();
    expect(await setPassword(env(), { link: secret, password: PASSWORD, ...browser })).toEqual({
      state: 'ended',
    });
  });

  it('a session ends when it was not used for eight hours', async () => {
    const secret = await mary();
    now += 8 * HOUR_MS - 1;
    expect(await sessionOf(env(), { secret: secret, isUse: true })).toMatchObject({
      name: 'mary',
      role: 'viewer',
    });
    await noted();
    now += 8 * HOUR_MS - 1;
    expect(await sessionOf(env(), { secret: secret, isUse: true })).not.toBeNull();
    await noted();
    now += 8 * HOUR_MS;
    expect(await sessionOf(env(), { secret: secret, isUse: true })).toBeNull();
  });

  it('a session is not used by asking whether it still holds', async () => {
    const secret = await mary();
    for (const hours of [3, 3]) {
      now += hours * HOUR_MS;
      expect(await sessionOf(env(), { secret, isUse: false })).not.toBeNull();
      await noted();
    }
    now += 2 * HOUR_MS;
    expect(await sessionOf(env(), { secret, isUse: false })).toBeNull();
  });

  it('a session ends after seven days, however often it is used', async () => {
    const secret = await mary();
    for (; now < START + 7 * DAY_MS; now += 4 * HOUR_MS) {
      expect(await sessionOf(env(), { secret: secret, isUse: true })).not.toBeNull();
      await noted();
    }
    expect(await sessionOf(env(), { secret: secret, isUse: true })).toBeNull();
  });

  it('a new role ends it, and so does a new password or the end of the user', async () => {
    const secret = await mary();
    await changeRole({ ledger, change: change(), name: 'mary', role: 'operator' });
    expect(await sessionOf(env(), { secret: secret, isUse: true })).toBeNull();
    const again = await signInMary();
    if (again.state !== 'done') throw new Error(again.state);
    expect(await sessionOf(env(), { secret: again.session.secret, isUse: true })).toMatchObject({
      name: 'mary',
      role: 'operator',
    });
    const { secret: link } = await linkForUser({ ledger, change: change(), name: 'mary' });
    expect(await sessionOf(env(), { secret: again.session.secret, isUse: true })).not.toBeNull();
    const changed = await setPassword(env(), { link, password: 'eight small boats', ...browser });
    if (changed.state !== 'done') throw new Error(changed.state);
    expect(await sessionOf(env(), { secret: again.session.secret, isUse: true })).toBeNull();
    expect((await signInMary()).state).toBe('wrong');
    await removeUser({ ledger, change: change(), name: 'mary' });
    expect(await sessionOf(env(), { secret: changed.session.secret, isUse: true })).toBeNull();
    expect((await signInMary('eight small boats')).state).toBe('wrong');
  });

  it('signing in takes a new secret and ends the one that the browser had', async () => {
    const secret = await mary();
    const again = await signInMary(PASSWORD, secret);
    if (again.state !== 'done') throw new Error(again.state);
    expect(again.session.secret).not.toBe(secret);
    expect(await sessionOf(env(), { secret: secret, isUse: true })).toBeNull();
    expect(await sessionOf(env(), { secret: again.session.secret, isUse: true })).not.toBeNull();
    expect(await sessionOf(env(), { secret: 'a secret of nobody', isUse: true })).toBeNull();
  });

  it('who fails ten times waits a quarter of an hour, with the right password too', async () => {
    await mary();
    for (let tries = 0; tries < 10; tries += 1) expect((await signInMary('wrong words')).state).toBe('wrong');
    expect(await signInMary()).toEqual({ state: 'wait', until: START + 15 * MINUTE_MS });
    now += 15 * MINUTE_MS;
    expect((await signInMary()).state).toBe('done');
  });

  it('the home link has no name, and no role of a user', async () => {
    const begun = await openHome(env(), null);
    expect(await sessionOf(env(), { secret: begun?.secret ?? '', isUse: true })).toBe('home');
    await mary();
    expect(await sessionOf(env(), { secret: begun?.secret ?? '', isUse: true })).toBeNull();
    expect(await openHome(env(), null)).toBeNull();
  });

  it('a token is good until it ends or is removed, and tells who answers for it', async () => {
    const { token, endsAt } = await addToken({
      ledger,
      change: { now, by: 'mary' },
      name: 'Billing',
      role: 'operator',
      owners: ['mary', 'user 1'],
      lastsMs: DAY_MS,
    });
    expect(endsAt).toBe(START + DAY_MS);
    const program = { name: 'billing', role: 'operator', owners: ['mary', 'user 1'] };
    expect(await programOf(env(), { token, now })).toEqual(program);
    expect(await programOf(env(), { token: `${token}x`, now })).toBeNull();
    expect(await programOf(env(), { token: token.slice(5), now })).toBeNull();
    expect(await programOf(env(), { token, now: now + DAY_MS })).toBeNull();
    await removeToken({ ledger, change: change(), name: 'billing' });
    expect(await programOf(env(), { token, now })).toBeNull();
  });
});
