import { pauseFacts } from './pause-facts.ts';
import type { Outage } from '../domain/pace/outage.ts';
import type { CanaryProgress } from '../domain/pace/canary.ts';
import { formatMoney } from '../domain/money.ts';
import type { CampaignOverview, LedgerReader } from '../ledger/contracts/reader.ts';
import { networksPart } from './network-words.ts';
import { missingCredit, type Paused, pauseHelp } from './pause-help.ts';
import { type Look, paceOf } from './campaign-pace.ts';

/** A paused campaign's balance is read again every few seconds; an older reading says nothing. */
const FRESH_MS = 600_000;

/** One campaign as `--json` shows it. */
export function statusDocument(overview: CampaignOverview, look: Look) {
  const { campaign, state, messages, startedAt, finishedAt, spentMicro, budgetMicro } = overview;
  const { perSecond, leftMs } = paceOf(overview, look);
  return {
    id: campaign.id,
    name: campaign.name,
    kind: campaign.kind,
    state,
    ...pauseFacts(overview),
    ...(overview.pauseSaid === undefined ? {} : { provider_words: overview.pauseSaid }),
    messages: { ...messages, taken_back: overview.takenBack },
    ...(overview.canary === undefined || overview.canary === null
      ? {}
      : { canary: canaryPart(overview.canary) }),
    networks_held: networksPart(overview),
    messages_per_second: perSecond === null ? null : Math.round(perSecond * 1_000) / 1_000,
    seconds_left: leftMs === null ? null : Math.round(leftMs / 1000),
    currency: campaign.settings.currency,
    spent: formatMoney(spentMicro),
    budget: budgetMicro === null ? null : formatMoney(budgetMicro),
    created_at: new Date(campaign.createdAt).toISOString(),
    start_at: time(campaign.startAt),
    started_at: time(startedAt),
    finished_at: time(finishedAt),
  };
}

/** The outage of the service that living workers see, as `--json` shows it; null: it answers. */
export function servicePart(outage: Outage | null | undefined) {
  if (outage == null) return null;
  const [since, nextTryAt] = [new Date(outage.since), new Date(outage.nextTryAt)];
  return { ill_since: since.toISOString(), next_try_at: nextTryAt.toISOString() };
}

function canaryPart({ counts, rule, verdict, until, why }: CanaryProgress) {
  const { open: _open, leftAt: _leftAt, ...outcomes } = counts;
  return { verdict, why, needed: rule.delivered, until: time(until), ...outcomes };
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** What is known of a pause; null: it is not paused. */
export async function pauseOf(
  look: { reader: LedgerReader; now: number },
  overview: CampaignOverview | undefined,
): Promise<Paused | null> {
  if (overview === undefined || overview.state !== 'paused' || overview.reason === null) return null;
  const { reader, now } = look;
  const { account } = overview.campaign;
  const paused = { overview, reason: overview.reason, now };
  if (account === null) return { ...paused, creditMicro: null };
  const fresh = await reader.readings(account, { from: now - FRESH_MS, to: now });
  const lastReading = overview.cutOffAt === undefined ? null : await reader.lastReading(account);
  return { ...paused, creditMicro: fresh.at(-1)?.creditMicro ?? null, lastReading };
}

/** What makes a paused campaign go on, and how much credit it lacks, as the API shows it. */
export function pausePart(paused: Paused | null) {
  const missing = paused === null ? null : missingCredit(paused);
  return {
    what_helps: paused === null ? null : pauseHelp(paused),
    short_of: missing === null ? null : formatMoney(missing),
  };
}
