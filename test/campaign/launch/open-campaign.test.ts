import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refuseLooser, withoutEffect } from '../../../src/campaign/launch/open-campaign.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { type Ran, tuma } from '../../cli/command-line.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';

/* A launch that finds its campaign open: what its flags cannot change is said, and a limit that would not hold is refused. */

const KES = 1_000_000;
const NO_FLAGS = { maxCostMicro: null, gsm: false, partial: false, again: false, at: false };

function openCampaign(budgetMicro: number | null, gsmSafe = false): Campaign {
  const settings = { currency: 'KES', gsmSafe };
  return { id: 'k7', name: 'promo', budgetMicro, settings } as Campaign;
}

describe('what an open campaign may cost', () => {
  it.each([
    { limit: null, asked: null, holds: true },
    { limit: 100, asked: null, holds: true },
    { limit: 100, asked: 100, holds: true },
    { limit: 100, asked: 200, holds: true },
    { limit: 100, asked: 99.99, holds: false },
    { limit: null, asked: 1_000_000, holds: false },
  ])('is $limit: --max-cost $asked holds: $holds', ({ limit, asked, holds }) => {
    const campaign = openCampaign(limit === null ? null : limit * KES);
    const refuse = () => refuseLooser(campaign, { maxCostMicro: asked === null ? null : asked * KES });
    if (holds) expect(refuse).not.toThrow();
    else expect(refuse).toThrow(/a limit of KES [\d,.]+ would not hold/);
  });
});

it('the texts that a campaign was launched with are no news', () => {
  expect(withoutEffect(openCampaign(null, true), { ...NO_FLAGS, gsm: true })).toEqual([]);
});

describe('the launch itself', () => {
  const due = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  let launching: LaunchingHome;
  let home: string;

  beforeAll(async () => {
    launching = await openLaunchingHome();
    home = launching.home;
    const common = 'kind: transactional\nsender: DUKA\ncontacts: ./c.csv\nwindow: always\n';
    // 71 characters, one of them not of GSM-7: two segments, or one without it.
    const long = `message: "You’ll pay by <<due>>. ${'x'.repeat(71 - 26)}"\nremind: { column: due, offset: -2d }\n`;
    writeFileSync(join(home, 'promo.yaml'), `name: promo\n${common}message: Hi\n`);
    writeFileSync(join(home, 'rent.yaml'), `name: rent\n${common}${long}`);
    contacts(2);
  });
  afterAll(async () => launching.close());

  function contacts(people: number): void {
    const rows = Array.from({ length: people }, (_, who) => `25470000000${who},${due}\n`);
    writeFileSync(join(home, 'c.csv'), `phone,due\n${rows.join('')}`);
  }

  async function launch(name: string, ...flags: string[]): Promise<Ran> {
    // Whoever would go on needs a Redis.
    const env = { ...launching.env, TUMA_REDIS_URL: 'redis://127.0.0.1:1' };
    return tuma(['launch', join(home, `${name}.yaml`), '--yes', ...flags], { env });
  }

  function refusal({ code, stdout, stderr }: Ran) {
    expect(stdout).toBe('');
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string; hint: string } };
    return { exit: code, ...error };
  }

  /** Segments of each message of a campaign, by line. */
  function segmentsOf(name: string): number[] {
    const database = new DatabaseSync(join(home, 'ledger.db'), { readOnly: true });
    const rows = database
      .prepare('SELECT segments FROM message JOIN campaign ON n = campaign WHERE name = ? ORDER BY line')
      .all(name);
    database.close();
    return rows.map((row) => Number(row['segments']));
  }

  it('refuses --max-cost where the open campaign has no limit, before anything goes on, and says which flags change nothing', async () => {
    expect(await launch('promo')).toMatchObject({ code: 0 });
    const refused = refusal(await launch('promo', '--max-cost', '50', '--wait', '--json'));
    expect(refused).toMatchObject({ exit: 2, code: 'over_max_cost' });
    expect(refused.message).toMatch(
      /^Campaign \w{8} \(promo\) is open already, without a limit on its cost: a limit of KES 50\.00 would not hold\. Nothing was changed\.$/,
    );
    expect(refused.hint).toMatch(/leave --max-cost out\. Stop it: tuma pause (\w{8}), .*: tuma cancel \1$/);
    const { code, stderr } = await launch(
      'promo',
      '--again',
      '--gsm',
      '--partial',
      '--at',
      '2027-01-04T09:00',
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /--at, --again, --gsm, --partial change nothing, because the campaign is open already\. To begin anew: tuma cancel \w{8}, then launch with --again\.\n/,
    );
  });

  it('corrects an open campaign under its own limit, with its own texts', async () => {
    expect(await launch('rent', '--max-cost', '100')).toMatchObject({ code: 0 });
    const same = await launch('rent', '--max-cost', '100');
    expect(same.stderr).toMatch(/open already: going on with it\.\n(?!--max-cost)/);
    contacts(3);
    const refused = refusal(await launch('rent', '--max-cost', '99.99', '--json'));
    expect(refused).toMatchObject({ exit: 2, code: 'over_max_cost' });
    expect(refused.message).toContain('and may cost KES 100.00: a limit of KES 99.99 would not hold.');
    expect(segmentsOf('rent')).toEqual([2, 2]);
    const { code, stderr } = await launch('rent', '--max-cost', '100', '--gsm', '--partial');
    expect(code).toBe(0);
    expect(stderr).toContain('follows these contacts now');
    expect(stderr).toContain('--gsm changes nothing, because');
    expect(stderr).not.toContain('--partial');
    expect(segmentsOf('rent')).toEqual([2, 2, 2]);
  });
});
