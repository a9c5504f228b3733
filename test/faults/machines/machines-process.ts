import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endFile } from '../../support/file-end.ts';
import { seeded } from '../seeds.ts';
import { Machine } from './machine.ts';
import { cabled, openNetworks } from './namespaces.ts';
import { type Office, openOffice } from './office.ts';
import type { MachinesPlan, MachinesRun } from './run-machines.ts';
import { settled, type Storm, storm, type Struck } from './storm.ts';
import { compare } from './truth-check.ts';

/*
 * One campaign by machines that are killed, frozen and cut off: `machines-process.ts PLAN`, in the namespaces of an office.
 * What happens goes to stderr, and what it came to is the last line of stdout.
 */

/** The defaults of TUMA_CONCURRENCY and TUMA_CLAIM_LIMIT. */
const IN_FLIGHT = 32;
const CLAIM_LIMIT = 1_024;
const FAULTS = 0.01;
const JOB = {
  name: 'storm',
  kind: 'transactional',
  sender: 'DUKA',
  message: '"Hi <<name>>, come today."',
  contacts: './contacts.csv',
  window: 'always',
};

const startedAt = performance.now();
const log = (line: string) => {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stderr.write(`${seconds.padStart(7)} s  ${line}\n`);
};

/** The number of each row. */
function mobilesOf(messages: number): string[] {
  return Array.from({ length: messages }, (_, index) => `254700${String(index).padStart(6, '0')}`);
}

async function launch(office: Office, mobiles: readonly string[]): Promise<void> {
  const lines = Object.entries(JOB).map(([key, value]) => `${key}: ${value}\n`);
  writeFileSync(join(office.directory, 'job.yaml'), lines.join(''));
  const rows = mobiles.map((mobile, index) => `${mobile},Person ${index}\n`);
  writeFileSync(join(office.directory, 'contacts.csv'), `phone,name\n${rows.join('')}`);
  await office.tuma('worker', ['launch', 'job.yaml', '--yes', '--new-ledger']);
}

/** A kill leaves what was on the wire, a lost machine what it had claimed; the provider's odd answers leave theirs. */
function mayBeUncertain(struck: Struck, oddAnswers: number): number {
  return struck.killed * IN_FLIGHT + (struck.lost + struck.frozen + struck.cutOff) * CLAIM_LIMIT + oddAnswers;
}

async function run(plan: MachinesPlan): Promise<MachinesRun> {
  const random = seeded(`${plan.machines} machines`, plan.seed);
  openNetworks();
  const desk = cabled('collector', 2);
  const office = await openOffice({ ...plan, faults: FAULTS, collector: desk.address });
  const collector = new Machine('collector', { office, place: desk, role: 'collector' });
  const workers = Array.from({ length: plan.machines }, (_, index) => {
    const name = `worker${index + 1}`;
    return new Machine(name, { office, place: cabled(name, index + 3), role: 'worker' });
  });
  const mobiles = mobilesOf(plan.messages);
  await launch(office, mobiles);
  await Promise.all([collector, ...workers].map((machine) => machine.start()));
  log(`${plan.messages} messages are launched, with TUMA_FAULT_SEED=${plan.seed}`);
  const from = performance.now();
  const strikes: Storm = { office, workers, messages: plan.messages, random, cuts: plan.cuts, log };
  const struck = await storm(strikes);
  await settled(strikes);
  const tookMs = performance.now() - from;
  await Promise.all([collector, ...workers].map((machine) => machine.stop()));
  const exportFile = join(office.directory, 'messages.ndjson');
  await office.tuma('worker', ['export', JOB.name, '--out', exportFile, '--format', 'ndjson']);
  const report = await office.tuma('worker', ['report', JOB.name, '--json']);
  const findings = await compare({
    truthFile: office.provider.truthFile,
    exportFile,
    report,
    mobiles,
    mayBeUncertain: ({ ignoredCount, messages }) =>
      mayBeUncertain(
        struck,
        ignoredCount + [...messages.values()].flat().filter(({ answer }) => answer !== 'ok').length,
      ),
  });
  await office.tuma('owner', ['verify']);
  const { throughput } = JSON.parse(report) as { throughput: { messages_per_second: number } };
  return { ...plan, ...struck, findings, tookMs, perSecond: throughput.messages_per_second };
}

const plan = JSON.parse(process.argv[2] ?? '') as MachinesPlan;
try {
  const done = await run(plan);
  process.stdout.write(`${JSON.stringify(done)}\n`);
} finally {
  await endFile();
}
