import { type Connection, getEach, runEach } from '../../connection.ts';
import type { Outage } from '../../../domain/pace/outage.ts';
import type { PauseReason } from '../../../domain/campaign.ts';
import { CUT_OFF_MS } from '../../../domain/protocol-times.ts';
import type { RegisteredWorker, WorkerRegistration } from '../../contracts/records.ts';
import type { AttemptRef } from '../../contracts/sending.ts';
import type { BatchRecords } from '../planning/batches.ts';
import type { OpenTotals } from './running-totals.ts';
import type { MessageIds } from '../planning/message-ids.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** A resting batch is due again within this time, unless the job's own back-off is longer. */
const LONGEST_REST_MS = 600_000;

interface HeldBatch {
  id: number;
  campaign: number;
  first_seq: number;
  last_seq: number;
}

interface OneWorker {
  worker: number;
  now: number;
}

interface DeadWorker extends OneWorker {
  /** A person has accepted the loss, so campaigns need no pause. */
  isAccepted: boolean;
}

interface CutOff {
  campaign: number;
  sign: number;
}

type Pause = (
  campaign: number,
  change: { reason: PauseReason; cutOffAt: number; now: number; by: string },
) => Promise<boolean>;

/** The records that workers share with other operations. */
export interface WorkerRecords {
  batches: BatchRecords;
  openTotals: OpenTotals;
  ids: MessageIds;
  pause: Pause;
}

interface Context extends WorkerRecords {
  sql: Sql;
}

/** Workers (ledger.ts): registered, alive, gone, and reaped when dead. */
export function workerOperations(database: Connection, records: WorkerRecords) {
  const sql = loadStatements(database, new URL('./workers.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    async registerWorker(identity: WorkerRegistration, now: number): Promise<number> {
      const { bootId, pidNamespace, pid, startTicks, roles, lock = null } = identity;
      const registered = await sql('register_worker').get(
        bootId,
        pidNamespace,
        pid,
        startTicks,
        roles,
        now,
        lock,
      );
      return Number(registered?.['id']);
    },
    heartbeat: operation(
      { gate: 'needs this schema' },
      async (worker: number, now: number, outage: Outage | null = null) => {
        const ill = [outage?.since ?? null, outage?.nextTryAt ?? null];
        if ((await sql('heartbeat').run(worker, now, ...ill)).changes === 0) return false;
        await sql('prolong_leases').run(worker, now);
        return true;
      },
    ),
    retireWorker: (worker: number, now: number) => retireWorker(context, { worker, now }),
    otherWorkers: async (except: number | null) =>
      (await sql('other_workers').all(except)) as unknown as RegisteredWorker[],
    stillSending: async (worker: number) => (await sql('all_sending').all(worker)) as unknown as AttemptRef[],
    reap: (worker: number, now: number, isAccepted = false) => reap(context, { worker, now, isAccepted }),
  };
}

async function retireWorker(context: Context, { worker, now }: OneWorker): Promise<void> {
  const { sql } = context;
  await sql('end_worker').run(worker, now, 0);
  await endLeases(context, { worker, now });
  const held = await heldBatches(context, worker);
  const sending = await getEach(
    sql('still_sending'),
    held.map(({ campaign, first_seq: first, last_seq: last }) => [campaign, first, last, worker]),
  );
  await dropHolds(
    context,
    worker,
    held.filter((_, index) => sending[index] === undefined),
  );
}

/**
 * Pauses cut-off campaigns and ends the worker, in one commit, so that no claim comes between. Returns the
 * number of messages that became uncertain.
 */
async function reap(context: Context, dead: DeadWorker): Promise<number> {
  const { worker, now } = dead;
  if (!dead.isAccepted) await pauseCutOff(context, dead);
  await context.sql('end_worker').run(worker, now, 1);
  await context.sql('renew_epochs').run();
  await endLeases(context, { worker, now });
  const held = await heldBatches(context, worker);
  const count = await reapMessages(context, held, { worker, now });
  await dropHolds(context, worker, held);
  await context.batches.settleEmpty(
    held.map(({ id }) => id),
    now,
  );
  return count;
}

/** A machine that was restored from a copy may have sent more than its ledger knows. */
async function pauseCutOff({ sql, pause }: Context, { worker, now }: OneWorker): Promise<void> {
  const cutOff = (await sql('cut_off').all(worker, now - CUT_OFF_MS, LONGEST_REST_MS)) as unknown as CutOff[];
  for (const { campaign, sign } of cutOff)
    await pause(campaign, { reason: 'start', cutOffAt: sign, now, by: 'reaper' });
}

async function reapMessages(
  { sql, openTotals }: Context,
  held: readonly HeldBatch[],
  { worker, now }: OneWorker,
): Promise<number> {
  const totals = openTotals();
  await totals.load(held.map(({ campaign }) => campaign));
  let count = 0;
  for (const { campaign, first_seq: first, last_seq: last } of held) {
    const reaped = await sql('reap_messages').all(campaign, first, last, worker, now);
    const reserved = reaped.reduce((sum, row) => sum + Number(row['reserved']), 0);
    const entry = totals.entry(campaign);
    entry.inFlight -= reaped.length;
    entry.campaignReserved -= reserved;
    entry.campaignSpent += reserved;
    count += reaped.length;
  }
  await totals.post(now);
  return count;
}

async function dropHolds({ sql }: Context, worker: number, held: readonly HeldBatch[]): Promise<void> {
  await runEach(
    sql('drop_hold'),
    held.map(({ id }) => [worker, id]),
  );
}

async function endLeases({ sql, batches }: Context, { worker, now }: OneWorker): Promise<void> {
  const leased = (await sql('leased_batches').all(worker)).map((row) => Number(row['id']));
  await sql('end_leases').run(worker, now);
  await batches.settleEmpty(leased, now);
}

async function heldBatches({ sql }: Context, worker: number): Promise<HeldBatch[]> {
  return (await sql('held_batches').all(worker)) as unknown as HeldBatch[];
}
