import { pauseFacts } from './pause-facts.ts';
import type { Campaign, CampaignKind, PauseReason } from '../domain/campaign.ts';
import type { MessageState } from '../domain/message.ts';
import { formatMoney, type MoneyMicro, share } from '../domain/money.ts';
import type { CampaignOverview, LedgerReader, ProviderWords, Tallies } from '../ledger/contracts/reader.ts';
import type { LatencyHistogram } from '../ledger/contracts/counters.ts';
import type { UploadCounts } from '../ledger/contracts/records.ts';
import { type BalancePart, balancePart } from './balance-part.ts';
import { type DecisionPart, decisionParts } from './open-answers.ts';

/** The shape of `tuma report --json`. Times are ISO 8601 UTC, money decimal strings; null is not known. */
export interface CampaignReport {
  campaign: {
    id: string;
    name: string;
    kind: CampaignKind;
    state: CampaignOverview['state'];
    reason: PauseReason | null;
    /** Paused because it was cut off while it was sending: then. */
    cut_off_at?: string;
    /** True: paused because a recurring job could not read its files. */
    files_unread?: true;
    /** The provider's own words about the pause. */
    provider_words?: string;
    created_at: string;
    started_at: string | null;
    /** The time when the last message was settled; for one decided later, when it left. Null: not all are. */
    finished_at: string | null;
  };
  rows: UploadCounts;
  /** `taken_back`: how often a killed worker had claimed and never sent one; its state counts above. */
  messages: Tallies['messages'] & { taken_back: number };
  delivery: Tallies['delivery'];
  /** Unknown answers of the provider that messages of the campaign wait for. */
  decisions: DecisionPart[];
  /** `provider_words`: the provider's own words about most of them, cleaned; null: none. */
  reasons: {
    state: MessageState;
    reason: string;
    count: number;
    retry_helps: boolean;
    provider_words: string | null;
  }[];
  segments: Tallies['segments'];
  cost: {
    currency: string;
    estimated: string | null;
    charged: string;
    /** Sent messages whose cost is not known. */
    unknown: number;
    /** Their highest possible cost; likewise of open uncertain messages, and of written-off ones. */
    unknown_price: string;
    at_stake: string;
    written_off_price: string;
    /** The messages among these without a known price. They count as zero in the amounts. */
    unpriced: number;
    /** The most that the campaign may have cost: charged and those three together. */
    spent: string;
    /** The least cost of the messages that opted-out numbers would have had. */
    saved: string | null;
    per_delivered: string | null;
    by_network: { network: string | null; sent: number; delivered: number; charged: string }[];
  };
  balance: BalancePart;
  latency_ms: { send: Percentiles; delivery: Percentiles };
  /** From the first message to the last; null: within three seconds, which shows no pace. */
  throughput: {
    messages_per_second: number | null;
    first_sent_at: string | null;
    last_sent_at: string | null;
  };
}

/** Milliseconds that half, 95 % and 99 % of the messages stayed within: upper ends of steps, up to a fifth above. */
interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** Whose report, as of when. Times in milliseconds. */
export interface ReportRequest {
  reader: LedgerReader;
  campaign: Campaign;
  now: number;
  /** After so long a sent message without a final report counts as unreported. */
  reportWaitMs: number;
}

/** A pace is not told of a shorter time. */
const SHORTEST_PACE_MS = 3_000;

/** Reads everything that the report of a campaign says. */
export async function campaignReport(request: ReportRequest): Promise<CampaignReport> {
  const { reader, campaign, now, reportWaitMs } = request;
  // Of one moment, so that they add up while messages are sent.
  const { overview, tallies } = await reader.campaignCounters(campaign.n, now - reportWaitMs);
  const rows = await reader.uploads(campaign.n);
  const open = tallies.unknownCost + tallies.messages.uncertain;
  const isRefused = tallies.messages.rejected + tallies.messages.uncertain > 0;
  const latency = await reader.campaignLatency(campaign.n);
  return {
    campaign: campaignPart(overview),
    rows,
    messages: { ...tallies.messages, taken_back: overview.takenBack },
    delivery: tallies.delivery,
    decisions: decisionParts(await reader.openAnswers(campaign.n)),
    reasons: reasonsPart(tallies, isRefused ? await reader.providerWords(campaign.n) : []),
    segments: tallies.segments,
    cost: costPart({ campaign: overview.campaign, rows, tallies }),
    balance: await balancePart({ reader, overview, open, now }),
    latency_ms: { send: percentiles(latency.send), delivery: percentiles(latency.delivery) },
    throughput: throughputPart(tallies),
  };
}

function reasonsPart({ reasons }: Tallies, said: ProviderWords[]): CampaignReport['reasons'] {
  return reasons.map(({ state, reason, count, retryHelps }) => ({
    state,
    reason: reason === '' ? (state === 'canceled' ? 'by an operator' : 'no reason given') : reason,
    count,
    retry_helps: retryHelps,
    provider_words: said.find((each) => each.state === state && each.reason === reason)?.words ?? null,
  }));
}

function campaignPart(overview: CampaignOverview): CampaignReport['campaign'] {
  const { campaign, state, pauseSaid, startedAt, finishedAt } = overview;
  const { id, name, kind, createdAt } = campaign;
  return {
    id,
    name,
    kind,
    state,
    ...pauseFacts(overview),
    ...(pauseSaid === undefined ? {} : { provider_words: pauseSaid }),
    created_at: isoTime(createdAt),
    started_at: startedAt === null ? null : isoTime(startedAt),
    finished_at: finishedAt === null ? null : isoTime(finishedAt),
  };
}

interface CostFacts {
  campaign: Campaign;
  rows: UploadCounts;
  tallies: Tallies;
}

function costPart({ campaign, rows, tallies }: CostFacts): CampaignReport['cost'] {
  const { chargedMicro, unknownCost, unknownMicro, atStakeMicro, writtenOffMicro } = tallies;
  const { byNetwork, delivery } = tallies;
  const perDelivered =
    delivery.delivered === 0 || unknownCost > 0 ? null : share(chargedMicro, delivery.delivered);
  return {
    currency: campaign.settings.currency ?? '',
    estimated: money(campaign.estimatedMicro),
    charged: formatMoney(chargedMicro),
    unknown: unknownCost,
    unknown_price: formatMoney(unknownMicro),
    at_stake: formatMoney(atStakeMicro),
    written_off_price: formatMoney(writtenOffMicro),
    unpriced: tallies.unpriced,
    spent: formatMoney(chargedMicro + unknownMicro + atStakeMicro + writtenOffMicro),
    saved: money(savedMicro(rows, tallies)),
    per_delivered: money(perDelivered),
    by_network: byNetwork.map(({ network, sent, delivered, chargedMicro }) => ({
      network,
      sent,
      delivered,
      charged: formatMoney(chargedMicro),
    })),
  };
}

/** Suppressed rows were never rendered, so they count as one segment at the lowest price; null: unknown. */
function savedMicro({ suppressed }: UploadCounts, { reasons, sparedMicro, lowestPriceMicro }: Tallies) {
  const optedOut = reasons.some(({ state, reason }) => state === 'skipped' && reason === 'opted out');
  if (suppressed === 0 && !optedOut) return 0;
  return lowestPriceMicro === null ? null : sparedMicro + suppressed * lowestPriceMicro;
}

function percentiles({ p50, p95, p99 }: LatencyHistogram): Percentiles {
  return { p50, p95, p99 };
}

/** Messages a second from the first to the last verdict; null where the time is too short to say. */
function throughputPart(tallies: Tallies): CampaignReport['throughput'] {
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  const { firstSentAt, lastSentAt } = tallies;
  return {
    messages_per_second: throughput(tallies),
    first_sent_at: time(firstSentAt),
    last_sent_at: time(lastSentAt),
  };
}

function throughput({ messages, firstSentAt, lastSentAt }: Tallies): number | null {
  if (firstSentAt === null || lastSentAt === null || lastSentAt - firstSentAt < SHORTEST_PACE_MS) return null;
  return Math.round(((messages.sent - 1) / ((lastSentAt - firstSentAt) / 1000)) * 10) / 10;
}

const DAY_MS = 86_400_000;
let day = { start: NaN, text: '' };

/** A time as reports show it: ISO 8601, UTC, milliseconds. The day is kept, because toISOString took a quarter of an export. */
export function isoTime(at: number): string {
  const ms = at - day.start;
  if (!(ms >= 0 && ms < DAY_MS)) {
    const text = new Date(at).toISOString();
    day = { start: Math.floor(at / DAY_MS) * DAY_MS, text: text.slice(0, -'hh:mm:ss.mmmZ'.length) };
    return text;
  }
  return `${day.text}${sixtieth(ms / 3_600_000)}:${sixtieth(ms / 60_000)}:${sixtieth(ms / 1_000)}.${String(Math.floor(ms % 1_000)).padStart(3, '0')}Z`;
}

function sixtieth(count: number): string {
  return String(Math.floor(count) % 60).padStart(2, '0');
}

function money(amount: MoneyMicro | null): string | null {
  return amount === null ? null : formatMoney(amount);
}
