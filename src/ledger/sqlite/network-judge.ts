import type { DatabaseSync } from 'node:sqlite';
import {
  judgeDelivery,
  looksCollapsed,
  type NetworkFacts,
  type NetworkShare,
} from '../../domain/pace/network-delivery.ts';
import { prepareStatements, type Statements } from './statements.ts';

/**
 * Which networks do not deliver what campaigns send. The reports that came last say which messages are just being
 * reported; of these and their neighbours is counted what became of them, so that no network's delay can mislead.
 */

const STATEMENTS = ['reported', 'going_on', 'cohort', 'usual', 'worst'] as const;

/** Reports that are looked at for where each campaign stands. */
const REPORTS = 5_000;
/** Older reports and messages say nothing about now. */
const RECENT_REPORTS_MS = 900_000;
const RECENT_MESSAGES_MS = 3_600_000;
/** Messages that are counted before and after the middle one of those that were reported. */
const BEFORE = 1_500;
const AFTER = 500;
const USUAL_SAMPLE = 1_000;
/** Campaigns that one look judges, so that it is short. */
const MOST_JUDGED = 4;

interface Cohort {
  campaign: number;
  firstSeq: number;
  lastSeq: number;
}

/** One network of a cohort; `state`: of its hold, null where there is none. */
type Share = NetworkShare & { network: string; state: string | null };

/** A network that does not deliver what one campaign sends, and why one thinks so. `id`: the campaign's. */
export interface IllNetwork {
  campaign: number;
  id: string;
  network: string;
  why: string;
  /** It is held already: its messages go all the same. */
  held: boolean;
}

/** Judges the networks of the campaigns that reports come for; with many of these they take turns. */
export class NetworkJudge {
  readonly #sql: Statements<typeof STATEMENTS>;
  readonly #judgedAt = new Map<number, number>();

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database, new URL('./network-judge.sql', import.meta.url), STATEMENTS);
    this.#sql.reported.setReturnArrays(true);
  }

  /** Those that are neither tried at present nor let go by a person. */
  ill(now: number): IllNetwork[] {
    return this.#cohorts(now).flatMap((cohort) => this.#illOf(cohort, now));
  }

  #cohorts(now: number): Cohort[] {
    const rows = this.#sql.reported.all(now - RECENT_REPORTS_MS, REPORTS) as unknown as [number, number][];
    const byCampaign = Map.groupBy(rows, ([campaign]) => campaign);
    for (const campaign of this.#judgedAt.keys())
      if (!byCampaign.has(campaign)) this.#judgedAt.delete(campaign);
    const longest = (one: number, other: number) =>
      (this.#judgedAt.get(one) ?? 0) - (this.#judgedAt.get(other) ?? 0);
    const turn = [...byCampaign.keys()].toSorted(longest).slice(0, MOST_JUDGED);
    return turn.map((campaign) => {
      this.#judgedAt.set(campaign, now);
      const middle = middleOf((byCampaign.get(campaign) ?? []).map(([, seq]) => seq));
      return { campaign, firstSeq: Math.max(1, middle - BEFORE), lastSeq: middle + AFTER };
    });
  }

  #illOf(cohort: Cohort, now: number): IllNetwork[] {
    const { campaign, firstSeq, lastSeq } = cohort;
    const id = this.#sql.going_on.get(campaign)?.['id'] as string | undefined;
    if (id === undefined) return [];
    const since = now - RECENT_MESSAGES_MS;
    const shares = this.#sql.cohort.all(campaign, firstSeq, lastSeq, since) as unknown as Share[];
    return shares.flatMap((share) => {
      const { network, state } = share;
      if (state === 'overridden' || state === 'probing' || !looksCollapsed(share)) return [];
      const others = sumOf(shares.filter((other) => other !== share));
      const why = judgeDelivery({ ...share, others, ...this.#lookUp(cohort, network) });
      return why === null ? [] : [{ campaign, id, network, why, held: state === 'held' }];
    });
  }

  #lookUp({ campaign, firstSeq, lastSeq }: Cohort, network: string): Pick<NetworkFacts, 'usual' | 'worst'> {
    const step = Math.max(1, Math.floor(firstSeq / USUAL_SAMPLE));
    const usual = this.#sql.usual.get(campaign, network, firstSeq - 1, step) as unknown as NetworkShare;
    const worst = this.#sql.worst.get(campaign, network, firstSeq, lastSeq) as
      | { word: string; count: number; isNew: number }
      | undefined;
    return { usual, worst: worst === undefined ? null : { ...worst, isNew: worst.isNew === 1 } };
  }
}

function middleOf(seqs: number[]): number {
  return seqs.toSorted((one, other) => one - other)[Math.floor(seqs.length / 2)] ?? 0;
}

function sumOf(shares: readonly NetworkShare[]): NetworkShare {
  const sum = (key: 'sent' | 'delivered' | 'undelivered') =>
    shares.reduce((total, share) => total + share[key], 0);
  return { sent: sum('sent'), delivered: sum('delivered'), undelivered: sum('undelivered') };
}
