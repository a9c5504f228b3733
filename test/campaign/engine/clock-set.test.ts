import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { openEngine, settableClock } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

const COUNT = 60;
const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;

/** The numbers of the messages that were claimed more than once. */
function claimedAgain(file: string): number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT seq FROM message WHERE attempt > 1 ORDER BY seq').all();
    return rows.map(({ seq }) => Number(seq));
  } finally {
    database.close();
  }
}

// The first two are shorter than a claim lives: nothing but the difference of the two clocks tells of them.
it.each([
  ['3 s on', 3_000],
  ['3 s back', -3_000],
  ['an hour on', HOUR_MS],
  ['an hour back', -HOUR_MS],
  ['ten years on', TEN_YEARS_MS],
])(
  'a wall clock that is set %s sends what was claimed before it back, and nothing twice [S6]',
  async (_, ms) => {
    const clock = settableClock();
    const engine = await openEngine(clock);
    const campaign = await engine.launch(COUNT);
    const answered = Promise.withResolvers<void>();
    const provider = new ScriptedProvider({ script: () => answered.promise.then(() => 'accept') });
    const worker = await engine.start(provider, { concurrency: 4, claimLimit: 20 });
    const { dispatcher } = worker.sending;
    await waitFor(() => provider.inFlight === 4 && dispatcher.waiting > 0, {
      what: 'a full wire and a queue',
    });
    const claimed = dispatcher.sendingCount;
    clock.set(ms);
    answered.resolve();
    const { messages } = await engine.until(campaign, 'finished');
    // The four on the wire had left before.
    expect(claimedAgain(engine.file)).toEqual(Array.from({ length: claimed - 4 }, (__, index) => index + 5));
    expect(messages).toMatchObject({ sent: COUNT, uncertain: 0 });
    expect([provider.acceptedCount, provider.doubles]).toEqual([COUNT, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  },
);
