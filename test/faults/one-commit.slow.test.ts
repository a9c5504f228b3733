import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteReader } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { PRICE, sent, World } from '../ledger/contract-world.ts';
import { ROOT, startProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { injected, noStrace } from './strace.ts';

/* A kill at each write that one commit asks of the kernel (L3): before the last one, none of it happened. */

const MESSAGES = 6;
const LEASE_MS = 3_600_000;
const ONE_COMMIT = join(ROOT, 'test/faults/one-commit-process.ts');
/** More than any commit of so few messages. */
const MOST_WRITES = 200;

/** A ledger on which one operation is still to be done. */
interface Before {
  file: string;
  operation: 'claim' | 'recordOutcomes';
  args: object;
}

/** Opens a ledger for a few moves, and holds it against every invariant afterwards. */
async function inLedger<Answer>(file: string, moves: (world: World) => Promise<Answer>): Promise<Answer> {
  const ledger = await openSqliteLedger({ file });
  const never = () => Promise.reject(new Error('not needed'));
  const reader = () => openSqliteReader({ file });
  const world = new World({
    ledger,
    another: never,
    reader,
    sql: never,
    tables: never,
    close: () => ledger.close(),
  });
  world.now = Date.now();
  try {
    const answer = await moves(world);
    await world.verify();
    return answer;
  } finally {
    await world.close();
  }
}

/** Kills a process that does it at its first write, the next one at its second … Answers how many of them had begun it. */
async function killAtEachWrite(
  before: Before,
  look: (file: string) => Promise<void>,
): Promise<{ kills: number; file: string }> {
  let kills = 0;
  for (let write = 1; write <= MOST_WRITES; write += 1) {
    const file = join(makeTempDir(), 'ledger.db');
    copyFileSync(before.file, file);
    const strace = injected(`${file}.calls`, `pwrite64:signal=SIGKILL:when=${write}`);
    const operation = [before.operation, JSON.stringify(before.args)];
    const [command = '', ...args] = [...strace, process.execPath, ONE_COMMIT, file, ...operation];
    const child = startProcess(command, args, { env: { PATH: process.env['PATH'] } });
    const { signal } = await child.exited;
    if (child.stdout().includes('committed')) return { kills, file };
    expect(signal, child.stderr()).toBe('SIGKILL');
    // To open a ledger writes the shared memory beside its log.
    const where = child.stdout() === 'ready\n' ? `${file}-wal>` : `${file}-shm>`;
    const calls = readFileSync(`${file}.calls`, 'utf8').split('\n');
    expect(calls.findLast((call) => call.includes('pwrite64('))).toContain(where);
    if (child.stdout() === 'ready\n') kills += 1;
    await look(file);
  }
  throw new Error(`it is not committed after ${MOST_WRITES} writes`);
}

test.skipIf(noStrace)(
  'killed at each write of the commit of a claim, all of it is rolled back, and everything is queued [A2]',
  async () => {
    const file = join(makeTempDir(), 'before.db');
    const { campaign, ...wanted } = await inLedger(file, async (world) => {
      const { n } = await world.launch(MESSAGES);
      const worker = await world.worker();
      const { batch, epoch, firstSeq } = await world.lease(worker, LEASE_MS);
      return { campaign: n, batch, epoch, worker, fromSeq: firstSeq };
    });
    const limits = { limit: 128, windowClosesAt: null, ceilingMicro: 1e15, priceMicro: PRICE };
    const args = { ...wanted, ...limits, claimNumber: 1, accountRate: null, now: Date.now() };
    const { kills, ...last } = await killAtEachWrite({ file, operation: 'claim', args }, (killed) =>
      inLedger(killed, async (world) => {
        expect(await world.states(campaign)).toEqual({ queued: MESSAGES });
        const { messages } = await world.ledger.claim({ ...args, now: world.now });
        expect(messages.map(({ attempt }) => attempt)).toEqual(Array(MESSAGES).fill(1));
      }),
    );
    expect(kills).toBeGreaterThan(5);
    expect(await inLedger(last.file, (world) => world.states(campaign))).toEqual({ sending: MESSAGES });
  },
);

test.skipIf(noStrace)(
  'killed at each write of the commit of outcomes, none is recorded, and what was sent is uncertain [A10]',
  async () => {
    const file = join(makeTempDir(), 'before.db');
    const { campaign, ...args } = await inLedger(file, async (world) => {
      const { campaign: own, worker, messages } = await world.sending(MESSAGES);
      const outcomes = messages.map((message) => sent(own, message));
      return { campaign: own.n, worker, outcomes, pauses: [], now: world.now };
    });
    const { kills, ...last } = await killAtEachWrite({ file, operation: 'recordOutcomes', args }, (killed) =>
      inLedger(killed, async (world) => {
        expect(await world.states(campaign)).toEqual({ sending: MESSAGES });
        expect(await world.ledger.reap(args.worker, world.now)).toBe(MESSAGES);
        expect(await world.states(campaign)).toEqual({ uncertain: MESSAGES });
      }),
    );
    expect(kills).toBeGreaterThan(5);
    expect(await inLedger(last.file, (world) => world.states(campaign))).toEqual({ sent: MESSAGES });
  },
);
