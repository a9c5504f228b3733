import type { Outcome, OutcomeRecord } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';
import { isTransientError } from './failures.ts';

type Record = Omit<OutcomeRecord, 'now'>;
type RecordEnv = Pick<Env, 'clock' | 'ledger' | 'log'>;

/** Called for verdicts that the ledger refused, because their messages are still `sending`. */
export interface RefusalsWatch {
  /** The ledger refused the group; the recordable part is known later. */
  refused(): void;
  /** One verdict can never be recorded: its message stays `sending` until this process ends. */
  lost(): void;
  /** These verdicts are in the ledger, or their messages were decided before. */
  recorded(outcomes: readonly Outcome[]): void;
}

/**
 * Records verdicts as one commit; returns the verdicts to try again. A verdict that a working ledger refuses
 * must not hold up its neighbours. So its group is recorded in halves. The one verdict that remains becomes
 * `uncertain`, which is true of any sent message.
 */
export async function recordVerdicts(
  env: RecordEnv,
  record: Record,
  watch: RefusalsWatch,
): Promise<Outcome[]> {
  const { outcomes } = record;
  const error = await failureOf(env, record);
  if (error === null) {
    watch.recorded(outcomes);
    return [];
  }
  watch.refused();
  if (isTransientError(error) || (await failureOf(env, { ...record, outcomes: [] })) !== null) {
    env.log.error({ outcomes: outcomes.length, error: String(error) }, 'verdicts wait for the ledger');
    return outcomes;
  }
  const [only] = outcomes;
  if (only === undefined) return [];
  if (outcomes.length === 1) return recordUncertain(env, record, { verdict: only, error, watch });
  const middle = Math.ceil(outcomes.length / 2);
  return [
    ...(await recordVerdicts(env, { ...record, outcomes: outcomes.slice(0, middle) }, watch)),
    ...(await recordVerdicts(env, { ...record, outcomes: outcomes.slice(middle) }, watch)),
  ];
}

/** If the ledger refuses even `uncertain`, the message stays `sending` until the reaper ends this process. */
async function recordUncertain(
  env: RecordEnv,
  record: Record,
  { verdict, error, watch }: { verdict: Outcome; error: Error; watch: RefusalsWatch },
): Promise<Outcome[]> {
  const { campaign, seq, attempt, sendMs } = verdict;
  const identity = { campaign, seq, attempt, sendMs, evidence: null };
  const instead: Outcome = { ...identity, to: 'uncertain', reason: 'verdict not recorded' };
  const again = await failureOf(env, { ...record, outcomes: [instead] });
  if (again !== null && isTransientError(again)) return [verdict];
  if (again === null) watch.recorded([instead]);
  else watch.lost();
  const facts = { campaign, seq, to: verdict.to, uncertain: again === null, error: String(error) };
  env.log.error(facts, 'a verdict cannot be recorded');
  return [];
}

async function failureOf({ clock, ledger, log }: RecordEnv, record: Record): Promise<Error | null> {
  try {
    const results = await ledger.recordOutcomes({ ...record, now: clock.now() });
    const stale = results.filter((result) => result === 'stale').length;
    if (stale > 0) log.warn({ stale }, 'verdicts came after their attempts had been decided');
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
