import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { confirmLaunch } from '../../../src/campaign/launch/confirm-launch.ts';
import { previewLaunch, readLaunchFiles } from '../../../src/campaign/launch/preview-launch.ts';
import { resumeCampaign } from '../../../src/campaign/operator/resume.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { LAUNCH_SETTINGS } from '../../support/launch-settings.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
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
    settings: { ...LAUNCH_SETTINGS, prices: [PRICE], ledgerFile: engine.file },
  };
  const files = await readLaunchFiles(path('job.yaml'), null, { folder, input: process.stdin });
  const preview = await previewLaunch(env, {
    files,
    rejects: () => ({ path: path('rejects.csv'), ifTaken: 'number' }),
    newLedger: 'accept',
    cancelMissing: false,
    startAt: at('2026-11-23T06:00Z'),
    warnings: async () => [],
    waitForInFlight: async () => undefined,
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
  const { clock, engine, provider, sent, path } = world;
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  writeFileSync(path('c.csv'), `${csv(MOBILES.slice(2))}nobody,B\n`);
  writeFileSync(path('t.txt'), 'Bye <<name>>');
  clock.jumpTo(at('2026-11-24T06:00:01Z'));
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
    clock.jumpTo(at('2026-11-23T06:00:01Z'));
    await engine.until(schedule, 'paused');
    const { reason, pauseSaid } = await engine.reader.overview(schedule.n);
    expect([reason, pauseSaid]).toEqual(['start', expect.stringMatching(words)]);
    const limits = { now: clock.now(), lowCreditMicro: null, uncertain: 10 };
    expect(await engine.ledger.raiseAlerts(limits)).toBe(1);
    const [alert] = await engine.ledger.takeAlerts({ now: clock.now(), channel: 'mail' });
    expect(alert).toMatchObject({ cause: 'paused', detail: { reason: 'start', words: pauseSaid } });
    // Days later than its deadline: a person has the last word.
    clock.jumpTo(at('2026-11-25T07:30:00Z'));
    expect(await stateOf(world)).toBe('paused');
    for (const [name, text] of good) writeFileSync(path(name), text);
    expect(await resume(world)).toBe(true);
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
  const { clock, engine, provider, path } = world;
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  writeFileSync(path('d.csv'), csv(MOBILES));
  const job = readFileSync(path('job.yaml'), 'utf8').replace('c.csv', 'd.csv');
  writeFileSync(path('job.yaml'), `${job}budget: 100\n`);
  // Less than the 24 h of the guard after the messages of the first day.
  clock.jumpTo(at('2026-11-24T06:00:00Z'));
  await waitFor(() => provider.acceptedCount === 5, { what: 'the second day' });
  const [day] = await engine.reader.campaigns();
  const latest = await engine.until(day?.campaign ?? world.schedule, 'finished');
  expect(latest).toMatchObject({ budgetMicro: 100_000_000, messages: { sent: 3, skipped: 0 } });
});

it('a job that is resumed in time fires at once, and its own time comes all the same', async () => {
  const world = await launchDaily();
  const { clock, engine, provider, schedule, path } = world;
  rmSync(path('c.csv'));
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await engine.until(schedule, 'paused');
  writeFileSync(path('c.csv'), csv(MOBILES));
  await expect(resume(world, 'OTHER')).rejects.toMatchObject({ code: 'state_forbids' });
  expect(await resume(world)).toBe(true);
  await waitFor(() => provider.acceptedCount === 3, { what: 'the firing of the resumed job' });
  clock.jumpTo(at('2026-11-24T06:00:01Z'));
  await waitFor(() => provider.acceptedCount === 6, { what: 'the second day' });
});

it('contacts that may still be written are read half a minute after their last change', async () => {
  const { clock, engine, provider, schedule, path } = await launchDaily();
  const said = vi.spyOn(SILENT, 'error');
  onTestFinished(() => said.mockRestore());
  const written = at('2026-11-23T06:00:00Z');
  utimesSync(path('c.csv'), written / 1_000, written / 1_000);
  clock.jumpTo(written + 1_000);
  await waitFor(() => said.mock.calls.length > 0, { what: 'a look at the file' });
  expect(JSON.stringify(said.mock.calls[0])).toContain('may still be written');
  expect((await engine.reader.overview(schedule.n)).state).toBe('scheduled');
  expect(provider.acceptedCount).toBe(0);
  clock.jumpTo(written + 31_000);
  await waitFor(() => provider.acceptedCount === 2, { what: 'the firing' });
});

it('two processes that read at once make one campaign', async () => {
  const world = await launchDaily();
  const { clock, engine, provider } = world;
  await engine.start(provider);
  clock.jumpTo(at('2026-11-23T06:00:01Z'));
  await waitFor(() => provider.acceptedCount === 2, { what: 'the first day' });
  await engine.until((await engine.reader.campaigns())[0]?.campaign ?? world.schedule, 'finished');
  expect((await engine.reader.campaigns()).map(({ campaign }) => campaign.name)).toEqual([
    'rent 2026-11-23 09:00',
    'rent',
  ]);
  expect(provider.acceptedCount).toBe(2);
});
