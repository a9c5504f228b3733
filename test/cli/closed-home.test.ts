import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

describe('a home that this user may not look into', () => {
  /** As another user's is; a loop of links, for root may look anywhere. */
  function closedHome(): Record<string, string> {
    const home = join(makeTempDir(), 'home');
    symlinkSync('home', home);
    return { TUMA_HOME: home };
  }

  it.each([['status'], ['report', 'bf'], ['optouts', 'list'], ['inbox'], ['verify']])(
    '%s does not call it empty',
    async (...args) => {
      const { code, stdout, stderr } = await tuma([...args, '--json'], { env: closedHome() });
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('"code":"ledger_invalid"')]);
      expect(stderr).toContain('as the user whose ledger it is');
    },
  );

  it('fails before doctor', async () => {
    const { code, stdout } = await tuma(['doctor'], { env: closedHome() });
    expect([code, stdout]).toEqual([1, expect.stringContaining('The ledger cannot be looked at (ELOOP)')]);
  });
});

it('a home that is a file is not called empty', async () => {
  const file = join(makeTempDir(), 'home');
  writeFileSync(file, '');
  const { code, stdout, stderr } = await tuma(['status'], { env: { TUMA_HOME: file } });
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('cannot be looked at (ENOTDIR)')]);
});

it('doctor fails where a launch could make no ledger', async () => {
  const { code, stdout } = await tuma(['doctor'], { env: { TUMA_HOME: '/proc/1/tuma' } });
  expect([code, stdout]).toEqual([1, expect.stringContaining('/proc/1/tuma/ledger.db cannot be made')]);
});
