import { expect, test } from 'vitest';
import { runMachines } from './machines/run-machines.ts';
import { whyNoMachines } from './machines/namespaces.ts';
import { addRun } from './summary.ts';

/* `npm run soak -- --machines N --messages N` runs the same with more messages. */

const reason = whyNoMachines();
if (reason !== null) console.log(`Machines apart are not tried: ${reason}`);

test.skipIf(reason !== null).for([{ cuts: false }, { cuts: true }])(
  'four workers on machines of their own, killed, lost and frozen while Postgres crashes and Redis is flushed; one cut off from Postgres: $cuts [D10 R1]',
  async ({ cuts }) => {
    const seed = Number(process.env['TUMA_FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    const done = await runMachines({ machines: 4, messages: 5_000, rate: '200/s', seed, cuts });
    const { findings, killed, lost } = done;
    expect(done).toMatchObject({ frozen: 1, cutOff: cuts ? 1 : 0, restarts: 1, flushes: 2 });
    expect(killed + lost).toBeGreaterThan(0);
    expect(findings).toMatchObject({ messages: 5_000, queued: 0, double: 0, lost: 0 });
    addRun(cuts ? 'machines, one cut off' : 'machines', findings, { runs: killed + lost });
  },
);
