import { changeEach, type Connection } from '../../connection.ts';
import type { CampaignState } from '../../../domain/campaign.ts';
import {
  NO_REPORT_CAME,
  type CanaryCounts,
  type CanaryProgress,
  type CanaryRule,
  judgeCanary,
} from '../../../domain/pace/canary.ts';
import { someUnmatched, unmatchedWords } from '../../../domain/unmatched-reports.ts';
import type { CanaryStep } from '../../contracts/sending.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { unmatchedReads } from '../reading/unmatched.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/* The gate of the canary. Its messages are the campaign's first batch; the gate blocks all other batches. */

type Change = { campaign: number; now: number; by: string };
interface Verbs {
  pause: (change: Change & { reason: 'canary' }) => Promise<boolean>;
  goOn: (change: Change) => Promise<boolean>;
}

/** Holds a campaign's rest back until its canary is judged. */
export class CanaryGate {
  readonly #sql: Sql;
  readonly #progress: ReturnType<typeof canaryProgress>;
  readonly #campaigns: CampaignRecords;
  readonly #unmatched: ReturnType<typeof unmatchedReads>;

  constructor(database: Connection, { campaigns }: { campaigns: CampaignRecords }) {
    this.#sql = statementsOf(database);
    this.#progress = canaryProgress(this.#sql);
    this.#campaigns = campaigns;
    this.#unmatched = unmatchedReads(database);
  }

  /** Chooses the canary messages of a new campaign, if other messages can wait for them. */
  async open({
    campaign,
    rule,
    planned,
  }: {
    campaign: number;
    rule: CanaryRule;
    planned: number;
  }): Promise<void> {
    const { first, waitMs, delivered } = rule;
    if (planned <= first) return;
    // Contacts are often sorted by number: messages spread over the whole file reach every network.
    for (let place = 0; place < first; place += 1)
      await this.#swap(campaign, place + 1, Math.floor((place * planned) / first) + 1);
    await this.#sql('add').run(campaign, first, waitMs, delivered);
  }

  /** A firing gets the canary of its schedule. */
  async copy(schedule: number, campaign: number): Promise<void> {
    await this.#sql('copy').run(schedule, campaign);
  }

  /** A person resumes a campaign whose canary blocks it. */
  async override(campaign: number, now: number): Promise<void> {
    await this.#sql('override').run(campaign, now);
  }

  /** Judges every open canary. Returns the campaigns that now pause, go on, or wait for a person. */
  async watch(now: number, verbs: Verbs): Promise<CanaryStep[]> {
    const undecided = await this.#sql<Undecided>('undecided').all();
    return await flatMapInOrder(undecided, async ({ campaign, id, state, begun }): Promise<CanaryStep[]> => {
      const progress = await this.#progress(campaign, now);
      if (progress === null) return [];
      const { verdict } = progress;
      const why = await this.#reasonOf(progress, { since: begun, until: now });
      const change = { campaign, now, by: 'canary' };
      if (verdict === 'sending') {
        // One of the canary's messages was put back while the campaign waited.
        if (state === 'paused') await verbs.goOn(change);
        return [];
      }
      if (verdict !== 'waiting') await this.#decide({ ...progress, why }, { campaign, now });
      if (verdict === 'passed') await verbs.goOn(change);
      else if (!(await verbs.pause({ ...change, reason: 'canary' })) && verdict === 'waiting') return [];
      return [{ id, step: verdict as CanaryStep['step'], why }];
    });
  }

  /** Reports that came and fit no message are another reason than no reports. */
  async #reasonOf({ why }: CanaryProgress, span: { since: number; until: number }): Promise<string | null> {
    if (why !== NO_REPORT_CAME) return why;
    const unmatched = await this.#unmatched.unmatchedReports(span);
    return someUnmatched(unmatched) ? unmatchedWords(unmatched) : why;
  }

  async #decide(
    { verdict, why, counts }: CanaryProgress,
    { campaign, now }: { campaign: number; now: number },
  ): Promise<void> {
    await this.#sql('decide').run(campaign, verdict, why, now);
    const detail = { verdict, why, ...counts };
    await this.#campaigns.audit({ now, by: 'canary', verb: 'canary', campaign, detail });
  }

  /** Two messages of the draft change their places. */
  async #swap(campaign: number, seq: number, other: number): Promise<void> {
    if (seq === other) return;
    const moves = [
      [seq, 0],
      [other, seq],
      [0, other],
    ];
    for (const move of moves) {
      await changeEach(this.#sql('move'), [[campaign, ...move]]);
      await this.#sql('move_numbers').run(campaign, ...move);
    }
  }
}

/** A campaign whose canary is open, and when its first message was claimed. */
interface Undecided {
  campaign: number;
  id: string;
  state: CampaignState;
  begun: number;
}

function statementsOf(database: Connection): Sql {
  return loadStatements(database, new URL('./canary.sql', import.meta.url));
}

interface CanaryRow extends CanaryRule {
  verdict: 'passed' | 'failed' | 'overridden' | null;
  why: string | null;
}

/** Makes a function that returns a canary's progress and whether its verdict is written; null: none. */
function canaryProgress(sql: Sql) {
  return async (campaign: number, now: number): Promise<(CanaryProgress & { decided: boolean }) | null> => {
    const row = await sql<CanaryRow>('canary').get(campaign);
    if (row === undefined) return null;
    const { verdict, why, ...rule } = row;
    const counts = (await sql<CanaryCounts>('counts').get(campaign, rule.first)) as CanaryCounts;
    if (verdict !== null) return { counts, rule, verdict, until: null, why, decided: true };
    return { counts, rule, until: null, why: null, ...judgeCanary(rule, counts, now), decided: false };
  };
}

/** The progress of canaries for readers. Only the writer decides, so an unwritten verdict does not count. */
export function canaryReads(database: Connection) {
  const progress = canaryProgress(statementsOf(database));
  return {
    async canary(campaign: number): Promise<CanaryProgress | null> {
      const standing = await progress(campaign, 0);
      if (standing === null) return null;
      const { decided, ...shown } = standing;
      if (decided || shown.verdict === 'sending') return shown;
      const until = (shown.counts.leftAt ?? 0) + shown.rule.waitMs;
      return { ...shown, verdict: 'waiting', until, why: null };
    },
  };
}
