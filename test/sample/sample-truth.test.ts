import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.ts';
import { compareWithTruth } from '../../src/sample/sample-truth.ts';
import { LedgerStory } from '../support/ledger-story.ts';

/** A report of three that were sent, one of them for a cost that nobody told, and one that is uncertain. */
async function reported({ known }: { known: boolean }) {
  const story = await LedgerStory.begin();
  const campaign = await story.launch({ messages: 4 });
  await story.claim();
  const third = known ? ({ to: 'sent' } as const) : ({ to: 'sent', costMicro: null } as const);
  await story.record(campaign, { 1: { to: 'sent' }, 2: { to: 'sent' }, 3: third, 4: { to: 'uncertain' } });
  const config = resolveConfig({ cwd: '/', env: { TUMA_HOME: story.directory } });
  const truthFile = join(story.directory, 'truth.ndjson');
  return (costs: string[]) => {
    const start = { event: 'start', at: 0, seed: 1, firstSerial: 1, balance: '10.00' };
    const accepted = costs.map((cost, index) => ({
      event: 'accepted',
      messageid: `m${index}`,
      mobile: 'm',
      cost,
    }));
    writeFileSync(truthFile, [start, ...accepted].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    return compareWithTruth({ config, truthFile });
  };
}

const SAME = /The report says the same\.$/;
const OTHERWISE = /THE REPORT SAYS OTHERWISE\.$/;

test('a report agrees with the truth to the message and the cent, but for what it calls uncertain', async () => {
  const compare = await reported({ known: true });
  const cases: [costs: string[], agrees: boolean, words: RegExp][] = [
    [['0.80', '0.80', '0.80'], true, SAME],
    [['0.80', '0.80', '0.80', '0.80'], true, /with 1 of them among the 1 that it calls uncertain\.$/],
    [['0.80', '0.80', '0.80', '0.80', '0.80'], false, OTHERWISE],
    [['0.80', '0.80'], false, OTHERWISE],
    [['0.80', '0.80', '0.90'], false, OTHERWISE],
    [['0.80', '0.80', '0.70'], false, OTHERWISE],
    // More messages for less money.
    [['0.80', '0.80', '0.30', '0.30'], false, OTHERWISE],
  ];
  for (const [costs, agrees, words] of cases) {
    const said = await compare(costs);
    expect(said, costs.join()).toEqual({ agrees, words: expect.stringMatching(words) as string });
  }
});

test('a cost that nobody told is no contradiction, and a message too many is one', async () => {
  const compare = await reported({ known: false });
  expect(await compare(['0.80', '0.80', '0.80'])).toEqual({
    agrees: true,
    words: expect.stringMatching(/the same, but for 1 of them whose cost nobody told it\.$/) as string,
  });
  expect(await compare(['0.80', '0.80', '0.80', '0.80', '0.80'])).toMatchObject({ agrees: false });
});
