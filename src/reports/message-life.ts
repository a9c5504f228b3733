import type { Campaign } from '../domain/campaign.ts';
import type { Basis, MessageState } from '../domain/message.ts';
import type { AttemptRow, EvidenceRow, MessageLife, ReportRow } from '../ledger/contracts/finding.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import { type MessageText, messageText } from './message-text.ts';

/** One thing that happened to a message. Time in milliseconds. */
export type LifeEvent =
  | { what: 'planned'; at: number; line: number }
  | { what: 'due'; at: number }
  | { what: 'tried'; at: number; attempt: number }
  | {
      what: 'answered';
      at: number;
      outcome: AttemptRow['outcome'];
      reason: string | null;
      sendMs: number | null;
      seen: EvidenceRow | null;
    }
  | { what: 'reported'; at: number; report: ReportRow }
  | { what: 'decided'; at: number; state: MessageState; reason: string | null; basis: Basis | null };

/** A message from its line to its last report, with its text and its raw evidence. */
export interface MessageStory {
  campaign: Campaign;
  life: MessageLife;
  /** Null: it was purged. */
  text: MessageText | null;
  /** In the order of time. */
  events: LifeEvent[];
}

/** The story of one message; null: there is none. */
export async function messageStory(
  reader: Pick<LedgerReader, 'messageLife'>,
  { campaign, seq }: { campaign: Campaign; seq: number },
): Promise<MessageStory | null> {
  const life = await reader.messageLife({ campaign: campaign.n, seq });
  if (life === null) return null;
  return { campaign, life, text: messageText(campaign, life.message), events: eventsOf(campaign, life) };
}

function eventsOf(campaign: Campaign, life: MessageLife): LifeEvent[] {
  const { message, reports } = life;
  const tries = triesOf(life);
  const reported = reports.map((report): LifeEvent => ({ what: 'reported', at: report.receivedAt, report }));
  const [first] = tries;
  const plannedAt = Math.min(
    message.queuedAt,
    first?.claimedAt ?? message.queuedAt,
    campaign.activatedAt ?? Infinity,
  );
  const planned: LifeEvent = { what: 'planned', at: plannedAt, line: message.line };
  const due: LifeEvent[] =
    message.notBefore > message.queuedAt ? [{ what: 'due', at: message.notBefore }] : [];
  const rest = [...tries.flatMap((each) => tryEvents(each, life)), ...decided(life), ...reported, ...due];
  // Two things of one moment stay in the order of their kinds.
  return [planned, ...rest.sort((a, b) => a.at - b.at)];
}

/** The earlier tries, and the present one where it is not among them. */
function triesOf({ message, attempts }: MessageLife): AttemptRow[] {
  const { attempts: number, claimedAt, settledAt, state, reason, sendMs, actor } = message;
  if (claimedAt === null || attempts.some((each) => each.number === number)) return attempts;
  const isOwn = actor === 'worker' || actor === 'reaper';
  // A worker's verdict, or the reaper's, is one of these states.
  const own = { outcome: state as AttemptRow['outcome'], reason, settledAt };
  const unknown = { outcome: 'uncertain' as const, reason: null, settledAt: null };
  return [...attempts, { number, claimedAt, sendMs, ...(isOwn ? own : unknown) }];
}

function tryEvents(
  { number, claimedAt, settledAt, outcome, reason, sendMs }: AttemptRow,
  life: MessageLife,
): LifeEvent[] {
  const tried: LifeEvent[] = claimedAt === null ? [] : [{ what: 'tried', at: claimedAt, attempt: number }];
  // What a later report says of an accepted message is no reason of the acceptance.
  const why = outcome === 'sent' ? null : reason;
  const seen = life.evidence.findLast(({ attempt }) => attempt === number) ?? null;
  const at = settledAt ?? seen?.at ?? null;
  if (at === null) return tried;
  return [...tried, { what: 'answered', at, outcome, reason: why, sendMs, seen }];
}

/** The verdict of a person, of a report, or of the plan: no try gave it. */
function decided({ message }: MessageLife): LifeEvent[] {
  const { actor, settledAt, state, reason, basis } = message;
  if (settledAt === null || actor === 'worker' || actor === 'reaper') return [];
  return [{ what: 'decided', at: settledAt, state, reason, basis }];
}
