import { describe, expect, it } from 'vitest';
import { type ListStyle, campaignTable } from '../../../src/cli/text/status-list.ts';
import { displayWidth } from '../../../src/cli/text/table.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';
import { LedgerStory, T0 } from '../../support/ledger-story.ts';
import { tuma } from '../command-line.ts';

/* `tuma status` on a terminal: no row is wider than it, and what matters most is shown. */

const style = (width: number | null): ListStyle => ({ zone: 'Africa/Nairobi', now: T0, width });

function overview(name: string, counts: Partial<CampaignOverview['messages']>): CampaignOverview {
  const none = { queued: 0, sending: 0, sent: 0, rejected: 0, uncertain: 0, skipped: 0, canceled: 0 };
  const messages = { ...none, written_off: 0, ...counts };
  const campaign = { id: 'k7abcdef', name, state: 'paused', startAt: null };
  const state = { state: 'paused', reason: 'credentials', startedAt: T0, spentMicro: 1_234_567_800_000 };
  return { campaign, messages, ...state } as CampaignOverview;
}

const LONG = 'november-newsletter-to-everybody-in-the-county';
const many = [overview(LONG, { sent: 1_000_000, queued: 500_000, rejected: 3 }), overview('a', {})];

/** The widest line and the headings. */
function shown(campaigns: CampaignOverview[], width: number) {
  const lines = campaignTable(campaigns, style(width)).split('\n');
  return { widest: Math.max(...lines.map(displayWidth)), headings: lines[0]?.split(/ +/), lines };
}

describe('the list of campaigns', () => {
  it('is whole where there is room, and for a program', () => {
    const all = ['id', 'name', 'state', 'sent', 'of', 'rejected', 'skipped', 'uncertain', 'spent', 'started'];
    const { headings, lines } = shown(many, 200);
    expect(headings).toEqual(all);
    expect(lines[1]).toContain(`${LONG}  paused (credentials)`);
    expect(lines[1]).toMatch(/ 27 Nov 2026 09:00:00$/);
    const plain = campaignTable(many, style(null)).split('\n');
    expect(plain[0]).toBe(all.join('\t'));
    expect(plain[1]).toContain(`\t${LONG}\t`);
  });

  it.each([120, 100, 80, 70])('is never wider than %d columns, and names failures', (width) => {
    const { widest, headings, lines } = shown(many, width);
    expect(widest).toBeLessThanOrEqual(width);
    expect(headings).toEqual(expect.arrayContaining(['id', 'name', 'state', 'sent', 'of', 'rejected']));
    expect(lines[1]).toMatch(/^k7abcdef {2}november-/);
  });

  it('cuts a name where it was cut, not in the middle of a letter, and leaves short ones', () => {
    const { lines, widest } = shown(
      [overview('e\u0301'.repeat(60), { rejected: 1, uncertain: 1 }), overview('a', {})],
      80,
    );
    expect(widest).toBeLessThanOrEqual(80);
    expect(lines[1]).toMatch(/ (?:e\u0301)+… /);
    expect(lines[2]).toMatch(/^k7abcdef {2}a +paused/);
  });
});

it('`tuma status` knows the width of its terminal', async () => {
  const story = await LedgerStory.begin();
  await story.launch({ id: 'k7abcdef', name: LONG });
  const env = { TUMA_HOME: story.directory };
  const wide = await tuma(['status'], { env, columns: 140 });
  const narrow = await tuma(['status'], { env, columns: 80 });
  expect(wide.stdout).toContain(LONG);
  expect(Math.max(...narrow.stdout.split('\n').map(displayWidth))).toBeLessThanOrEqual(80);
  expect(narrow.stdout).toContain('november-');
});

it('says so where nobody knows what was spent, for no price was known', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ rows: [{}, {}] });
  await story.claim({ priceMicro: null });
  await story.record(n, { 1: { to: 'uncertain' }, 2: { to: 'sent', costMicro: null } });
  const reader = await story.reader();
  const [told] = await reader.campaigns();
  if (told === undefined) throw new Error('there is no campaign');
  expect(campaignTable([told], style(null))).toContain('\t1\tnot known\t');
  const { stdout } = await tuma(['status', told.campaign.id], { env: { TUMA_HOME: story.directory } });
  expect(stdout).toMatch(/^spent\s+not known: no price is known for 2 messages$/m);
});
