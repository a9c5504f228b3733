import { expect, it } from 'vitest';
import { type SendWindow, sendingHours } from '../../src/domain/time/window.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

const DAY_MS = 24 * 60 * 60_000;

/** A campaign that somebody paused, with these hours in UTC. Answers the settings of its home. */
async function pausedCampaign(window: SendWindow): Promise<Record<string, string>> {
  const story = await LedgerStory.begin();
  story.now = Date.now();
  const n = await story.launch({ settings: { window, zone: 'UTC' } });
  await story.ledger.pause(n, { reason: 'operator', now: story.now, by: 'operator' });
  return { TUMA_HOME: story.directory, TUMA_ZONE: 'UTC' };
}

it('resumed outside of its hours a campaign is said to go on when they begin, for until then it is paused again', async () => {
  // Open on the day after tomorrow only, whenever the test runs.
  const day = new Date(Date.now() + 2 * DAY_MS).getUTCDay();
  const window = { fromMinute: 480, toMinute: 1080, days: [day === 0 ? 7 : day] };
  const env = await pausedCampaign(window);
  const hours = sendingHours(window, 'UTC', Date.now());
  const { stdout } = await tuma(['resume', 'bf'], { env });
  expect(stdout).toMatch(
    /^black-friday goes on when its hours begin, \w{3} \d+ \w+ \d{4}, 08:00 \(08:00 UTC\), in \d/,
  );
  await tuma(['pause', 'bf'], { env });
  const opensAt = hours.open ? 0 : hours.opensAt;
  expect(JSON.parse((await tuma(['resume', 'bf', '--json'], { env })).stdout)).toMatchObject({
    campaign: { state: 'running' },
    goes_on_at: new Date(opensAt).toISOString(),
  });
});

it('resumed within its hours it simply goes on', async () => {
  const env = await pausedCampaign({ fromMinute: 0, toMinute: 1440, days: [1, 2, 3, 4, 5, 6, 7] });
  expect((await tuma(['resume', 'bf'], { env })).stdout).toBe('black-friday goes on.\n');
});
