import { expect, it } from 'vitest';
import { type AskerKey, askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import type { Role } from '../../src/domain/roles.ts';
import type { PeopleLedger } from '../../src/ledger/contracts/people.ts';
import type { World } from './contract-world.ts';

let ids = 0;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const NOTHING = { tokens: [], alertUrls: [] };

/** Who may use the pages and the API: users, links, sessions, tokens, and how often somebody may guess. */
export function peopleContract(world: () => World): void {
  const by = () => ({ now: world().now, by: 'operator otto' });
  const secret = (digest: string) => ({ digest, endsAt: world().now + HOUR_MS });
  const session = (digest: string, replaces: string | null = null) => ({ ...secret(digest), replaces });
  const reader = () => world().reader();

  async function addUser(name = 'mary', role: Role = 'viewer'): Promise<void> {
    expect(
      await world().ledger.addUser({
        ...by(),
        id: `user ${(ids += 1)}`,
        name,
        role,
        link: secret(`link of ${name}`),
      }),
    ).toBe(true);
  }

  function setPassword(digest: string, name = 'mary') {
    const { now } = world();
    return world().ledger.setPassword({
      link: `link of ${name}`,
      password: `password of ${name}`,
      session: session(digest),
      now,
    });
  }

  function signIn(digest: string, changed: Partial<Parameters<PeopleLedger['beginSession']>[0]> = {}) {
    return world().ledger.beginSession({
      name: 'mary',
      password: 'password of mary',
      attempt: 'mary',
      address: '10.0.0.7',
      session: session(digest),
      now: world().now,
      ...changed,
    });
  }

  it('a link sets a password once, and its user is signed in by it', async () => {
    await addUser();
    const [row] = await (await reader()).users();
    expect(row).toEqual({
      name: 'mary',
      role: 'viewer',
      addedAt: world().now,
      addedBy: 'operator otto',
      hasPassword: false,
      linkEndsAt: world().now + HOUR_MS,
      seenAt: null,
      sessions: 0,
    });
    expect(await (await reader()).link('link of mary')).toMatchObject({ name: 'mary' });
    expect([await setPassword('one'), await setPassword('two')]).toEqual(['mary', null]);
    expect(await (await reader()).link('link of mary')).toBeNull();
    expect(await (await reader()).session('one')).toEqual({
      id: expect.stringMatching(/^user \d+$/) as string,
      name: 'mary',
      role: 'viewer',
      begunAt: world().now,
      usedAt: world().now,
      endsAt: world().now + HOUR_MS,
    });
    expect(await (await reader()).session('two')).toBeNull();
  });

  it('a link that has ended, or was replaced, sets no password', async () => {
    await addUser();
    await addUser('juma');
    world().now += HOUR_MS;
    expect(await setPassword('one')).toBeNull();
    const link = { ...secret('newer link') };
    expect(await world().ledger.renewLink({ ...by(), name: 'juma', link })).toBe(true);
    expect(await setPassword('two', 'juma')).toBeNull();
    expect(await world().ledger.renewLink({ ...by(), name: 'nobody', link })).toBe(false);
    expect((await (await reader()).users()).map(({ hasPassword }) => hasPassword)).toEqual([false, false]);
  });

  it('a name is given once, and a user who is removed is out at once', async () => {
    await addUser();
    await setPassword('one');
    const again = { ...by(), id: 'user 0', name: 'mary', role: 'admin' as const, link: secret('another') };
    expect(await world().ledger.addUser(again)).toBe(false);
    expect(await (await reader()).user('mary')).toMatchObject({ role: 'viewer' });
    expect(await world().ledger.removeUser({ ...by(), name: 'mary' })).toEqual(NOTHING);
    expect(await world().ledger.removeUser({ ...by(), name: 'mary' })).toBeNull();
    expect(await (await reader()).session('one')).toBeNull();
    await addUser();
    expect(await (await reader()).session('one')).toBeNull();
    expect(await signIn('two')).toBe(false);
  });

  it('a name that is given anew is another user', async () => {
    await addUser();
    const before = await (await reader()).user('mary');
    await world().ledger.removeUser({ ...by(), name: 'mary' });
    await addUser();
    const after = await (await reader()).user('mary');
    expect(after?.id).toMatch(/^user \d+$/);
    expect(after?.id).not.toBe(before?.id);
  });

  it('another role ends the sessions', async () => {
    await addUser();
    await setPassword('one');
    expect(await world().ledger.changeRole({ ...by(), name: 'mary', role: 'operator' })).toEqual(NOTHING);
    expect(await (await reader()).session('one')).toBeNull();
    expect(await signIn('two')).toBe(true);
    expect(await (await reader()).session('two')).toMatchObject({ role: 'operator' });
    expect(await world().ledger.changeRole({ ...by(), name: 'nobody', role: 'viewer' })).toBeNull();
  });

  it('a sign-in ends the session that the browser had, and a new password ends all', async () => {
    await addUser();
    await setPassword('one');
    await signIn('two', { session: session('two', 'one') });
    expect(await (await reader()).session('one')).toBeNull();
    await world().ledger.renewLink({ ...by(), name: 'mary', link: secret('link of mary') });
    await setPassword('three');
    expect(await (await reader()).session('two')).toBeNull();
    expect(await (await reader()).session('three')).toMatchObject({ name: 'mary' });
  });

  it('a password that was changed while it was compared signs nobody in', async () => {
    await addUser();
    await setPassword('one');
    expect(await signIn('two', { password: 'an older one' })).toBe(false);
    expect(await (await reader()).session('two')).toBeNull();
  });

  it('a session is used, and ended: one, or all of a user', async () => {
    await addUser();
    await setPassword('one');
    await signIn('two');
    await signIn('three');
    await world().ledger.touchSession('one', world().now + MINUTE_MS);
    await world().ledger.touchSession('one', world().now);
    expect(await (await reader()).session('one')).toMatchObject({ usedAt: world().now + MINUTE_MS });
    const order = { ...by(), digest: 'one' };
    expect([await world().ledger.endSession(order), await world().ledger.endSession(order)]).toEqual([
      true,
      false,
    ]);
    expect(await world().ledger.endSessions({ ...by(), name: 'mary' })).toBe(2);
    expect(await (await reader()).session('three')).toBeNull();
  });

  it('sessions that have ended are forgotten at the next sign-in', async () => {
    await addUser();
    await setPassword('one');
    world().now += HOUR_MS;
    await signIn('two');
    expect(await world().open.sql('SELECT digest FROM web_session')).toEqual([{ digest: 'two' }]);
  });

  it('the home link lets in until there is a user, and not again while there is one', async () => {
    const home = (digest: string) =>
      world().ledger.beginHomeSession({ session: session(digest), now: world().now });
    expect(await home('one')).toBe(true);
    expect(await (await reader()).session('one')).toMatchObject({ name: null, role: null });
    await addUser();
    expect(await (await reader()).session('one')).toBeNull();
    expect(await home('two')).toBe(false);
    await world().ledger.removeUser({ ...by(), name: 'mary' });
    expect(await (await reader()).session('one')).toBeNull();
    expect(await home('three')).toBe(true);
    expect(await world().ledger.endSessions({ ...by(), name: null })).toBe(1);
  });

  it('who guesses waits: by name from anywhere, by address for any name', async () => {
    const limits = { withinMs: 15 * MINUTE_MS, perNameHere: 2, perName: 3, perAddress: 5 };
    const attempt = (name: string, address: string) =>
      world().ledger.beginSignIn({ name, address, now: world().now, limits });
    const first = world().now;
    for (const address of ['a', 'b', 'c']) {
      expect(await attempt('mary', address)).toBeNull();
      world().now += 1_000;
    }
    expect(await attempt('mary', 'd')).toBe(first + limits.withinMs);
    for (const name of ['p', 'q', 'r', 's', 't']) expect(await attempt(name, 'z')).toBeNull();
    expect(await attempt('u', 'z')).toBe(world().now + limits.withinMs);
    world().now = first + limits.withinMs;
    expect(await attempt('mary', 'd')).toBeNull();
  });

  it('who guesses for one name from one address waits, and its owner elsewhere does not', async () => {
    const limits = { withinMs: 15 * MINUTE_MS, perNameHere: 2, perName: 9, perAddress: 9 };
    const attempt = (address: string) =>
      world().ledger.beginSignIn({ name: 'mary', address, now: world().now, limits });
    expect([await attempt('stranger'), await attempt('stranger')]).toEqual([null, null]);
    expect(await attempt('stranger')).toBe(world().now + limits.withinMs);
    expect(await attempt('10.0.0.7')).toBeNull();
  });

  it('a sign-in that succeeds forgets what was mistyped before it', async () => {
    await addUser();
    await setPassword('one');
    const limits = { withinMs: 15 * MINUTE_MS, perNameHere: 2, perName: 2, perAddress: 9 };
    const attempt = () =>
      world().ledger.beginSignIn({ name: 'mary', address: '10.0.0.7', now: world().now, limits });
    expect([await attempt(), await attempt()]).toEqual([null, null]);
    expect(await signIn('two')).toBe(true);
    expect(await attempt()).toBeNull();
  });

  it('a token is added once by a name, is used, and removed', async () => {
    const token = {
      ...by(),
      name: 'billing',
      role: 'operator' as const,
      owners: ['otto'],
      token: secret('t1'),
    };
    expect([await world().ledger.addToken(token), await world().ledger.addToken(token)]).toEqual([
      true,
      false,
    ]);
    await world().ledger.touchToken('t1', world().now);
    const row = {
      name: 'billing',
      role: 'operator',
      addedAt: world().now,
      addedBy: 'operator otto',
      endsAt: world().now + HOUR_MS,
      usedAt: world().now,
      user: null,
    };
    expect(await (await reader()).token('t1')).toEqual({ ...row, owners: ['otto'] });
    expect(await (await reader()).tokens()).toEqual([row]);
    expect(await world().ledger.removeToken({ ...by(), name: 'billing' })).toBe(true);
    expect(await world().ledger.removeToken({ ...by(), name: 'billing' })).toBe(false);
    expect(await (await reader()).token('t1')).toBeNull();
  });

  it('tokens end with the user who made them, or with a role below theirs, and others stay [X21]', async () => {
    const { ledger } = world();
    await addUser('mary', 'admin');
    const id = (await (await reader()).user('mary'))?.id ?? '';
    const add = (name: string, role: Role, owners: string[]) =>
      ledger.addToken({ ...by(), name, role, owners, token: secret(`digest of ${name}`) });
    await add('boss', 'admin', ['mary', id]);
    await add('till', 'operator', ['mary', id]);
    await add('look', 'viewer', ['mary', id]);
    await add('machine', 'admin', ['operator otto']);
    const left = async () => (await (await reader()).tokens()).map(({ name, user }) => [name, user]);
    expect(await left()).toEqual([
      ['boss', 'mary'],
      ['look', 'mary'],
      ['machine', null],
      ['till', 'mary'],
    ]);
    expect(await ledger.changeRole({ ...by(), name: 'mary', role: 'operator' })).toEqual({
      tokens: ['boss'],
      alertUrls: [],
    });
    expect(await (await reader()).token('digest of boss')).toBeNull();
    expect(await ledger.removeUser({ ...by(), name: 'mary' })).toEqual({
      tokens: ['look', 'till'],
      alertUrls: [],
    });
    expect(await left()).toEqual([['machine', null]]);
    const { entries } = await (await reader()).auditTrail({ campaign: null, limit: 5 });
    expect(entries.map(({ verb, detail }) => [verb, detail])).toEqual([
      ['set_role', { user: 'mary', was: 'admin', role: 'operator' }],
      ['remove_token', { token: 'boss', user: 'mary' }],
      ['remove_user', { user: 'mary' }],
      ['remove_token', { token: 'look', user: 'mary' }],
      ['remove_token', { token: 'till', user: 'mary' }],
    ]);
  });

  it('an address of alerts ends with the admin who added it, or whose token did, and says so in the audit', async () => {
    const { ledger } = world();
    const of = async (id: string, who: string) =>
      ledger.addAlertEndpoint({
        now: world().now,
        by: who,
        id,
        url: `https://chat.example.org/${id}`,
        shown: 'https://chat.example.org/…',
        description: '',
        causes: null,
        secret: 'whsec_a',
        limits: { lowCreditMicro: 1, uncertain: 2 },
        most: 9,
      });
    await addUser('mary', 'admin');
    await addUser('ann', 'admin');
    const id = (await (await reader()).user('mary'))?.id ?? '';
    await ledger.addToken({ ...by(), name: 'till', role: 'admin', owners: [id], token: secret('t1') });
    await of('ae_mary', 'mary');
    await of('ae_till', 'program till');
    await of('ae_ann', 'ann');
    const left = async () => (await (await reader()).alertEndpoints()).map((row) => row.id).toSorted();
    expect(await ledger.changeRole({ ...by(), name: 'mary', role: 'admin' })).toEqual(NOTHING);
    expect(await left()).toEqual(['ae_ann', 'ae_mary', 'ae_till']);
    expect(await ledger.changeRole({ ...by(), name: 'mary', role: 'approver' })).toEqual({
      tokens: ['till'],
      alertUrls: ['https://chat.example.org/ae_mary', 'https://chat.example.org/ae_till'],
    });
    expect(await left()).toEqual(['ae_ann']);
    expect(await ledger.alertTarget('ae_mary')).toBeNull();
    expect(await ledger.removeUser({ ...by(), name: 'ann' })).toMatchObject({
      alertUrls: ['https://chat.example.org/ae_ann'],
    });
    const { entries } = await (await reader()).auditTrail({ campaign: null, limit: 3 });
    expect(entries.map(({ verb, detail }) => [verb, detail])).toEqual([
      ['remove_alert_endpoint', { endpoint: 'ae_till', user: 'mary' }],
      ['remove_user', { user: 'ann' }],
      ['remove_alert_endpoint', { endpoint: 'ae_ann', user: 'ann' }],
    ]);
  });

  it('who lost the right by which they asked changes nothing, whenever it was lost [X21]', async () => {
    const { ledger } = world();
    const campaign = await world().launch(2);
    await addUser('mary', 'admin');
    const id = (await (await reader()).user('mary'))?.id ?? '';
    await ledger.addToken({ ...by(), name: 'till', role: 'operator', owners: [id], token: secret('t1') });
    const pause = (of: AskerKey, role: Role = 'operator') =>
      askedFrom.run({ from: '10.0.0.7', right: { of, role } }, () =>
        ledger.pause(campaign.n, { ...by(), reason: 'operator' }),
      );
    const LOST = { code: 'right_lost' };
    const stateNow = async () => (await ledger.campaign(campaign.n))?.state;
    // The link of this machine ended with the first user.
    await expect(pause('home')).rejects.toMatchObject(LOST);
    await expect(pause({ user: 'user of nobody' })).rejects.toMatchObject(LOST);
    await expect(pause({ token: 't1' }, 'approver')).rejects.toMatchObject(LOST);
    // In one commit: the order comes after the change that takes the right.
    const [, late] = await Promise.allSettled([
      ledger.changeRole({ ...by(), name: 'mary', role: 'viewer' }),
      pause({ user: id }),
    ]);
    expect(late).toMatchObject({ status: 'rejected', reason: LOST });
    await expect(pause({ token: 't1' })).rejects.toMatchObject(LOST);
    expect(await stateNow()).toBe('running');
    await ledger.changeRole({ ...by(), name: 'mary', role: 'operator' });
    expect(await pause({ user: id })).toBe(true);
  });

  it('data is removed by admins alone, by whatever route it is asked for [X21]', async () => {
    const { ledger } = world();
    await addUser('mary', 'operator');
    const id = (await (await reader()).user('mary'))?.id ?? '';
    const asMary = (order: () => Promise<unknown>) =>
      askedFrom.run({ from: '10.0.0.7', right: { of: { user: id }, role: 'operator' } }, order);
    const orders = [
      () => ledger.purgeCampaign(1, by()),
      () => ledger.purgeTraces({ ...by(), before: world().now }),
      () => ledger.erasePerson({ ...by(), mobile: '254700000001' }),
    ];
    for (const order of orders) await expect(asMary(order)).rejects.toMatchObject({ code: 'right_lost' });
    await ledger.changeRole({ ...by(), name: 'mary', role: 'admin' });
    for (const order of orders) await expect(asMary(order)).resolves.toBeDefined();
  });

  it('each change of a right stands in the audit, with who and from where, and no digest does [X37]', async () => {
    const at = '10.0.0.9';
    await addUser();
    await setPassword('one');
    await askedFrom.run({ from: at }, () =>
      world().ledger.changeRole({ ...by(), name: 'mary', role: 'admin' }),
    );
    await world().ledger.addToken({
      ...by(),
      name: 'billing',
      role: 'viewer',
      owners: [],
      token: secret('t1'),
    });
    await world().ledger.removeToken({ ...by(), name: 'billing' });
    await askedFrom.run({ from: at }, () => signIn('two'));
    await world().ledger.endSession({ now: world().now, by: 'mary', digest: 'two' });
    await world().ledger.removeUser({ ...by(), name: 'mary' });
    const { entries } = await (await reader()).auditTrail({ campaign: null, limit: 20 });
    expect(entries.map((entry) => [entry.by, entry.from, entry.verb, entry.detail])).toEqual([
      ['operator otto', null, 'add_user', { user: 'mary', role: 'viewer' }],
      ['mary', null, 'set_password', {}],
      ['operator otto', at, 'set_role', { user: 'mary', was: 'viewer', role: 'admin' }],
      [
        'operator otto',
        null,
        'add_token',
        { token: 'billing', role: 'viewer', endsAt: world().now + HOUR_MS },
      ],
      ['operator otto', null, 'remove_token', { token: 'billing' }],
      ['mary', at, 'sign_in', {}],
      ['mary', null, 'sign_out', {}],
      ['operator otto', null, 'remove_user', { user: 'mary' }],
    ]);
  });

  it('every order stands in the audit with the address that it was asked from, opt-outs too [X37]', async () => {
    const campaign = await world().launch(2);
    await Promise.all([
      askedFrom.run({ from: '10.0.0.1' }, () =>
        world().ledger.pause(campaign.n, { ...by(), reason: 'operator' }),
      ),
      askedFrom.run({ from: '10.0.0.2' }, () =>
        world().ledger.addOptOuts([{ mobile: '254700000001', source: 'operator', by: 'mary' }], world().now),
      ),
      world().ledger.setRate(campaign.n, { ...by(), ratePerSecond: 5 }),
    ]);
    const { entries } = await (await reader()).auditTrail({ campaign: null, limit: 20 });
    const found = Object.fromEntries(entries.map((entry) => [entry.verb, entry.from]));
    expect(found).toMatchObject({ pause: '10.0.0.1', 'add opt-outs': '10.0.0.2', rate: null, launch: null });
  });
}
