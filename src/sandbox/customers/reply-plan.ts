import { chance, pick } from '../faults/chance.ts';
import { INBOUND_EVENTS, USUAL_MEDIA, type InboundFacts } from './inbound-event.ts';
import { recordId } from '../api/message-ids.ts';
import { planReports, type ReportPlanning } from '../reports/report-plan.ts';

/** The settings of replies. */
export interface ReplyPlanning extends ReportPlanning {
  replyDelayMs: { min: number; max: number };
  stopRate: number;
}

/** A message with a possible reply. */
export interface AnsweredMessage {
  serial: number;
  mobile: string;
  shortcode: string;
  acceptedAt: number;
  optedOut: boolean;
}

const STOP_TEXTS = ['STOP', 'Stop', 'stop.', 'ACHA', 'Ondoa', ' STOP '] as const;
const TEXTS = [
  'Asante sana!',
  'Nimepata, shukran',
  'What time do you open?',
  'Yes please, keep two for me',
  'Who is this?',
  'Please stop shouting :)',
  'Sawa \u{1f44d}',
] as const;
/** Share of chat replies with a file. */
const MEDIA_SHARE = 0.5;

/**
 * Plans the reply to a message; null: no reply. Serial and number decide it alone, so a restart plans the same reply. An
 * undelivered message gets none.
 */
export function planReply(
  planning: ReplyPlanning,
  { message, rate }: { message: AnsweredMessage; rate: number },
): InboundFacts | null {
  const { seed } = planning;
  const key = `${message.serial}:${message.mobile}`;
  if (chance(seed, `reply:${key}`) >= rate) return null;
  const { reports } = planReports(planning, message);
  const delivered = reports.findLast(({ outcome }) => outcome === 'delivered');
  if (delivered === undefined) return null;
  const { min, max } = planning.replyDelayMs;
  const waitMs = delivered.afterMs + min + (max - min) * chance(seed, `reply-delay:${key}`);
  const stops = chance(seed, `stop:${key}`) < planning.stopRate;
  const name = pick(INBOUND_EVENTS, { seed, key: `reply-event:${key}` });
  const isChat = name === 'whatsapp.message.received';
  const hasMedia = isChat && !stops && chance(seed, `reply-media:${key}`) < MEDIA_SHARE;
  return {
    name,
    mobile: message.mobile,
    shortcode: message.shortcode,
    text: pick(stops ? STOP_TEXTS : TEXTS, { seed, key: `reply-text:${key}` }),
    at: Math.round(message.acceptedAt + waitMs),
    id: recordId(message.serial),
    media: hasMedia ? pick(USUAL_MEDIA, { seed, key: `reply-file:${key}` }) : null,
    fields: {},
  };
}
