/**
 * The states of a message and who may change them. The same table stands as data in the ledger (`transition`), where a
 * trigger enforces it; a test holds the two equal. The drawing is in docs/state-machines.md.
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
/** Where a message stands. */
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Who changes a state. Only `worker`, or `reaper` with a dead worker's whole note, can prove "not sent". */
export const ACTORS = ['planner', 'claimer', 'worker', 'reaper', 'joiner', 'operator'] as const;
/** Who may move a message from one state to another. */
export type Actor = (typeof ACTORS)[number];

/** Why a message is queued again that a killed worker had claimed: its note proves that it was never sent. */
export const TAKEN_BACK = 'taken back, never sent';

/** Delivery of a sent message: the highest rank of all its reports. `unreported` is derived when read. */
export const DELIVERY_RANKS = { pending: 0, undelivered: 1, delivered: 2 } as const;
/** What the network reported of a sent message: the highest rank of all its reports. */
export type Delivery = keyof typeof DELIVERY_RANKS;

/** What a failure says of the number itself, by the provider's profile. */
export type NumberEffect = 'opted_out' | 'permanent' | 'absent';

/** A move that the state machine allows, and who may make it. */
export type Transition = readonly [from: MessageState, to: MessageState, actor: Actor];

/** Every legal change. What is not listed is refused by the database. */
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
  ['canceled', 'queued', 'planner'],
  ['skipped', 'queued', 'planner'],
  ['skipped', 'queued', 'operator'],
];

/** All messages of a campaign, whatever became of them. */
export function totalOf({ messages }: { messages: Record<MessageState, number> }): number {
  const { queued, sending, sent, rejected, uncertain, skipped, canceled } = messages;
  return queued + sending + sent + rejected + uncertain + skipped + canceled;
}

const PREFIX = 'purged-';

/** Whether a number is one that was removed: `purged-` and the place of its row stand there in its stead. */
export function isPurged(mobile: string): boolean {
  return mobile.startsWith(PREFIX);
}
