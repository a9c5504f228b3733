/**
 * The states of a message, and the actors that may change them. The ledger has the same table as data
 * (`transition`), and a trigger enforces it; a test compares the two. The drawing is in
 * docs/state-machines.md.
 */
export const MESSAGE_STATES = [
  'queued',
  'sending',
  'sent',
  'rejected',
  'uncertain',
  'skipped',
  'canceled',
] as const;
/** One of MESSAGE_STATES. */
export type MessageState = (typeof MESSAGE_STATES)[number];

/** The actors of changes. Only `worker`, or `reaper` with a dead worker's note, can prove "not sent". */
export const ACTORS = ['planner', 'claimer', 'worker', 'reaper', 'joiner', 'operator'] as const;
/** One of ACTORS. */
export type Actor = (typeof ACTORS)[number];

/** Delivery of a sent message: the highest rank of all its reports. `unreported` is derived when read. */
export const DELIVERY_RANKS = { pending: 0, undelivered: 1, delivered: 2 } as const;
/** What a sent message is known by: the provider's answer, a report, a person's word, or the meaning of an answer. */
export type Basis = 'answer' | 'report' | 'operator' | 'mapping';

/** The network's report about a sent message: the highest rank of all its reports. */
export type Delivery = keyof typeof DELIVERY_RANKS;
/** All of them, from the lowest rank on. */
export const DELIVERIES = Object.keys(DELIVERY_RANKS) as Delivery[];

/** The effect of a failure on the number itself, by the provider's profile. */
export type NumberEffect = 'opted_out' | 'permanent' | 'absent';

/** A legal move of the state machine, and its actor. */
export type Transition = readonly [from: MessageState, to: MessageState, actor: Actor];

/** Every legal change. The database refuses all others. */
export const TRANSITIONS: readonly Transition[] = [
  ['queued', 'skipped', 'claimer'],
  ['queued', 'skipped', 'planner'],
  ['queued', 'canceled', 'operator'],
  ['queued', 'canceled', 'planner'],
  ['queued', 'sending', 'claimer'],
  ['sending', 'queued', 'worker'],
  ['sending', 'sent', 'worker'],
  ['sending', 'rejected', 'worker'],
  ['sending', 'uncertain', 'worker'],
  ['sending', 'queued', 'reaper'],
  ['sending', 'sent', 'reaper'],
  ['sending', 'rejected', 'reaper'],
  ['sending', 'uncertain', 'reaper'],
  ['uncertain', 'sent', 'worker'],
  ['uncertain', 'sent', 'joiner'],
  ['uncertain', 'sent', 'operator'],
  ['uncertain', 'queued', 'operator'],
  ['uncertain', 'rejected', 'operator'],
  ['sent', 'uncertain', 'operator'],
  ['rejected', 'queued', 'operator'],
  ['rejected', 'uncertain', 'operator'],
  ['queued', 'uncertain', 'operator'],
  ['skipped', 'uncertain', 'operator'],
  ['canceled', 'uncertain', 'operator'],
  ['canceled', 'queued', 'planner'],
  ['skipped', 'queued', 'planner'],
  ['skipped', 'queued', 'operator'],
];

/** The one state of the messages that such a wish means; null: all are meant. A delivery is one of sent messages. */
export function stateMeant(state: string | null, delivery: string | null = null): MessageState | null {
  const wanted = state ?? delivery;
  return wanted === null ? null : (MESSAGE_STATES.find((each) => each === wanted) ?? 'sent');
}

/** All messages of a campaign, in any state. */
export function totalOf({ messages }: { messages: Record<MessageState, number> }): number {
  const { queued, sending, sent, rejected, uncertain, skipped, canceled } = messages;
  return queued + sending + sent + rejected + uncertain + skipped + canceled;
}

const PREFIX = 'purged-';

/** True: the number was purged; `purged-` and the place of its row replace it. */
export function isPurged(mobile: string): boolean {
  return mobile.startsWith(PREFIX);
}
