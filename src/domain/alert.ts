import type { PauseReason } from './campaign.ts';
import { counted, whole } from './money.ts';

/** The causes that stop sending, soon will, or keep it from a beginning. Their alerts go before all others. */
export const URGENT_CAUSES = [
  'paused',
  'canary_failed',
  'low_credit',
  'service_lost',
  'approval_asked',
  'approvers_changed',
] as const;

/** The events that raise an alert. */
export const ALERT_CAUSES = [
  ...URGENT_CAUSES,
  'finished',
  'uncertain',
  'unknown_answer',
  'unknown_word',
  'not_understood',
  'maybe_stop',
  'no_reports',
  'test',
] as const;
/** One cause of an alert. */
export type AlertCause = (typeof ALERT_CAUSES)[number];
/** The causes that an address of a program may choose; a test comes to each. */
export const CHOSEN_CAUSES = ALERT_CAUSES.filter((cause) => cause !== 'test');

/** One event that people should know. */
export interface AlertEvent {
  id: number;
  cause: AlertCause;
  /** Milliseconds UTC. */
  at: number;
  /** Null: it is about the account. */
  campaign: { id: string; name: string } | null;
  facts: AlertFacts;
}

/** One message to people, on any channel: all new events of one cause. It holds no number, no text and no credential. */
export interface Alert extends Omit<AlertEvent, 'id'> {
  /** The same for the same events. */
  id: string;
  /** The events, when several campaigns have one each; `campaign` is null then. Else empty. */
  events: AlertEvent[];
}

/** By such a step an admin could say yes in the name of somebody else; the verb of its audit row. */
export type ApproverStep = 'approval' | 'make_link' | 'set_role' | 'add_user' | 'add_token';

/** The facts of the cause; fields of other causes are missing. */
export interface AlertFacts {
  /** The reason of a pause. */
  reason?: PauseReason;
  /** Words of the provider or of the canary's verdict, cleaned and cut. */
  words?: string;
  /** Amounts as decimal strings, in `currency`. */
  credit?: string;
  limit?: string;
  currency?: string;
  sent?: number;
  delivered?: number;
  rejected?: number;
  uncertain?: number;
  /** When an outage began, by the clock of the zone. */
  since?: string;
  /** Messages or reports that wait for a person's decision. */
  waiting?: number;
  /** The new answers, words, webhooks, replies or steps that this one alert is about. */
  count?: number;
  /** Of a step by which somebody could say yes in another one's name: who did what, to which user or token. */
  by?: string;
  step?: ApproverStep;
  whom?: string;
  role?: string;
}

/** A way to reach people. */
export interface AlertChannel {
  /** As the ledger keeps it: `webhook` and `mail` of the settings, or the id of an endpoint. */
  name: string;
  /** Resolves when the receiver has taken the alert. Rejects with a message that holds no secret. */
  send(alert: Alert): Promise<void>;
}

/** Events of several campaigns that an alert names; it counts the others. */
const MOST_NAMED = 10;

/** Puts events of one cause into one alert. Events of the account are one: the latest facts, and the sum of the counts. */
export function collectAlerts(events: AlertEvent[]): Alert {
  const [first, latest] = [events[0], events.at(-1)];
  if (first === undefined || latest === undefined) throw new RangeError('an alert without an event');
  const { cause, at } = latest;
  if (first === latest) return { ...first, id: `${first.id}`, events: [] };
  const id = `${first.id}-${latest.id}-${events.length}`;
  if (latest.campaign !== null) return { id, cause, at, campaign: null, facts: {}, events };
  const counts = events.flatMap(({ facts }) => facts.count ?? []);
  const count = counts.reduce((sum, one) => sum + one, 0);
  const facts = { ...latest.facts, ...(counts.length === 0 ? {} : { count }) };
  return { id, cause, at, campaign: null, facts, events: [] };
}

/** What to look at after an alert. */
export type NextStep =
  | { look: 'report' | 'campaign' | 'uncertain'; campaign: string }
  | {
      look:
        | 'campaigns'
        | 'approvals'
        | 'checks'
        | 'credit'
        | 'answers'
        | 'words'
        | 'webhooks'
        | 'maybe_stop'
        | 'audit';
    };

/** An alert in words: one line, and the advice. */
export interface AlertWords {
  subject: string;
  text: string;
  /** Null: nothing is to be done. */
  next: NextStep | null;
}

/** Puts an alert into words that fit a mail and a chat. */
export function alertWords({ events, ...alert }: Alert): AlertWords {
  if (events.length === 0) return eventWords(alert);
  const named = events.slice(0, MOST_NAMED).map(eventWords);
  const lines = named.map(({ subject, text }) => `${subject}. ${text}`);
  const more = events.length > named.length ? [`And ${whole(events.length - named.length)} more.`] : [];
  const [first] = named;
  const subject = `${first?.subject}, and ${counted(events.length - 1, 'other campaign')}`;
  return { subject, text: [...lines, ...more].join('\n'), next: { look: 'campaigns' } };
}

function eventWords({ cause, campaign, facts }: Omit<AlertEvent, 'id' | 'at'>): AlertWords {
  const { name = '', id = '' } = campaign ?? {};
  return WORDS[cause]({ name, id, facts });
}

type WordsOf = (alert: { name: string; id: string; facts: AlertFacts }) => AlertWords;

const WORDS: Readonly<Record<AlertCause, WordsOf>> = {
  finished: ({ name, id, facts }) => ({
    subject: `${name} is finished`,
    text: `Sent ${whole(facts.sent ?? 0)}, delivered so far ${whole(facts.delivered ?? 0)}, rejected ${whole(facts.rejected ?? 0)}, uncertain ${whole(facts.uncertain ?? 0)}.`,
    next: { look: 'report', campaign: id },
  }),
  paused: ({ name, id, facts }) => ({
    subject: `${name} is paused: ${facts.reason}`,
    text: `The campaign waits (${facts.reason}).${quoted(facts)}`,
    next: { look: 'campaign', campaign: id },
  }),
  canary_failed: ({ name, id, facts }) => ({
    subject: `${name}: the canary failed`,
    text: `The rest of the campaign waits for you.${quoted(facts)}`,
    next: { look: 'campaign', campaign: id },
  }),
  uncertain: ({ name, id, facts }) => ({
    subject: `${name}: ${counted(facts.uncertain ?? 0, 'message')} uncertain`,
    text: `Nobody knows whether ${counted(facts.uncertain ?? 0, 'message')} of it went out. Tuma sends none of them again by itself.`,
    next: { look: 'uncertain', campaign: id },
  }),
  no_reports: ({ name, facts }) => ({
    subject: `${name}: no delivery report found its message for an hour`,
    text: `${whole(facts.sent ?? 0)} sent, and no delivery report found its message for an hour.`,
    next: { look: 'checks' },
  }),
  low_credit: ({ facts }) => ({
    subject: `Low credit: ${facts.currency} ${facts.credit}`,
    text: `The credit is ${facts.currency} ${facts.credit}, below ${facts.currency} ${facts.limit} (TUMA_LOW_CREDIT).`,
    next: { look: 'credit' },
  }),
  service_lost: ({ facts }) => ({
    subject: 'The messaging service does not answer',
    text: `It does not answer since ${facts.since}. Tuma tries it again and again; meanwhile nothing is sent.`,
    next: { look: 'campaigns' },
  }),
  approval_asked: ({ facts }) => ({
    subject: someOf(facts, { one: 'A campaign waits for approval', many: 'campaigns wait for approval' }),
    text: `Somebody who did not prepare it says yes or no on its page, under Campaigns.${quoted(facts)}`,
    next: { look: 'approvals' },
  }),
  approvers_changed: ({ facts }) => ({
    subject: someOf(facts, { one: 'Who may approve has changed', many: 'changes of who may approve' }),
    text: `${stepWords(facts)} By such a step somebody could approve in another one's name. If you did not expect it, ask, and look at the audit.`,
    next: { look: 'audit' },
  }),
  unknown_answer: ({ facts }) => ({
    subject: someOf(facts, {
      one: 'An answer of the provider is unknown',
      many: 'answers of the provider are unknown',
    }),
    text: `${counted(facts.waiting ?? 0, 'message')} waiting for your decision: what do such answers mean?${quoted(facts)}`,
    next: { look: 'answers' },
  }),
  unknown_word: ({ facts }) => ({
    subject: someOf(facts, {
      one: 'A word of delivery reports is unknown',
      many: 'words of delivery reports are unknown',
    }),
    text: `${counted(facts.waiting ?? 0, 'report')} waiting for your decision: what do such words mean?${quoted(facts)}`,
    next: { look: 'words' },
  }),
  not_understood: ({ facts }) => ({
    subject: someOf(facts, {
      one: 'A webhook was not understood',
      many: 'webhooks were not understood',
    }),
    text: 'A reply in it, perhaps a STOP, was not obeyed, and a report in it does not count. The profile can name where its fields are.',
    next: { look: 'webhooks' },
  }),
  maybe_stop: ({ facts }) => ({
    subject: someOf(facts, { one: 'A reply may be a STOP', many: 'replies may be a STOP' }),
    text: 'Tuma does not know whether these people want no more messages. Read what they wrote, and opt them out if they do.',
    next: { look: 'maybe_stop' },
  }),
  test: () => ({
    subject: 'Alerts of Tuma arrive',
    text: 'You asked for this test.',
    next: null,
  }),
};

function stepWords({ by = 'Somebody', step = 'approval', whom = '', role = '' }: AlertFacts): string {
  const did: Readonly<Record<ApproverStep, string>> = {
    approval: 'turned approval off',
    make_link: `made a sign-in link for ${whom}`,
    set_role: `gave ${whom} the role ${role}`,
    add_user: `added the user ${whom} with the role ${role}`,
    add_token: `made the token ${whom} with the role ${role}`,
  };
  return `${by} ${did[step]}.`;
}

function someOf({ count = 1 }: AlertFacts, { one, many }: { one: string; many: string }): string {
  return count === 1 ? one : `${whole(count)} ${many}`;
}

function quoted({ words }: AlertFacts): string {
  return words === undefined ? '' : ` The provider or Tuma says: ${words}`;
}
