import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { addToken } from '../../src/campaign/people/tokens.ts';
import { changeRole, linkForUser, removeUser } from '../../src/campaign/people/users.ts';
import { dashboardToken } from '../../src/config/dashboard-token.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { makeUser, PASSWORD, signedIn, WebBrowser } from '../support/web-browser.ts';
import { WebHere } from '../support/web-here.ts';

let web: WebHere;
beforeEach(async () => {
  web = await WebHere.open(makeTempDir());
});

const change = () => ({ now: web.services.clock.now(), by: 'operator otto' });
const filled = (url: string) => url.replaceAll(/:\w+/g, 'mary').replaceAll('*', 'x');

/** Every row of the ledger, except for when sessions were used. */
function rowsOf({ services }: WebHere): Record<string, unknown> {
  const database = new DatabaseSync(services.config.ledgerFile, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const all = Object.fromEntries(
    tables
      .map(({ name }) => String(name))
      .map((name) => [
        name,
        name === 'web_session' ? null : database.prepare(`SELECT * FROM "${name}"`).all(),
      ]),
  );
  database.close();
  return all;
}

describe('all routes of the router', () => {
  /** Whatever answers to somebody unknown. A new one needs a reason. */
  const OPEN = [
    // What the API is, for whoever writes a program.
    'GET /favicon.svg',
    'GET /health',
    'HEAD /health',
    'GET /metrics',
    'GET /open',
    'GET /password',
    'POST /password',
    'GET /sign-in',
    'POST /sign-in',
    'POST /sign-out',
    'POST /language',
  ];

  test('without a session each is 401, or one of the few that are open [X21]', async () => {
    await makeUser(web, 'mary', 'admin');
    const open = web.routes.filter(({ may }) => may === 'open');
    const named = open.map(({ method, url }) => `${method} ${url}`);
    expect(named.filter((each) => !each.startsWith('GET /assets/')).toSorted()).toEqual(OPEN.toSorted());
    const closed = web.routes.filter(({ may }) => may !== 'open');
    expect(closed.length).toBeGreaterThan(10);
    const before = rowsOf(web);
    for (const { method, url } of closed) {
      const { status, text } = await new WebBrowser(web).ask(filled(url), { method });
      expect([method, url, status]).toEqual([method, url, 401]);
      if (!url.startsWith('/api/')) expect(text).toContain('name="password"');
    }
    expect(rowsOf(web)).toEqual(before);
  });

  test('a viewer asks each route that is not for viewers, and nothing changes [X21]', async () => {
    const story = await LedgerStory.begin();
    await story.launch({ id: 'mary', name: 'promo', messages: 3 });
    web = await WebHere.open(story.directory);
    await makeUser(web, 'vera', 'viewer');
    await makeUser(web, 'mary', 'operator');
    const vera = await signedIn(web, 'vera');
    const token = await vera.formToken('/campaigns');
    const before = rowsOf(web);
    const refused = web.routes.filter(({ may }) => may !== 'open' && may !== 'viewer');
    expect(refused.length).toBeGreaterThan(10);
    for (const { method, url } of refused) {
      const fields =
        method === 'GET' || method === 'HEAD'
          ? {}
          : { fields: { _csrf: token, role: 'admin', name: 'vera' } };
      const { status } = await vera.ask(filled(url), { method, ...fields });
      expect([method, url, status]).toEqual([method, url, 403]);
    }
    expect(rowsOf(web)).toEqual(before);
  });

  test('a viewer changes nothing by looking: no GET leaves a trace [X22]', async () => {
    await makeUser(web, 'vera', 'viewer');
    const vera = await signedIn(web, 'vera');
    const before = rowsOf(web);
    for (const { url } of web.routes.filter(({ method, may }) => method === 'GET' && may === 'viewer'))
      if (!url.includes(':')) await vera.ask(url);
    expect(rowsOf(web)).toEqual(before);
  });

  test('a viewer sends only searches, which change nothing, and the way out [X21]', async () => {
    await makeUser(web, 'vera', 'viewer');
    const vera = await signedIn(web, 'vera');
    const sent = web.routes.filter(({ method, may }) => method !== 'GET' && may === 'viewer');
    const OUT = '/sign-out-everywhere';
    expect(sent.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
      'POST /api/v1/find',
      'POST /api/v1/optouts/find',
      'POST /find',
      'POST /optouts',
      `POST ${OUT}`,
    ]);
    const before = rowsOf(web);
    for (const { url } of sent.filter(({ url: each }) => each !== OUT))
      await vera.send(url, { q: '0712345678', number: '0712345678', mobile: '0712345678' }, '/campaigns');
    expect(rowsOf(web)).toEqual(before);
  });

  test('each asks for a role in its own words, and the program does not start without one', () => {
    expect(web.routes.map(({ may }) => may)).not.toContain('undefined');
  });
});

describe('a form', () => {
  test('without its token, or with that of another session, changes nothing [X22]', async () => {
    await makeUser(web, 'mary', 'admin');
    await makeUser(web, 'juma', 'admin');
    const mary = await signedIn(web, 'mary');
    const juma = await signedIn(web, 'juma');
    const before = rowsOf(web);
    const fields = { name: 'evil', role: 'admin' };
    const of = async (token: string) =>
      (await mary.ask('/users/add', { method: 'POST', fields: { ...fields, _csrf: token } })).status;
    expect(await of('')).toBe(403);
    expect(await of('wrong')).toBe(403);
    // Somebody who set her cookie, too, has no token of her session.
    const [name = ''] = [...juma.cookies.keys()].filter((each) => each.startsWith('tuma-form'));
    mary.cookies.set(name, juma.cookies.get(name) ?? '');
    expect(await of(await juma.formToken('/users/add'))).toBe(403);
    expect(rowsOf(web)).toEqual(before);
    expect(await of(await mary.formToken('/users/add'))).toBe(200);
  });

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:9999' }],
  ])('of another site (%j) is refused, though its token is right [X22]', async (headers) => {
    await makeUser(web, 'mary', 'admin');
    const mary = await signedIn(web, 'mary');
    const before = rowsOf(web);
    const fields = { name: 'evil', role: 'admin' };
    const { status } = await mary.send('/users/add', fields, '/users/add', { headers });
    expect(status).toBe(403);
    expect(rowsOf(web)).toEqual(before);
  });

  test('that was loaded before the program ended is taken by the next one', async () => {
    await makeUser(web, 'mary', 'admin');
    const mary = await signedIn(web, 'mary');
    const token = await mary.formToken('/users/add');
    const { home } = web.services.config;
    await web.app.close();
    await web.services.dispose();
    const next = new WebBrowser(await WebHere.open(home));
    for (const [name, value] of mary.cookies) next.cookies.set(name, value);
    const fields = { _csrf: token, name: 'juma', role: 'viewer' };
    expect((await next.ask('/users/add', { method: 'POST', fields })).status).toBe(200);
  });

  test('of our own page is taken', async () => {
    await makeUser(web, 'mary', 'admin');
    const mary = await signedIn(web, 'mary');
    const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' };
    const added = await mary.send('/users/add', { name: 'juma', role: 'viewer' }, '/users/add', { headers });
    expect(added.status).toBe(200);
  });
});

describe('the address', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:8081'])(
    'a page that pointed its name here (%s) sees nothing [X21]',
    async (host) => {
      const mary = new WebBrowser(web, host);
      const { status, text } = await mary.ask('/sign-in');
      expect(status).toBe(403);
      expect(text).not.toContain('name="password"');
    },
  );

  test('no page stands in a frame, names its address to others, or is kept', async () => {
    await makeUser(web, 'mary', 'viewer');
    const { headers } = await (await signedIn(web, 'mary')).ask('/campaigns');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
    for (const url of ['/users', '/nothing']) {
      const refused = await (await signedIn(web, 'mary')).ask(url);
      expect([url, refused.headers['cache-control']]).toEqual([url, 'no-store']);
    }
  });

  test('an office is reached by its name and by TLS, and its cookies go nowhere else', async () => {
    const settings = {
      TUMA_PUBLIC_DASHBOARD_URL: 'https://tuma.example.org',
      TUMA_TRUSTED_PROXIES: '127.0.0.1',
    };
    web = await WebHere.open(makeTempDir(), settings);
    await makeUser(web, 'mary', 'admin');
    const office = new WebBrowser(web, 'tuma.example.org');
    const headers = { origin: 'https://tuma.example.org', 'x-forwarded-for': '203.0.113.9' };
    const signIn = await office.send('/sign-in', { user: 'mary', password: PASSWORD }, '/sign-in', {
      headers,
    });
    expect(signIn.status).toBe(303);
    expect(signIn.headers['set-cookie']).toMatch(
      /^__Host-tuma=[\w-]{43}; Path=\/; Expires=.*; HttpOnly; Secure; SameSite=Strict$/,
    );
    const plain = { origin: 'http://tuma.example.org' };
    expect((await office.send('/sign-out', {}, '/me', { headers: plain })).status).toBe(403);
    const { entries } = await (await web.services.reader()).auditTrail({ campaign: null, limit: 1 });
    expect(entries[0]).toMatchObject({ by: 'mary', verb: 'sign_in', from: '203.0.113.9' });
    expect((await new WebBrowser(web, 'other.example.org').ask('/sign-in')).status).toBe(403);
    expect((await office.ask('/metrics')).status).toBe(401);
  });
});

describe('signing in', () => {
  test('leads to the page that was asked for, and never to another site', async () => {
    await makeUser(web, 'mary', 'viewer');
    const browser = new WebBrowser(web);
    const asked = await browser.ask('/me?x=1');
    expect(asked.status).toBe(401);
    expect(asked.text).toContain('name="next" value="/me?x=1"');
    const go = (next: string) => browser.send('/sign-in', { user: 'mary', password: PASSWORD, next });
    expect((await go('/me')).location).toBe('/me');
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '',
    ])
      expect(
        (await new WebBrowser(web).send('/sign-in', { user: 'mary', password: PASSWORD, next })).location,
      ).toBe('/campaigns');
    expect((await browser.ask('/me')).text).toContain('Your role: viewer.');
    expect((await browser.ask('/sign-in')).location).toBe('/campaigns');
  });

  test('with a wrong password says the same as with a wrong name, and keeps the name', async () => {
    await makeUser(web, 'mary', 'viewer');
    const browser = new WebBrowser(web);
    const answers = [
      await browser.send('/sign-in', { user: 'mary', password: 'wrong words here' }),
      await browser.send('/sign-in', { user: '"><script>', password: 'wrong words here' }),
    ];
    for (const { status, text } of answers) {
      expect(status).toBe(422);
      expect(text).toContain('Name or password is wrong');
      expect(text).not.toContain('wrong words here');
    }
    expect(answers[1]?.text).toContain('value="&quot;&gt;&lt;script&gt;"');
    expect(answers[1]?.text).not.toContain('><script>"');
    expect((await browser.ask('/campaigns')).status).toBe(401);
  });

  test('is held back after ten failures, and says until when [X21]', async () => {
    await makeUser(web, 'mary', 'viewer');
    const browser = new WebBrowser(web);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await browser.send('/sign-in', { user: 'mary', password: 'wrong' })).status).toBe(422);
    const held = await browser.send('/sign-in', { user: 'mary', password: PASSWORD });
    expect(held.status).toBe(429);
    expect(Number(held.headers['retry-after'])).toBeGreaterThan(800);
    expect(held.text).toContain('Too many tries. Wait until');
    expect((await browser.ask('/campaigns')).status).toBe(401);
  });

  test('takes another secret than the browser had, and the old one is of no use', async () => {
    await makeUser(web, 'mary', 'viewer');
    const browser = await signedIn(web, 'mary');
    const name = [...browser.cookies.keys()].find((each) => each.startsWith('tuma-8081')) ?? '';
    const first = browser.cookies.get(name) ?? '';
    await browser.send('/sign-in', { user: 'mary', password: PASSWORD }, '/campaigns');
    expect(browser.cookies.get(name)).toMatch(/^[\w-]{43}$/);
    expect(browser.cookies.get(name)).not.toBe(first);
    const thief = new WebBrowser(web);
    thief.cookies.set(name, first);
    expect((await thief.ask('/campaigns')).status).toBe(401);
  });
});

describe('a session', () => {
  test('ends by signing out, in this browser or in all', async () => {
    await makeUser(web, 'mary', 'viewer');
    const [one, two, three] = [
      await signedIn(web, 'mary'),
      await signedIn(web, 'mary'),
      await signedIn(web, 'mary'),
    ];
    const kept = new Map(one.cookies);
    expect((await one.send('/sign-out', {}, '/campaigns')).location).toBe('/sign-in');
    for (const [name, value] of kept) one.cookies.set(name, value);
    expect((await one.ask('/campaigns')).status).toBe(401);
    expect((await two.ask('/campaigns')).status).toBe(200);
    await two.send('/sign-out-everywhere', {}, '/me');
    expect((await two.ask('/campaigns')).status).toBe(401);
    expect((await three.ask('/campaigns')).status).toBe(401);
  });

  test('ends with a new role, and with its user', async () => {
    await makeUser(web, 'mary', 'admin');
    const mary = await signedIn(web, 'mary');
    expect((await mary.ask('/users')).status).toBe(200);
    const ledger = await web.services.ledger();
    await changeRole({ ledger, change: change(), name: 'mary', role: 'viewer' });
    expect((await mary.ask('/users')).status).toBe(401);
    await signedIn(web, 'mary', mary);
    expect((await mary.ask('/users')).status).toBe(403);
    await makeUser(web, 'juma', 'admin');
    await removeUser({ ledger, change: change(), name: 'mary' });
    expect((await mary.ask('/campaigns')).status).toBe(401);
  });

  test('that ends ends what its browser shows live, and so does the end of a token [X21]', async () => {
    const story = await LedgerStory.begin();
    await story.launch({ id: 'promo-1', name: 'promo', messages: 3 });
    web = await WebHere.open(story.directory);
    await makeUser(web, 'mary', 'viewer');
    const mary = await signedIn(web, 'mary');
    const ledger = await web.services.ledger();
    const program = { name: 'billing', role: 'viewer', owners: [], lastsMs: 600_000 } as const;
    const { token } = await addToken({ ledger, change: change(), ...program });
    const { origin } = await web.listen();
    const cookie = [...mary.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const streams = await Promise.all([
      fetch(`${origin}/campaigns/promo-1/live`, { headers: { cookie } }),
      fetch(`${origin}/api/v1/campaigns/promo-1/events`, { headers: { authorization: `Bearer ${token}` } }),
    ]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const ended = Promise.allSettled(streams.map((stream) => stream.text()));
    await ledger.endSessions({ ...change(), name: 'mary' });
    await ledger.removeToken({ ...change(), name: 'billing' });
    // Nothing else ends them: the campaign goes on.
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('of the link of this machine ends when there is a user, and so does the link', async () => {
    const token = (await dashboardToken(web.services.config)).reveal();
    const home = new WebBrowser(web);
    expect((await home.ask('/campaigns')).text).toContain('Open the pages by their link');
    expect((await home.ask('/open?token=wrong')).status).toBe(401);
    expect((await home.ask(`/open?token=${token}`)).location).toBe('/campaigns');
    expect((await home.ask('/users')).status).toBe(200);
    const form = await home.send('/users/add', { name: 'mary', role: 'viewer' });
    expect([form.status, form.text]).toEqual([
      422,
      expect.stringContaining('The first user has to be an admin'),
    ]);
    const made = await home.send('/users/add', { name: 'mary', role: 'admin' });
    expect(made.text).toContain('The link of this machine opens nothing from now on');
    expect((await home.ask('/campaigns')).status).toBe(401);
    expect((await home.ask(`/open?token=${token}`)).status).toBe(401);
  });
});

describe('a link for the first sign-in', () => {
  const linkOf = async (name: string) => {
    const ledger = await web.services.ledger();
    return (await linkForUser({ ledger, change: change(), name })).secret;
  };

  test('sets a password once and signs in', async () => {
    await makeUser(web, 'mary', 'operator');
    const link = await linkOf('mary');
    const browser = new WebBrowser(web);
    const page = await browser.ask(`/password?link=${link}`);
    expect(page.status).toBe(200);
    expect(page.headers['cache-control']).toBe('no-store');
    const set = (password: string) => browser.send('/password', { link, password }, `/password?link=${link}`);
    const weak = await set('Mary is here');
    expect(weak.status).toBe(422);
    expect(weak.text).toContain('The password holds your name');
    expect(weak.text).not.toContain('Mary is here');
    expect((await set('nine small boats')).location).toBe('/campaigns');
    expect((await browser.ask('/me')).text).toContain('<h1>mary</h1>');
    const stranger = new WebBrowser(web);
    expect((await stranger.ask(`/password?link=${link}`)).status).toBe(404);
    const again = await stranger.send('/password', { link, password: 'ten small boats' }, '/sign-in');
    expect([again.status, again.text]).toEqual([
      404,
      expect.stringContaining('This link does not work any more'),
    ]);
    expect((await stranger.send('/sign-in', { user: 'mary', password: PASSWORD })).status).toBe(422);
  });
});

describe('a program', () => {
  const tokenFor = async (name: string, lastsMs: number) => {
    const ledger = await web.services.ledger();
    return (await addToken({ ledger, change: change(), name, role: 'viewer', owners: ['mary'], lastsMs }))
      .token;
  };
  /** An address that no route has tells who is known: 404 then, and 401 else. */
  const status = async (authorization: string, path = '/api/v1/nothing') =>
    (await new WebBrowser(web).ask(path, { headers: { authorization } })).status;

  test('shows its token below /api and nowhere else [X21]', async () => {
    const token = await tokenFor('billing', 60_000);
    expect(await status(`Bearer ${token}`)).toBe(404);
    expect(await status(`bearer ${token}`)).toBe(404);
    expect(await status(`Bearer ${token}x`)).toBe(401);
    expect(await status(`Basic ${token}`)).toBe(401);
    expect(await status('Bearer ')).toBe(401);
    expect(await status(`Bearer ${token}`, '/campaigns')).toBe(401);
    expect(await status(`Bearer ${token}`, `/campaigns?token=${token}`)).toBe(401);
  });

  test('with a token that ended or was removed is unknown', async () => {
    const ended = await tokenFor('old', -1);
    expect(await status(`Bearer ${ended}`)).toBe(401);
    const token = await tokenFor('billing', 60_000);
    expect(await status(`Bearer ${token}`)).toBe(404);
    await (await web.services.ledger()).removeToken({ ...change(), name: 'billing' });
    expect(await status(`Bearer ${token}`)).toBe(401);
  });

  test('with a wrong token is unknown, though its browser has a session', async () => {
    await makeUser(web, 'mary', 'admin');
    const mary = await signedIn(web, 'mary');
    expect((await mary.ask('/api/v1/nothing', { headers: { authorization: 'Bearer x' } })).status).toBe(401);
  });
});

describe('the header of a proxy', () => {
  /** Real requests, because only they keep a header that comes twice. */
  async function asked(headers: Record<string, string | string[]>, proxies = '127.0.0.1') {
    const env = { TUMA_TRUSTED_PROXIES: proxies, TUMA_DASHBOARD_USER_HEADER: 'X-Remote-User' };
    web = await WebHere.open(makeTempDir(), env);
    await makeUser(web, 'mary', 'viewer');
    await makeUser(web, 'root', 'admin');
    const { origin } = await web.listen();
    const sent = request(`${origin}/me`, { headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const text = (await answer.toArray()).join('');
    return { status: answer.statusCode, text };
  }

  test('names the user', async () => {
    const { status, text } = await asked({ 'x-remote-user': 'Mary' });
    expect(status).toBe(200);
    expect(text).toContain('<h1>mary</h1>');
  });

  test.each([
    ['an unknown user', { 'x-remote-user': 'nobody' }],
    ['nothing in it', { 'x-remote-user': '' }],
    ['two users', { 'x-remote-user': ['mary', 'root'] }],
    ['the same user twice', { 'x-remote-user': ['mary', 'mary'] }],
    ['two users in one', { 'x-remote-user': 'mary, root' }],
  ])('with %s is refused', async (_what, headers) => {
    expect((await asked(headers)).status).toBe(403);
  });

  test('from anybody else means nothing', async () => {
    expect((await asked({ 'x-remote-user': 'root' }, '10.0.0.1')).status).toBe(401);
  });

  test('left out leaves a person to sign in', async () => {
    expect((await asked({})).status).toBe(401);
  });
});

test('the secret of the link is made at the start, for its owner only', async () => {
  const { statSync } = await import('node:fs');
  const { mode } = statSync(join(web.services.config.home, 'dashboard-token'));
  expect(mode & 0o777).toBe(0o600);
});
