import { beforeEach, expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

let env: Record<string, string>;
beforeEach(() => {
  env = { TUMA_HOME: makeTempDir() };
});

const documentOf = async (...args: string[]) => {
  const { code, stdout, stderr } = await tuma([...args, '--json'], { env });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, never>;
};

it('users add prints a link once, and list tells who has none left', async () => {
  const added = await tuma(['users', 'add', 'Mary', '--role', 'operator'], { env });
  expect(added.code).toBe(0);
  expect(added.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8081\/password\?link=[\w-]{43}\n$/);
  expect(added.stderr).toContain('Give this link to mary: it sets a password, works once, and ends on');
  expect(added.stderr).toContain('Nobody is an admin yet');
  const { stdout } = await tuma(['users', 'list'], { env });
  expect(stdout).toMatch(/^user\trole\tsigned in\tlink\tpassword\nmary\toperator\tnever\tuntil .*\tnone\n$/);
  expect(await documentOf('users', 'add', 'peter', '--role', 'admin')).toEqual({
    name: 'peter',
    role: 'admin',
    link: expect.stringMatching(/link=[\w-]{43}$/) as string,
    link_ends_at: expect.stringMatching(/^20/) as string,
  });
});

it('the link of an office leads to its own address', async () => {
  env['TUMA_PUBLIC_DASHBOARD_URL'] = 'https://tuma.example.org/';
  const { link } = await documentOf('users', 'add', 'mary', '--role', 'viewer');
  expect(link).toMatch(/^https:\/\/tuma\.example\.org\/password\?link=/);
});

it('a user gets another role, another link, and is removed', async () => {
  await documentOf('users', 'add', 'mary', '--role', 'viewer');
  await documentOf('tokens', 'add', 'billing', '--role', 'viewer');
  expect(await documentOf('users', 'role', 'mary', '--role', 'admin')).toEqual({
    name: 'mary',
    role: 'admin',
    tokens: [],
    alert_endpoints: [],
  });
  expect(await documentOf('users', 'link', 'mary')).toMatchObject({ name: 'mary' });
  expect(await documentOf('users', 'list')).toMatchObject({ users: [{ name: 'mary', role: 'admin' }] });
  expect(await documentOf('users', 'remove', 'mary')).toEqual({
    name: 'mary',
    tokens: [],
    alert_endpoints: [],
  });
  expect((await tuma(['users', 'list'], { env })).stdout).toMatch(/^There are no users/);
});

it.each([
  [['users', 'add', 'mary mwangi', '--role', 'viewer'], 'A name is 1 to 64 letters'],
  [['users', 'add', 'mary', '--role', 'boss'], 'Allowed choices are viewer, operator, approver, admin'],
  [['users', 'add', 'mary'], '--role'],
  [['users', 'remove', 'nobody'], 'There is no user nobody.'],
  [['users', 'link', 'nobody'], 'There is no user nobody.'],
  [['users', 'role', 'nobody', '--role', 'viewer'], 'There is no user nobody.'],
  [['tokens', 'remove', 'nobody'], 'There is no token nobody.'],
  [['tokens', 'add', 'x', '--role', 'viewer', '--expires', 'never'], 'is no time for which a token is good'],
  [['tokens', 'add', 'x', '--role', 'viewer', '--expires', '1s'], 'is no time for which a token is good'],
])('%j is refused', async (args, words) => {
  await documentOf('users', 'add', 'juma', '--role', 'admin');
  const { code, stdout, stderr } = await tuma(args, { env });
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain(words);
});

it('a name that is there is refused with what may be done instead', async () => {
  await documentOf('users', 'add', 'juma', '--role', 'admin');
  const { code, stderr } = await tuma(['users', 'add', 'JUMA', '--role', 'viewer'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('tuma users link juma');
});

it('tokens add shows the token this once, and the ledger keeps only its digest', async () => {
  const added = await documentOf('tokens', 'add', 'billing', '--role', 'operator', '--expires', '90d');
  const { token, ends_at: endsAt } = added as unknown as { token: string; ends_at: string };
  expect(token).toMatch(/^tuma_[\w-]{43}$/);
  expect(Date.parse(endsAt) - Date.now()).toBeGreaterThan(89 * 86_400_000);
  const { tokens } = (await documentOf('tokens', 'list')) as unknown as { tokens: object[] };
  expect(tokens).toEqual([
    {
      name: 'billing',
      role: 'operator',
      added_at: expect.any(String) as string,
      added_by: expect.stringMatching(/^operator/) as string,
      user: null,
      ends_at: endsAt,
      used_at: null,
    },
  ]);
  const { stdout } = await tuma(['audit', '--json'], { env });
  expect(stdout).toContain('"add_token"');
  expect(stdout).not.toContain(token.slice(5));
  const plain = await tuma(['tokens', 'add', 'other', '--role', 'viewer'], { env });
  expect(plain.stdout).toMatch(/^tuma_[\w-]{43}\n$/);
  expect((await tuma(['tokens', 'list'], { env })).stdout).toContain('other\tviewer\tnever\t');
  expect((await tuma(['tokens', 'add', 'other', '--role', 'viewer'], { env })).code).toBe(2);
  expect(await documentOf('tokens', 'remove', 'other')).toEqual({ name: 'other' });
});
