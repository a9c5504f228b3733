import { hintOf } from '../../../src/cli/text/advice-text.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  sameContactsWarnings,
  canceledBefore,
  latestOfSame,
  launchedWarnings,
  sentBeforeWarnings,
} from '../../../src/campaign/launch/previous-launches.ts';
import type { Campaign, CampaignHashes } from '../../../src/domain/campaign.ts';
import type { CampaignOverview, LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { openLedgerHere } from '../../support/ledger-here.ts';
import { type Ran, tuma } from '../../cli/command-line.ts';
import { warningWords } from '../../../src/cli/text/plan-warnings.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';

/* Launches of the very same files: what was canceled is told, and begins anew only where somebody says so. */

const DAY_MS = 24 * 3_600_000;

let launching: LaunchingHome;
let home: string;

beforeAll(async () => {
  launching = await openLaunchingHome();
  home = launching.home;
  const common = 'kind: promotional\nsender: DUKA\ncontacts: ./c.csv\nwindow: always\nmessage: Hi\n';
  writeFileSync(join(home, 'promo.yaml'), `name: promo\n${common}`);
  writeFileSync(join(home, 'weekly.yaml'), `name: weekly\n${common}every: { cron: "0 9 * * mon" }\n`);
  writeFileSync(join(home, 'fired.yaml'), `name: fired\n${common}every: { cron: "0 9 * * mon" }\n`);
  writeFileSync(join(home, 'c.csv'), 'phone\n254700000001\n254700000002\n');
});
afterAll(async () => launching.close());

async function run(...args: string[]): Promise<Ran> {
  return tuma(args, { env: launching.env });
}

async function launch(job: string, ...flags: string[]): Promise<Ran> {
  return run('launch', join(home, `${job}.yaml`), '--yes', '--rejects', join(home, 'r.csv'), ...flags);
}

/** What a plan of it warns of. */
async function warningsOf(job: string): Promise<string[]> {
  const { stdout } = await run('plan', join(home, `${job}.yaml`), '--json', '--rejects', join(home, 'r.csv'));
  return (JSON.parse(stdout) as { warnings: { text: string }[] }).warnings.map(({ text }) => text);
}

/** Launches and answers the campaign's id. */
async function launched(job: string, ...flags: string[]): Promise<string> {
  const { stdout } = await launch(job, '--json', ...flags);
  return (JSON.parse(stdout) as { campaign: { id: string } }).campaign.id;
}

it.each([
  ['promo', 'which was canceled.', expect.stringContaining('To send to them after all: tuma export ')],
  ['weekly', 'which was canceled.', ''],
])(
  '%s that was canceled is refused with what begins it anew, and never passes for sent',
  async (job, words, note) => {
    const id = await launched(job, ...(job === 'promo' ? ['--at', '2099-01-04T09:00'] : []));
    if (job === 'promo') {
      const { stderr } = await launch(job, '--at', '2099-01-05T09:00');
      expect(stderr).toContain(
        `--at changes nothing, because the campaign is open already. To begin anew: tuma cancel ${id}, then launch with --again.\n`,
      );
    }
    expect(await run('cancel', id, '--yes')).toMatchObject({ code: 0, stderr: note });
    expect(await warningsOf(job)).toContain(
      `a launch is refused: These files were launched as ${id}, ${words} --again launches all of them anew.`,
    );
    const { code, stdout, stderr } = await launch(job, '--json');
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'state_forbids',
        message: `These files were launched as ${id}, ${words}`,
        hint: '--again launches all of them anew.',
        where: id,
      },
    });
    const anew = await launch(job, '--again');
    expect(anew.code).toBe(0);
    expect(anew.stderr).toMatch(/\nLaunched as \w{8}\.\n/);
    expect(anew.stderr).not.toContain('get it again');
  },
);

it('a recurring job that is canceled tells of all its firings that go on', async () => {
  const id = await launched('fired');
  const ledger = await openLedgerHere(join(home, 'ledger.db'));
  const due = await ledger.dueSchedules(Date.now() + 8 * DAY_MS);
  const { schedule, nextAt = 0 } = due.find((each) => each.schedule.id === id) ?? {};
  for (let fired = 0, at = nextAt; fired < 12; fired += 1, at += 7 * DAY_MS) {
    const names = { id: `firing${20 + fired}`, name: `fired ${fired}` };
    const times = { nextAt: at, fireAt: at, missed: [], followingAt: at + 7 * DAY_MS, now: Date.now() };
    expect(await ledger.fire({ schedule: schedule?.n ?? 0, ...names, ...times })).toMatchObject(names);
  }
  await ledger.close();
  const canceled = await run('cancel', id, '--yes');
  expect(canceled.stdout).toBe('fired is canceled: it fires no more.\n');
  expect(canceled.stderr.split('\n').sort().slice(1, 3)).toEqual([
    'fired 0 was fired before and is still running: tuma cancel firing20',
    'fired 1 was fired before and is still running: tuma cancel firing21',
  ]);
  const { firings } = JSON.parse((await run('cancel', id, '--json')).stdout) as { firings: unknown[] };
  expect(firings).toHaveLength(12);
  expect(firings).toContainEqual({ id: 'firing20', name: 'fired 0', state: 'running', reason: null });
  const stopped = await run('cancel', 'firing22', '--yes');
  expect(stopped.stdout).toContain(': 2 messages will not be sent.');
  expect(stopped.stderr).toMatch(
    / rest-firing22\.csv, and launch a job without `every` with --contacts rest-firing22\.csv\.\n$/,
  );
});

it('what guards a promotion is told with what it does not guard from', async () => {
  const { stdout } = await run('plan', join(home, 'promo.yaml'), '--rejects', join(home, 'r.csv'));
  expect(stdout).toMatch(
    /\nguards +skips anyone who got this same text from another campaign in the last 1d \(relaunches of these files excepted\)\n/,
  );
});

/** A launch of the same files of which so many messages came to that. */
function before(id: string, counts: Partial<CampaignOverview['messages']>, remind = false): CampaignOverview {
  const none = { queued: 0, sending: 0, sent: 0, rejected: 0, uncertain: 0, skipped: 0, canceled: 0 };
  const campaign = { id, settings: remind ? { remind: {} } : {} };
  return { campaign, messages: { ...none, written_off: 0, ...counts } } as CampaignOverview;
}

it('what was canceled in the middle is told with how many were sent, and how the others are', () => {
  const error = canceledBefore({ id: 'k7' }, [before('k7', { sent: 26, canceled: 34 })]);
  const { message } = error;
  expect(message).toBe('These files were launched as k7, which was canceled after 26 of 60 were sent.');
  expect(hintOf(error)).toBe(
    'To send to the others: tuma export k7 --as contacts --state canceled --out rest-k7.csv, and launch with --contacts rest-k7.csv. --again launches all of them anew.',
  );
});

it.each([
  ['running', false, 'these files are k7, which is open: a launch goes on with it'],
  ['finished', true, 'these files were sent as k7: a launch shows its report; --again sends them anew'],
] as const)(
  'a plan of files that were launched before, %s, says what a launch would be',
  async (state, settled, words) => {
    const hashes = { job: 'j', template: 't', contacts: 'c' };
    const latest = { ...before('k7', { sent: 3 }), state };
    const campaign = { ...latest.campaign, name: 'promo', hashes, state } as Campaign;
    const reader = { find: async () => [campaign], overview: async () => ({ ...latest, campaign }) };
    const said = async (name: string, asked: CampaignHashes) => {
      const warnings = await launchedWarnings(
        { reader: async () => reader as unknown as LedgerReader },
        { latestNamed: async () => (name === 'promo' ? { campaign, settled } : null) },
        { name, hashes: asked },
      );
      return warnings.map(warningWords);
    };
    expect(await said('promo', hashes)).toEqual([words]);
    expect(await said('other', hashes)).toEqual([]);
    const changed = await said('promo', { ...hashes, template: 'another' });
    expect(changed).toEqual(
      settled
        ? []
        : [
            expect.stringMatching(
              /^a launch is refused: Campaign k7 \(promo\) is still running, and the template changed/,
            ),
          ],
    );
  },
);

it.each([
  ['finished', 'settled'],
  ['canceled', 'canceled'],
  ['running', 'continue'],
] as const)('files that others of their name came after, %s, are %s, not new', (state, launch) => {
  const latest = { ...before('k7', { sent: 3 }), state };
  const { campaign } = latest;
  expect(latestOfSame({ launch: 'new' }, [latest, before('k6', {})])).toEqual({ launch, campaign });
  expect(latestOfSame({ launch: 'new' }, [])).toEqual({ launch: 'new' });
  expect(latestOfSame({ launch: 'new' }, [{ ...before('k5', {}, true), state }])).toEqual({ launch: 'new' });
});

it('what is on the wire, or uncertain, may have been sent, also where it was written off', () => {
  const counts = { sent: 5, sending: 1, uncertain: 2, written_off: 1, rejected: 1, canceled: 1 };
  const { message } = canceledBefore({ id: 'k7' }, [before('k7', counts)]);
  expect(message).toContain('after 5 of 10 were sent, and 3 may have been.');
  const uncertain = canceledBefore({ id: 'k7' }, [before('k7', { uncertain: 1 })]);
  expect(uncertain.message).toContain('after 0 of 1 were sent, and 1 may have been.');
});

it('the latest launch that sent any is told of, and reminders that went out never go again', () => {
  const launches = [
    before('k9', { canceled: 6 }),
    before('k8', { sent: 1500, uncertain: 1 }),
    before('k7', { sent: 2 }, true),
  ];
  const said = 'k8 sent these files before, or may have, to 1,501: people in both launches get it again';
  expect(sentBeforeWarnings(launches).map(warningWords)).toEqual([said]);
});

it.each<[string[] | undefined, string[] | undefined, number]>([
  [undefined, ['-2d', '0d'], 1],
  [['-2d', '0d'], undefined, 1],
  [['-2d', '0d'], ['-7d', '-2d', '0d'], 0],
  [['-2d', '0d'], ['-48h', '0d'], 1],
  [['-2d', '0d'], ['-2d', '-2h'], 0],
  [undefined, undefined, 0],
])(
  'a change from the offsets %j to %j is warned of %i times, because a reminder of today would go again',
  async (was, is, count) => {
    const campaign = { id: 'r-1', settings: { remind: { series: was } } };
    const ledger = { latestNamed: async () => ({ campaign }), latestOfContacts: async () => null };
    const draft = { name: 'rent', settings: { remind: { series: is } } };
    const env = { clock: systemClock, settings: { zone: 'UTC' } };
    const warnings = await sameContactsWarnings(
      env as never,
      ledger as never,
      { draft, hashes: {} } as never,
    );
    const warned = [{ code: 'other_offset', facts: { campaign: 'r-1' } }];
    expect(warnings).toEqual(count === 0 ? [] : warned);
  },
);
