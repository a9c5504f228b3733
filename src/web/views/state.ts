import type { Words } from '../words/words.ts';
import { html, type Html } from './html.ts';
import { icon, type IconName } from './icons.ts';

/** The state of a campaign as the pages show it. */
export type ShownState = keyof Words['common']['states'];

const LOOKS: Readonly<Record<ShownState, readonly [icon: IconName, look: string]>> = {
  draft: ['draft', 'state soft'],
  scheduled: ['scheduled', 'state'],
  running: ['running', 'state run'],
  paused: ['paused', 'state warn'],
  approval: ['approval', 'state warn'],
  finished: ['done', 'state soft'],
  canceled: ['canceled', 'state soft'],
};

/** A shape and a word; only what waits for a person has a colour. */
export function stateOf(state: ShownState, { common }: Pick<Words, 'common'>): Html {
  const [shape, look] = LOOKS[state];
  return html`<span class="${look}">${icon(shape)}${common.states[state]}</span>`;
}
