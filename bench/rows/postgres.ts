import type { Bench, Finding } from '../bench.ts';
import { startLedgerServer } from '../ledger-server.ts';
import { BARE, bareRun, compared, costNote, ratesOf, type Run, tumaRun } from './sending.ts';

/** Row 2: as row 1, with the ledger on Postgres: a new server each run, on this machine and its disk. */
export async function measurePostgres(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('2')) return [];
  const tuma: Run[] = [];
  const undici: Run[] = [];
  let version = '';
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 2, run ${run} of ${bench.runs}: ${bench.sizes.messages} messages each`);
    const measured = await postgresRun(bench);
    version = measured.version;
    tuma.push(measured);
    undici.push(await bareRun(bench));
  }
  const ours = { what: `tuma launch --wait, ledger on ${version}`, rates: ratesOf(tuma) };
  return [
    {
      ...compared(ours, { what: BARE, rates: ratesOf(undici) }),
      row: '2',
      what: 'sending on Postgres, rate unlimited',
      judged: true,
      notes: [...costNote(tuma, undici), 'that of Postgres not counted'],
    },
  ];
}

async function postgresRun(bench: Bench): Promise<Run & { version: string }> {
  const folder = bench.workspace.home();
  await using server = await startLedgerServer(folder);
  const run = await tumaRun(bench, server.settings);
  bench.workspace.leave(folder);
  return { ...run, version: server.version };
}
