import { expect, test } from 'vitest';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { type Engine, JumpClock, openEngine } from './engine.ts';
import { ANSWERS, ScriptedProvider } from './scripted-provider.ts';

/* The duplicate guard and the frequency cap, in the claim of the real ledger. */

const HOUR_MS = 3_600_000;
const SAME = { sameTextMs: 24 * HOUR_MS, most: null, perMs: HOUR_MS };
const CAP = { sameTextMs: null, most: 2, perMs: HOUR_MS };

async function done(engine: Engine, campaign: Campaign) {
  const { messages } = await engine.until(campaign, 'finished');
  const { reasons } = await engine.reader.tallies(campaign.n, 0);
  const skipped = reasons.filter(({ state }) => state === 'skipped');
  return { ...messages, why: skipped.map(({ reason, count }) => `${reason} ${count}`) };
}

test('a number that had the same text from another campaign is skipped; another text goes [B4]', async () => {
  const engine = await openEngine();
  const provider = new ScriptedProvider();
  await engine.start(provider);
  await done(engine, await engine.launch(20, { textHash: 1 }));
  const same = await done(engine, await engine.launch(30, { textHash: 1, guard: SAME }));
  expect(same).toMatchObject({ sent: 10, skipped: 20, why: ['same text recently 20'] });
  const messages = [1, 2].flatMap((textHash) =>
    [0, 25].map((index) => ({ mobile: String(254_700_000_000 + index), textHash })),
  );
  // What a plan is told before it is launched is what then happens.
  const hashes = { job: 'j', template: 't', contacts: 'c' };
  const before = (rule: typeof SAME | typeof CAP) =>
    engine.ledger.guardedBefore({ hashes, rule, at: Date.now(), messages });
  expect(await before(SAME)).toEqual(['same text recently', 'same text recently', null, null]);
  // The first two and these would be three messages to each.
  expect(await before(CAP)).toEqual([null, null, 'frequency cap', 'frequency cap']);
  expect(await before({ ...CAP, most: 1 })).toEqual([
    'frequency cap',
    'frequency cap',
    'frequency cap',
    'frequency cap',
  ]);
  const other = await done(engine, await engine.launch(30, { textHash: 2, guard: SAME }));
  expect(other).toMatchObject({ sent: 30, skipped: 0 });
  const unguarded = await done(engine, await engine.launch(5, { textHash: 1 }));
  expect(unguarded).toMatchObject({ sent: 5, skipped: 0 });
  expect(await engine.reader.violations(null)).toEqual([]);
});

test('of two campaigns at once with one text each number hears from exactly one', async () => {
  const engine = await openEngine();
  const provider = new ScriptedProvider();
  const one = await engine.launch(300, { textHash: 7, guard: SAME });
  const two = await engine.launch(300, { textHash: 7, guard: SAME });
  await engine.start(provider);
  await engine.start(provider);
  const [first, second] = [await done(engine, one), await done(engine, two)];
  expect(first.sent + second.sent).toBe(300);
  expect(first.skipped + second.skipped).toBe(300);
  expect([provider.accepted.size, provider.doubles]).toEqual([300, 0]);
});

test('a text that was refused, or that the same files send again on purpose, does not count; nor after its time', async () => {
  const clock = new JumpClock(Date.now());
  const engine = await openEngine(clock);
  const refusing = new ScriptedProvider({
    script: (_, count) => (count <= 10 ? ANSWERS.contact : 'accept'),
  });
  await engine.start(refusing);
  const guard = { ...SAME, sameTextMs: 30 * 60_000 };
  const launched = async (hashes: string) =>
    done(engine, await engine.launch(10, { textHash: 1, guard, hashes }));
  expect(await launched('refused')).toMatchObject({ rejected: 10 });
  expect(await launched('files')).toMatchObject({ sent: 10 });
  expect(await launched('files')).toMatchObject({ sent: 10 });
  expect(await launched('others')).toMatchObject({ skipped: 10 });
  clock.jumpTo(clock.now() + guard.sameTextMs);
  expect(await launched('late')).toMatchObject({ sent: 10 });
});

test('a number that had enough promotional messages is skipped; transactional ones do not count', async () => {
  const engine = await openEngine();
  await engine.start(new ScriptedProvider());
  await done(engine, await engine.launch(20, { kind: 'transactional' }));
  await done(engine, await engine.launch(20, { kind: 'transactional' }));
  expect(await done(engine, await engine.launch(30, { guard: CAP }))).toMatchObject({ sent: 30 });
  expect(await done(engine, await engine.launch(10, { guard: CAP }))).toMatchObject({ sent: 10 });
  expect(await done(engine, await engine.launch(30, { guard: CAP }))).toMatchObject({
    sent: 20,
    skipped: 10,
    why: ['frequency cap 10'],
  });
  expect(await engine.reader.violations(null)).toEqual([]);
});
