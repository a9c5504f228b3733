import { setTimeout as sleep } from 'node:timers/promises';
import { homeLink } from '../../src/config/dashboard-token.ts';
import type { Bench, Finding } from '../bench.ts';
import type { Visits } from '../page-visitor.ts';
import { type Program, startYardstick } from '../program.ts';
import { ratios, spreadOf } from '../spread.ts';
import { arrivalRate, launch, settingsFor, type Sink, startSink, startTuma } from '../tuma.ts';

/** Those who look at one campaign at once. */
const LIVE_PAGES = 10;
/** Row 9: a page is loaded, read, and loaded again; not so often that the pages refuse it, as more than a person. */
const LOAD_EVERY_MS = 80;
/** Fewer loads say nothing of the slowest twentieth. */
const LEAST_LOADS = 100;
/** Between two questions of the bench itself, which must cost nothing. */
const LOOK_MS = 250;

/**
 * Rows 9 and 15: how long the page of a campaign takes while that campaign is sent as fast as it goes; and what ten live
 * pages cost the sender. The pages are served by a process of their own, as `serve --role web` does it.
 */
export async function measurePages(bench: Bench): Promise<Finding[]> {
  return [
    ...(bench.wants('9') ? [await pageTime(bench)] : []),
    ...(bench.wants('15') ? [await senderBesidePages(bench)] : []),
  ];
}

async function pageTime(bench: Bench): Promise<Finding> {
  const { mostWatched } = bench.sizes;
  const runs: Visits[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(
      `row 9, run ${run} of ${bench.runs}: the page of a campaign of ${mostWatched} while it is sent`,
    );
    const { visits } = await sent(bench, { contacts: mostWatched, pages: 1, loadEveryMs: LOAD_EVERY_MS });
    if (visits.loads < LEAST_LOADS)
      throw new Error(`only ${visits.loads} pages were loaded while it was sent`);
    runs.push(visits);
  }
  const p95 = spreadOf(runs.flatMap(({ p95Ms }) => p95Ms ?? []));
  const p50 = spreadOf(runs.flatMap(({ p50Ms }) => p50Ms ?? []));
  return {
    row: '9',
    what: `p95 of a campaign's page, ${mostWatched} messages`,
    tuma: { what: 'from the request to the last byte', unit: 'ms', ...p95 },
    dividedBy: null,
    figure: { unit: 'ms', ...p95 },
    judged: true,
    notes: [`p50 ${p50.median.toFixed(1)} ms`, `${runs.at(-1)?.loads} loads a run`],
  };
}

async function senderBesidePages(bench: Bench): Promise<Finding> {
  const contacts = bench.sizes.messages;
  const watched: Watched[] = [];
  const alone: number[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 15, run ${run} of ${bench.runs}: ${contacts} messages each`);
    watched.push(await sent(bench, { contacts, pages: LIVE_PAGES, loadEveryMs: null }));
    alone.push(await sentAlone(bench, contacts));
  }
  const unit = 'messages/s';
  const rates = watched.map(({ rate }) => rate);
  const updates = spreadOf(watched.flatMap(({ visits }) => visits.updates));
  return {
    row: '15',
    what: `sending with ${LIVE_PAGES} live pages open`,
    tuma: { what: `with serve --role web and ${LIVE_PAGES} live pages`, unit, ...spreadOf(rates) },
    dividedBy: { what: 'Tuma, no pages', unit, ...spreadOf(alone) },
    figure: { unit: 'ratio', ...spreadOf(ratios(rates, alone)) },
    judged: true,
    notes: [`${updates.least} to ${updates.most} updates a page`, ...processorNote(watched)],
  };
}

function processorNote(watched: Watched[]): string[] {
  const known = watched.flatMap(({ webMs }) => webMs ?? []);
  return known.length === 0
    ? []
    : [`${(spreadOf(known).median / 1_000).toFixed(1)} s of processor for the pages`];
}

interface Watched {
  rate: number;
  visits: Visits;
  /** Processor time of the process of the pages; null where the system does not tell. */
  webMs: number | null;
}

/** Sends a campaign while it is looked at. */
async function sent(
  bench: Bench,
  { contacts, ...looking }: { contacts: number; pages: number; loadEveryMs: number | null },
): Promise<Watched> {
  const home = bench.workspace.home();
  await using sink = await startSink();
  await using web = startTuma(bench, ['serve', '--role', 'web'], settingsFor(home, sink.origin));
  const [, url = ''] = await web.printed(/pages\s+(http:\/\/[\d.:]+)/);
  const link = await homeLink({ sharedFolder: home }, url);
  await using visitor = startYardstick('page-visitor.ts', { link, ...looking });
  const [visits] = await Promise.all([
    seenUntilSent(visitor, { sink, contacts }),
    launchWhole(bench, { home, origin: sink.origin, contacts }),
  ]);
  if (visits.updates.some((count) => count === 0)) throw new Error('a live page was told nothing');
  const rate = arrivalRate(await sink.counts());
  const webMs = web.watch.processorMs;
  bench.workspace.leave(home);
  return { rate, visits, webMs };
}

/** What the visitors saw when the last message went out: what comes later costs the sender nothing. */
async function seenUntilSent(
  visitor: Program,
  { sink, contacts }: { sink: Sink; contacts: number },
): Promise<Visits> {
  await visitor.told<{ watches: string }>();
  let visits = await visitor.ask<Visits>();
  while ((await sink.counts()).messages < contacts) {
    await sleep(LOOK_MS);
    visits = await visitor.ask<Visits>();
  }
  return visits;
}

async function sentAlone(bench: Bench, contacts: number): Promise<number> {
  const home = bench.workspace.home();
  await using sink = await startSink();
  await launchWhole(bench, { home, origin: sink.origin, contacts });
  bench.workspace.leave(home);
  return arrivalRate(await sink.counts());
}

async function launchWhole(
  bench: Bench,
  { home, origin, contacts }: { home: string; origin: string; contacts: number },
): Promise<void> {
  const report = await launch(bench, { home, origin, contacts, rate: 'unlimited', wait: true });
  if (report.sent !== contacts) throw new Error(`Tuma reports ${report.sent} of ${contacts} messages sent`);
}
