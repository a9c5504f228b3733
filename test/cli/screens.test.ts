import { beforeAll, describe, expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { displayWidth } from '../../src/cli/text/table.ts';
import { tuma } from './command-line.ts';

/* The screens that a person meets, as files in test/golden: `npx vitest run -u test/cli/screens.test.ts` writes them anew. */

const WIDTHS = [60, 80, 120];
const SCREENS = [
  ['status', ['status']],
  ['status-one', ['status', 'black-friday']],
  ['report', ['report', 'black-friday']],
  ['statement', ['statement', '--from', '2026-11-01', '--to', '2026-11-30']],
  ['evidence', ['resolve', 'black-friday', '--evidence']],
] as const;

let env: Record<string, string>;

/** A campaign with every fate on two networks, and one with a long name that has not begun. */
beforeAll(async () => {
  const story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory };
  const n = await story.launch({ messages: 6, estimatedMicro: 4_800_000 });
  await story.readBalance(100_000_000);
  story.now += 1_000;
  await story.claim();
  story.now += 5_000;
  await story.record(n, {
    1: { to: 'sent', network: '1' },
    2: { to: 'sent', network: '2' },
    3: { to: 'sent', network: '1' },
    4: { to: 'rejected', reason: 'contact refused' },
    5: { to: 'uncertain', reason: 'worker died' },
    6: { to: 'uncertain', reason: 'worker died' },
  });
  story.now += 1_000;
  await story.report(`m${n}-1`, 'delivered');
  await story.report(`m${n}-2`, 'undelivered', 'absent');
  await story.readBalance(96_800_000);
  await story.launch({
    id: 'k7m2p9qa',
    name: 'newsletter of december 🎄',
    contacts: 'd',
    messages: 1_200,
  });
});

describe.each(SCREENS)('%s', (name, args) => {
  it.each(WIDTHS)('at %i columns', async (columns) => {
    const plain = { ...env, NO_COLOR: '1' };
    const { stdout } = await tuma([...args], { env: plain, columns });
    await expect(stdout).toMatchFileSnapshot(`../golden/${name}-${columns}.txt`);
    for (const line of stdout.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
  });
});
