import type { MessageRow } from '../../ledger/contracts/records.ts';
import type { Frame } from '../frame.ts';
import { html, type Html } from './html.ts';
import { icon, type IconName } from './icons.ts';

/** What became of a message, as the pages show it. */
export type ShownMessageState = keyof Frame['words']['message']['states'];

const LOOKS: Readonly<Record<ShownMessageState, readonly [icon: IconName, look: string]>> = {
  queued: ['scheduled', 'state'],
  sending: ['running', 'state'],
  delivered: ['done', 'state'],
  pending: ['scheduled', 'state'],
  undelivered: ['canceled', 'state bad'],
  rejected: ['canceled', 'state bad'],
  uncertain: ['question', 'state warn'],
  skipped: ['canceled', 'state soft'],
  canceled: ['canceled', 'state soft'],
};

/** The state of a message; of a sent one what became of it. */
export function shownStateOf({ state, delivery }: Pick<MessageRow, 'state' | 'delivery'>): ShownMessageState {
  return state === 'sent' ? (delivery ?? 'pending') : state;
}

/** A shape and a word; only what failed or waits for a person has a colour. */
export function messageState({ words }: Frame, message: Pick<MessageRow, 'state' | 'delivery'>): Html {
  const state = shownStateOf(message);
  const [shape, look] = LOOKS[state];
  return html`<span class="${look}">${icon(shape)}${words.message.states[state]}</span>`;
}
