import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { confirmLaunch } from '../../../src/campaign/launch/confirm-launch.ts';
import { previewLaunch, readLaunchFiles } from '../../../src/campaign/launch/preview-launch.ts';
import { resumeCampaign } from '../../../src/campaign/operator/resume.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { pauseAdvice } from '../../../src/cli/text/pause-text.ts';
import { LAUNCH_SETTINGS } from '../../support/launch-settings.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { STILL_FOR_MS } from '../../../src/campaign/launch/still-files.ts';
import { type Engine, JumpClock, openEngine, PRICE, SILENT } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/* A job that reads its contacts anew at each firing: every day at nine in Nairobi. */

const at = (iso: string) => Date.parse(iso);
const MOBILES = [254_700_000_001, 254_700_000_002, 254_700_000_003];
const csv = (mobiles: readonly number[]) =>
  `phone,name\n${mobiles.map((mobile) => `${mobile},N\n`).join('')}`;

interface World {
  clock: JumpClock;
  engine: Engine;
  provider: ScriptedProvider;
  schedule: Campaign;
  sent: string[];
  path: (name: string) => string;
}

async function launchDaily(kind = 'transactional'): Promise<World> {
  const folder = makeTempDir();
  const path = (name: string) => join(folder, name);
  writeFileSync(
    path('job.yaml'),
    `name: rent\nkind: ${kind}\nsender: DUKA\ntemplate: t.txt\ncontacts: c.csv\nwindow: always\nevery: { cron: "0 9 * * *", contacts: reread }\n`,
  );
  writeFileSync(path('t.txt'), 'Hi <<name>>');
  writeFileSync(path('c.csv'), csv(MOBILES.slice(0, 2)));
  const clock = new JumpClock(at('2026-11-23T03:00Z'));
  const engine = await openEngine(clock);
  const provider = new ScriptedProvider({ creditMicro: 1_000 * PRICE });
  const sent: string[] = [];
  const send = provider.send.bind(provider);
  provider.send = (request) => {
    sent.push(`${request.mobile} ${request.message}`);
    return send(request);
  };
  const env = {
    ...engine.env(provider),
    reader: async () => engine.reader,
    isWorkerAlive: async () => false,
    settings: { ...LAUNCH_SETTINGS, prices: [PRICE], ledgerPlace: engine.file },
  };
  const files = await readLaunchFiles(path('job.yaml'), null, { folder, input: process.stdin });
  const preview = await previewLaunch(env, {
    files,
    rejectsPlace: () => ({ path: path('rejects.csv'), ifTaken: 'number' }),
    newLedger: 'accept',
    cancelMissing: 'refuse',
    startAt: at('2026-11-23T06:00Z'),
    warnings: [],
    signal: new AbortController().signal,
    again: false,
    at: false,
    gsm: false,
    partial: false,
    maxCostMicro: null,
  });
  if (preview.preview !== 'draft') throw new Error(`not a draft: ${preview.preview}`);
  const { draft } = preview;
  await confirmLaunch(env, draft, { accepted: draft.questions, actor: 'Asha' });
  await engine.start(provider);
  const schedule = (await engine.ledger.campaign(draft.draft.n)) ?? draft.draft;
  return { clock, engine, provider, schedule, sent, path };
}

/** Waits until the log of the engine has said such words since it was watched. */
async function said(log: MockInstance, words: string): Promise<void> {
  await waitFor(() => log.mock.calls.some((call) => call.join(' ').includes(words)), { what: words });
}

/** The time of a firing comes: its files are looked at, and half a minute later once more. */
async function comes({ clock }: World, iso: string): Promise<void> {
  const looked = vi.spyOn(SILENT, 'info');
  clock.jumpTo(at(iso));
  await said(looked, 'in half a minute');
  looked.mockRestore();
  clock.jumpTo(clock.now() + STILL_FOR_MS);
}

/** The paused job is resumed by a person. */
const resume = ({ engine, schedule, clock }: World, sender: string | null = null) =>
  resumeCampaign({
    ledger: engine.ledger,
    campaign: schedule,
    state: 'paused',
    now: clock.now(),
    by: 'Asha',
    sender,
    budgetMicro: null,
  });

const stateOf = async ({ engine, schedule }: World) => (await engine.reader.overview(schedule.n)).state;

it('sends to the contacts and by the text of the day, and leaves rejected rows beside the file', async () => {
  const world = await launchDaily();
  const { engine, provider, sent, path } = world;
  await comes(world, '2026-11-23T06:00:01Z');
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  writeFileSync(path('c.csv'), `${csv(MOBILES.slice(2))}nobody,B\n`);
  writeFileSync(path('t.txt'), 'Bye <<name>>');
  await comes(world, '2026-11-24T06:00:01Z');
  await waitFor(() => provider.acceptedCount === 3, { what: 'the second day' });
  expect(sent).toEqual([...MOBILES.slice(0, 2).map((mobile) => `${mobile} Hi N`), `${MOBILES[2]} Bye N`]);
  expect(readFileSync(path('c.rejects.csv'), 'utf8')).toContain('nobody,B,3,');
  const [latest] = await engine.reader.campaigns();
  expect(latest?.campaign).toMatchObject({ name: 'rent 2026-11-24 09:00', estimatedMicro: PRICE });
  expect(await engine.reader.uploads(latest?.campaign.n ?? 0)).toMatchObject({
    read: 2,
    planned: 1,
    invalid: 1,
  });
  expect((await engine.reader.agenda(world.schedule.n)).schedule).toMatchObject({
    nextAt: at('2026-11-25T06:00Z'),
    fired: 2,
    missed: 0,
  });
});

it.each<[string, (path: World['path']) => void, RegExp]>([
  ['that is missing', (path) => rmSync(path('c.csv')), /c\.csv/],
  ['without a row to send to', (path) => writeFileSync(path('c.csv'), 'phone,name\nnobody,B\n'), /No row/],
  [
    'whose job file has another name',
    (path) => writeFileSync(path('job.yaml'), readFileSync(path('job.yaml'), 'utf8').replace('rent', 'tax')),
    /job\.yaml:1:7: `name` of .*job\.yaml is not that of the launch/,
  ],
])(
  'a file %s pauses the job with the reason and an alert, and resume fires at once',
  async (_, spoil, words) => {
    const world = await launchDaily();
    const { clock, engine, provider, schedule, path } = world;
    const good = ['job.yaml', 'c.csv'].map((name) => [name, readFileSync(path(name))] as const);
    spoil(path);
    await comes(world, '2026-11-23T06:00:01Z');
    await engine.until(schedule, 'paused');
    const overview = await engine.reader.overview(schedule.n);
    const { reason, pauseSaid } = overview;
    expect([reason, pauseSaid]).toEqual(['start', expect.stringMatching(words)]);
    const advice = pauseAdvice({ overview, reason: 'start', creditMicro: null, now: clock.now() });
    expect(advice).toMatch(
      /^Paused: the list could not be read: “.*”\. Correct the file, then send: tuma resume /,
    );
    const limits = { now: clock.now(), lowCreditMicro: null, uncertain: 10 };
    expect(await engine.ledger.raiseAlerts(limits)).toBe(1);
    const [[alert] = []] = await engine.ledger.takeAlerts({ now: clock.now(), channel: 'mail' });
    expect(alert).toMatchObject({ cause: 'paused', detail: { reason: 'start', words: pauseSaid } });
    // Days later than its deadline: a person has the last word.
    clock.jumpTo(at('2026-11-25T07:30:00Z'));
    expect(await stateOf(world)).toBe('paused');
    for (const [name, text] of good) writeFileSync(path(name), text);
    expect(await resume(world)).toBe(true);
    await comes(world, '2026-11-25T07:30:01Z');
    await waitFor(() => provider.acceptedCount === 2, { what: 'the firing of the resumed job' });
    expect((await engine.reader.agenda(schedule.n)).schedule).toMatchObject({
      nextAt: at('2026-11-26T06:00Z'),
      fired: 1,
      missed: 3,
    });
    expect(await stateOf(world)).toBe('scheduled');
  },
);

it('a promotion goes to the people of yesterday, too, and a new name of the contacts and a lower budget count', async () => {
  const world = await launchDaily('promotional');
  const { engine, provider, path } = world;
  await comes(world, '2026-11-23T06:00:01Z');
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  writeFileSync(path('d.csv'), csv(MOBILES));
  const job = readFileSync(path('job.yaml'), 'utf8').replace('c.csv', 'd.csv');
  writeFileSync(path('job.yaml'), `${job}budget: 100\n`);
  // Less than the 24 h of the guard after the messages of the first day.
  await comes(world, '2026-11-24T06:00:00Z');
  await waitFor(() => provider.acceptedCount === 5, { what: 'the second day' });
  const [day] = await engine.reader.campaigns();
  const latest = await engine.until(day?.campaign ?? world.schedule, 'finished');
  expect(latest).toMatchObject({ budgetMicro: 100_000_000, messages: { sent: 3, skipped: 0 } });
});

it('a job that is resumed in time fires at once, and its own time comes all the same', async () => {
  const world = await launchDaily();
  const { engine, provider, schedule, path } = world;
  rmSync(path('c.csv'));
  await comes(world, '2026-11-23T06:00:01Z');
  await engine.until(schedule, 'paused');
  writeFileSync(path('c.csv'), csv(MOBILES));
  await expect(resume(world, 'OTHER')).rejects.toMatchObject({ code: 'state_forbids' });
  expect(await resume(world)).toBe(true);
  await comes(world, '2026-11-23T06:01:00Z');
  await waitFor(() => provider.acceptedCount === 3, { what: 'the firing of the resumed job' });
  await comes(world, '2026-11-24T06:00:01Z');
  await waitFor(() => provider.acceptedCount === 6, { what: 'the second day' });
});

it.each<[string, (path: World['path']) => void]>([
  ['contacts that grow', (path) => appendFileSync(path('c.csv'), `${MOBILES[2]},N\n`)],
  [
    'contacts that grow and keep an old time',
    (path) => {
      const { atimeMs, mtimeMs } = statSync(path('c.csv'));
      appendFileSync(path('c.csv'), `${MOBILES[2]},N\n`);
      utimesSync(path('c.csv'), atimeMs / 1_000, mtimeMs / 1_000);
    },
  ],
  ['a text that is being written', (path) => writeFileSync(path('t.txt'), 'Hi <<name>>, and')],
  [
    'contacts that another file of the same content and time replaces',
    (path) => {
      const { atimeMs, mtimeMs } = statSync(path('c.csv'));
      copyFileSync(path('c.csv'), path('new.csv'));
      utimesSync(path('new.csv'), atimeMs / 1_000, mtimeMs / 1_000);
      renameSync(path('new.csv'), path('c.csv'));
    },
  ],
  [
    'a job file that is being written',
    (path) => writeFileSync(path('job.yaml'), `${readFileSync(path('job.yaml'), 'utf8')}rate: 5/s\n`),
  ],
  [
    'a job file that is cut for a moment',
    (path) => writeFileSync(path('job.yaml'), readFileSync(path('job.yaml'), 'utf8').slice(0, 30)),
  ],
])('%s between two looks: nothing is sent until they are still for half a minute', async (_, write) => {
  const world = await launchDaily();
  const { clock, provider, schedule, engine, path } = world;
  const whole = readFileSync(path('job.yaml'));
  // A share whose clock is ahead changes nothing.
  const ahead = at('2027-01-01T00:00Z') / 1_000;
  for (const name of ['job.yaml', 't.txt', 'c.csv']) utimesSync(path(name), ahead, ahead);
  const waits = vi.spyOn(SILENT, 'warn');
  onTestFinished(() => waits.mockRestore());
  const looked = vi.spyOn(SILENT, 'info');
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await said(looked, 'in half a minute');
  looked.mockRestore();
  write(path);
  clock.jumpTo(clock.now() + STILL_FOR_MS);
  await said(waits, 'being written');
  expect([(await engine.reader.overview(schedule.n)).state, provider.acceptedCount]).toEqual([
    'scheduled',
    0,
  ]);
  writeFileSync(path('job.yaml'), whole);
  waits.mockClear();
  clock.jumpTo(clock.now() + STILL_FOR_MS);
  await said(waits, 'being written');
  clock.jumpTo(clock.now() + STILL_FOR_MS);
  await waitFor(() => provider.acceptedCount >= 2, { what: 'the firing' });
});

it('the second look comes half a minute after the first, and not before', async () => {
  const world = await launchDaily();
  const { clock, provider, schedule, engine } = world;
  const looked = vi.spyOn(SILENT, 'info');
  onTestFinished(() => looked.mockRestore());
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await said(looked, 'in half a minute');
  clock.jumpTo(clock.now() + STILL_FOR_MS - 5_000);
  // Whatever becomes due is looked at every second: a schedule that is due is asked for again and again.
  const asked = vi.spyOn(engine.ledger, 'dueSchedules');
  onTestFinished(() => asked.mockRestore());
  await waitFor(() => asked.mock.calls.length > 2, { what: 'two more looks for what is due' });
  expect([provider.acceptedCount, await stateOf(world)]).toEqual([0, 'scheduled']);
  expect((await engine.reader.agenda(schedule.n)).schedule).toMatchObject({ fired: 0 });
  clock.jumpTo(clock.now() + STILL_FOR_MS);
  await waitFor(() => provider.acceptedCount === 2, { what: 'the firing' });
});

it('files that change while they are planned make no campaign', async () => {
  const world = await launchDaily();
  const { provider, engine, path, clock } = world;
  const activate = vi.spyOn(engine.ledger, 'activate');
  const add = vi.spyOn(engine.ledger, 'addMessages').mockImplementationOnce(async (...args) => {
    appendFileSync(path('t.txt'), ' and more');
    add.mockRestore();
    return engine.ledger.addMessages(...args);
  });
  onTestFinished(() => void [activate.mockRestore(), add.mockRestore()]);
  const waits = vi.spyOn(SILENT, 'warn');
  onTestFinished(() => waits.mockRestore());
  await comes(world, '2026-11-23T06:00:01Z');
  await said(waits, 'being written');
  expect(activate).not.toHaveBeenCalled();
  clock.jumpTo(clock.now() + STILL_FOR_MS);
  await waitFor(() => provider.acceptedCount === 2, { what: 'the firing with the new text' });
  expect(world.sent.every((text) => text.endsWith('and more'))).toBe(true);
});

it.each([
  ['files that never stop changing', true, 'went on changing'],
  ['a machine that slept after the first look', false, 'were not read twice before its deadline'],
])('%s pause the job with the reason when its deadline is over: changed %s', async (_what, change, words) => {
  const world = await launchDaily();
  const { clock, provider, schedule, engine, path } = world;
  const [looked, waits] = [vi.spyOn(SILENT, 'info'), vi.spyOn(SILENT, 'warn')];
  onTestFinished(() => void [looked.mockRestore(), waits.mockRestore()]);
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await said(looked, 'in half a minute');
  if (change) {
    appendFileSync(path('t.txt'), '!');
    clock.jumpTo(clock.now() + STILL_FOR_MS);
    await said(waits, 'being written');
  }
  clock.jumpTo(at('2026-11-23T12:00:00Z'));
  await engine.until(schedule, 'paused');
  const { reason, pauseSaid } = await engine.reader.overview(schedule.n);
  expect([reason, pauseSaid]).toEqual(['start', expect.stringContaining(words)]);
  expect(provider.acceptedCount).toBe(0);
});

it('two processes that read at once make one campaign', async () => {
  const world = await launchDaily();
  const { engine, provider } = world;
  await engine.start(provider);
  await comes(world, '2026-11-23T06:00:01Z');
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  await engine.until((await engine.reader.campaigns())[0]?.campaign ?? world.schedule, 'finished');
  expect((await engine.reader.campaigns()).map(({ campaign }) => campaign.name)).toEqual([
    'rent 2026-11-23 09:00',
    'rent',
  ]);
  expect(provider.acceptedCount).toBe(2);
});
