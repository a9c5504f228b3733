import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { webhookToken } from '../../src/config/webhook-token.ts';
import { Secret } from '../../src/config/secret.ts';
import { makeTempDir } from '../support/temp-home.ts';

it('makes an unguessable token that only this user can read, and keeps it', async () => {
  const home = join(makeTempDir(), 'new');
  const token = (await webhookToken({ home, webhookToken: null })).reveal();
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(statSync(join(home, 'webhook-token')).mode & 0o777).toBe(0o600);
  expect((await webhookToken({ home, webhookToken: null })).reveal()).toBe(token);
});

it('gives one token to many that make it at once', async () => {
  const home = makeTempDir();
  const tokens = await Promise.all(
    Array.from({ length: 20 }, () => webhookToken({ home, webhookToken: null })),
  );
  expect(new Set(tokens.map((token) => token.reveal())).size).toBe(1);
});

it('prefers the setting, and makes no file then', async () => {
  const home = makeTempDir();
  const given = new Secret('a'.repeat(22));
  expect(await webhookToken({ home, webhookToken: given })).toBe(given);
  expect(() => readFileSync(join(home, 'webhook-token'))).toThrow('ENOENT');
});

it('refuses a damaged token instead of serving on a guessable address', async () => {
  const home = makeTempDir();
  writeFileSync(join(home, 'webhook-token'), 'abc\n');
  await expect(webhookToken({ home, webhookToken: null })).rejects.toMatchObject({ code: 'config_invalid' });
});

it.skipIf(process.getuid?.() === 0)('says so when the token cannot be stored', async () => {
  const home = makeTempDir();
  chmodSync(home, 0o500);
  await expect(webhookToken({ home, webhookToken: null })).rejects.toMatchObject({ code: 'file_unwritable' });
});
