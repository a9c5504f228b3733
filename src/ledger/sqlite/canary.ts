import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import {
  NO_REPORT_CAME,
  type CanaryCounts,
  type CanaryProgress,
  type CanaryRule,
  judgeCanary,
} from '../../domain/pace/canary.ts';
import { someUnmatched, unmatchedWords } from '../../domain/unmatched-reports.ts';
import type { CanaryStep } from '../sending.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { DraftIdentities } from './identities.ts';
import { OtherNumbers } from './other-numbers.ts';
import { unmatchedReads } from './reader-unmatched.ts';
import { type Sql, loadStatements } from './statements.ts';

/* The gate of the canary. Its messages are the campaign's first batch; the gate blocks all other batches. */

type Change = { campaign: number; now: number; by: string };
interface Verbs {
  pause: (change: Change & { reason: 'canary' }) => boolean;
  goOn: (change: Change) => boolean;
}

/** Holds a campaign's rest back until its canary is judged. */
export class CanaryGate {
  readonly #sql: Sql;
  readonly #progress: ReturnType<typeof canaryProgress>;
  readonly #campaigns: CampaignRecords;
  readonly #identities: DraftIdentities;
  readonly #unmatched: ReturnType<typeof unmatchedReads>;
  readonly #otherNumbers: OtherNumbers;

  constructor(
    database: DatabaseSync,
    { campaigns, identities }: { campaigns: CampaignRecords; identities: DraftIdentities },
  ) {
    this.#sql = statementsOf(database);
    this.#sql('take_out').setReturnArrays(true);
    this.#progress = canaryProgress(this.#sql);
    this.#campaigns = campaigns;
    this.#identities = identities;
    this.#unmatched = unmatchedReads(database);
    this.#otherNumbers = new OtherNumbers(database);
  }

  /** Chooses the canary messages of a new campaign, if other messages can wait for them. */
  open({ campaign, rule, planned }: { campaign: number; rule: CanaryRule; planned: number }): void {
    const { first, waitMs, delivered } = rule;
    if (planned <= first) return;
    // Contacts are often sorted by number: messages spread over the whole file reach every network.
    for (let place = 0; place < first; place += 1)
      this.#swap(campaign, place + 1, Math.floor((place * planned) / first) + 1);
    this.#sql('add').run(campaign, first, waitMs, delivered);
  }

  /** A firing gets the canary of its schedule. */
  copy(schedule: number, campaign: number): void {
    this.#sql('copy').run(schedule, campaign);
  }

  /** A person resumes a campaign whose canary blocks it. */
  override(campaign: number, now: number): void {
    this.#sql('override').run(campaign, now);
  }

  /** Judges every open canary. Returns the campaigns that now pause, go on, or wait for a person. */
  watch(now: number, verbs: Verbs): CanaryStep[] {
    type Row = { campaign: number; id: string; state: string };
    const undecided = this.#sql('undecided').all() as unknown as Row[];
    return undecided.flatMap(({ campaign, id, state }): CanaryStep[] => {
      const progress = this.#progress(campaign, now);
      if (progress === null) return [];
      const { verdict } = progress;
      const why = this.#reasonOf(progress, { campaign, now });
      const change = { campaign, now, by: 'canary' };
      if (verdict === 'sending') {
        // One of the canary's messages was put back while the campaign waited.
        if (state === 'paused') verbs.goOn(change);
        return [];
      }
      if (verdict !== 'waiting') this.#decide({ ...progress, why }, { campaign, now });
      if (verdict === 'passed') verbs.goOn(change);
      else if (!verbs.pause({ ...change, reason: 'canary' }) && verdict === 'waiting') return [];
      return [{ id, step: verdict as CanaryStep['step'], why }];
    });
  }

  /** Reports that came and fit no message are another reason than no reports. */
  #reasonOf({ why }: CanaryProgress, { campaign, now }: { campaign: number; now: number }): string | null {
    if (why !== NO_REPORT_CAME) return why;
    const begun = this.#sql('begun').get(campaign)?.['at'];
    const unmatched = this.#unmatched.unmatchedReports({ since: Number(begun ?? 0), until: now });
    return someUnmatched(unmatched) ? unmatchedWords(unmatched) : why;
  }

  #decide(
    { verdict, why, counts }: CanaryProgress,
    { campaign, now }: { campaign: number; now: number },
  ): void {
    this.#sql('decide').run(campaign, verdict, why, now);
    const detail = { verdict, why, ...counts };
    this.#campaigns.audit({ now, by: 'canary', verb: 'canary', campaign, detail });
  }

  #swap(campaign: number, seq: number, other: number): void {
    if (seq === other) return;
    const take = (from: number) =>
      this.#sql('take_out').all(campaign, from)[0] as unknown as SQLOutputValue[] | undefined;
    // They go with their message when it is taken out.
    const [othersOfOne, othersOfTwo] = [seq, other].map((at) =>
      this.#otherNumbers.of({ campaign, seq: at }),
    ) as [string, string];
    const [one, two] = [take(seq), take(other)];
    if (one === undefined || two === undefined) throw new Error(`a message of ${campaign} is missing`);
    this.#sql('put').run(campaign, seq, ...two);
    this.#sql('put').run(campaign, other, ...one);
    this.#otherNumbers.add({ campaign, seq }, othersOfTwo);
    this.#otherNumbers.add({ campaign, seq: other }, othersOfOne);
    for (const at of [seq, other]) this.#identities.putSpan(campaign, [at, at]);
  }
}

function statementsOf(database: DatabaseSync): Sql {
  return loadStatements(database, new URL('./canary.sql', import.meta.url));
}

interface CanaryRow extends CanaryRule {
  verdict: 'passed' | 'failed' | 'overridden' | null;
  why: string | null;
}

/** Makes a function that returns a canary's progress and whether its verdict is written; null: none. */
function canaryProgress(sql: Sql) {
  return (campaign: number, now: number): (CanaryProgress & { decided: boolean }) | null => {
    const row = sql('canary').get(campaign) as unknown as CanaryRow | undefined;
    if (row === undefined) return null;
    const { verdict, why, ...rule } = row;
    const counts = { ...sql('counts').get(campaign, rule.first) } as unknown as CanaryCounts;
    if (verdict !== null) return { counts, rule, verdict, until: null, why, decided: true };
    return { counts, rule, until: null, why: null, ...judgeCanary(rule, counts, now), decided: false };
  };
}

/** The progress of canaries for readers. Only the writer decides, so an unwritten verdict does not count. */
export function canaryReads(database: DatabaseSync) {
  const progress = canaryProgress(statementsOf(database));
  return {
    canary(campaign: number): CanaryProgress | null {
      const standing = progress(campaign, 0);
      if (standing === null) return null;
      const { decided, ...shown } = standing;
      if (decided || shown.verdict === 'sending') return shown;
      const until = (shown.counts.leftAt ?? 0) + shown.rule.waitMs;
      return { ...shown, verdict: 'waiting', until, why: null };
    },
  };
}
