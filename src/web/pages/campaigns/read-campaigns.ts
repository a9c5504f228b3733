import { approversOf } from '../../../campaign/prepare/approvers.ts';
import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { livingWorkers } from '../../../campaign/operator/living-workers.ts';
import type { OpenAnswer } from '../../../ledger/contracts/answers.ts';
import type { CampaignOverview, LedgerReader, Tallies } from '../../../ledger/contracts/reader.ts';
import type { UnknownWord } from '../../../ledger/contracts/replies.ts';
import type { Look } from '../../../reports/campaign-pace.ts';
import { type CreditAhead, readCreditAhead } from '../../../campaign/planning/credit-ahead.ts';
import type { ShownState } from '../../views/state.ts';
import type { WebEnv } from '../../web-env.ts';

/** Campaigns of one page of the list. */
const PAGE = 25;
/** Campaigns that are looked through for what waits and what comes. */
const OPEN = 200;
const SETTLED = 100;
const MOST_WORDS = 5;

/** A state that the list can be asked for. */
export const LISTED_STATES = [
  'running',
  'paused',
  'scheduled',
  'finished',
  'canceled',
] as const satisfies ShownState[];

/** What the list is asked for. */
export interface CampaignsWish {
  name: string;
  /** Null: any. */
  state: (typeof LISTED_STATES)[number] | null;
  cursor: number | null;
}

/** The list of campaigns, what waits for a person, and what comes next. */
export interface CampaignsNow {
  wish: CampaignsWish;
  rows: { overview: CampaignOverview; tallies: Tallies }[];
  next: number | null;
  look: Look;
  /** Paused ones, those with open uncertain messages, and answers nobody has explained. */
  paused: CampaignOverview[];
  uncertain: CampaignOverview[];
  answers: OpenAnswer[];
  /** Words of reports that nobody has explained, and replies that may ask to stop. */
  words: UnknownWord[];
  maybeStops: number;
  preparations: Preparation[];
  /** Who may say yes to those that wait for approval, by their id. */
  approvers: Map<string, string[]>;
  ahead: CreditAhead;
  /** True: there is no campaign at all. */
  isEmpty: boolean;
}

/** Reads the list of campaigns, and all that stands beside it. */
export async function readCampaigns(env: WebEnv, wish: CampaignsWish): Promise<CampaignsNow> {
  const reader = await env.reader();
  const { name, state, cursor } = wish;
  const states = state === null ? null : [state];
  const page = await reader.campaignsPage({ states, name: name === '' ? null : name, cursor, limit: PAGE });
  const open = await openCampaigns(reader);
  return {
    wish,
    rows: await withTallies(env, reader, page.campaigns),
    next: page.next,
    look: { now: env.clock.now(), accountRate: env.config.ratePerSecond, ...(await livingWorkers(env)) },
    paused: open.filter((overview) => overview.state === 'paused'),
    uncertain: [...open, ...(await settledCampaigns(reader))].filter(hasUncertain),
    answers: await reader.openAnswers(null),
    words: (await reader.unknownWords(MOST_WORDS)).filter(({ mapped }) => mapped === null),
    maybeStops: await reader.repliesInDoubt(),
    ...(await readPreparations(env, reader)),
    ahead: await readCreditAhead(reader, null),
    isEmpty: page.campaigns.length === 0 && name === '' && states === null && cursor === null,
  };
}

/** The drafts, and who may say yes to those that wait for it. */
async function readPreparations(
  env: WebEnv,
  reader: LedgerReader,
): Promise<Pick<CampaignsNow, 'preparations' | 'approvers'>> {
  const preparations = await (await env.preparations()).list();
  const asked = preparations.filter(({ state }) => state === 'asked');
  const users = asked.length === 0 ? [] : await reader.users();
  const now = env.clock.now();
  return { preparations, approvers: new Map(asked.map((each) => [each.id, approversOf(users, each, now)])) };
}

async function withTallies(env: WebEnv, reader: LedgerReader, campaigns: readonly CampaignOverview[]) {
  const unreportedBefore = env.clock.now() - env.config.reportWaitMs;
  const rows = [];
  for (const { campaign } of campaigns)
    rows.push(await reader.campaignCounters(campaign.n, unreportedBefore));
  return rows;
}

async function openCampaigns(reader: LedgerReader): Promise<CampaignOverview[]> {
  const states = ['running' as const, 'paused' as const, 'scheduled' as const];
  return (await reader.campaignsPage({ states, name: null, cursor: null, limit: OPEN })).campaigns;
}

async function settledCampaigns(reader: LedgerReader): Promise<CampaignOverview[]> {
  const states = ['finished' as const, 'canceled' as const];
  return (await reader.campaignsPage({ states, name: null, cursor: null, limit: SETTLED })).campaigns;
}

function hasUncertain({ messages }: CampaignOverview): boolean {
  return messages.uncertain > messages.written_off;
}
