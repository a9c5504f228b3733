import { Html } from './html.ts';

/** The shapes of the pages, on a grid of 16: a browser draws them alike, which it does not do with emoji. */
const SHAPES = {
  running: '<path class="full" d="M4 2.5 13.5 8 4 13.5z"/>',
  paused: '<path class="full" d="M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z"/>',
  approval: '<path d="M8 1.4 14.6 8 8 14.6 1.4 8z"/>',
  scheduled: '<circle cx="8" cy="8" r="6.2"/><path d="M8 4.6V8l2.4 1.6"/>',
  draft: '<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.6 2.3"/>',
  done: '<path d="m2.5 8.6 3.6 3.6 7.4-8.4"/>',
  canceled: '<path d="m3.5 3.5 9 9m0-9-9 9"/>',
  question:
    '<circle cx="8" cy="8" r="6.6"/><path d="M6.1 6.4a1.9 1.9 0 1 1 2.7 1.7c-.5.3-.8.6-.8 1.2M8 11.6v.1"/>',
  warning: '<path d="M8 1.8 15 14H1zM8 6.4v3.4M8 11.9v.1"/>',
  error: '<circle cx="8" cy="8" r="6.6"/><path d="M8 4.4v4.4M8 11.4v.1"/>',
  info: '<circle cx="8" cy="8" r="6.6"/><path d="M8 7.2v4.2M8 4.6v.1"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
} as const;

/** The name of a shape. */
export type IconName = keyof typeof SHAPES;

/** A shape beside a word, which says the same to who cannot see it. */
export function icon(name: IconName): Html {
  return new Html(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[name]}</svg>`);
}

/** The sign of Tuma: a message with an arrow. */
export const BRAND_SIGN = new Html(
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 2h18a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H9l-6 4v-4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2z"/><path class="cut" d="M6.5 10.5h10m-4-4 4 4-4 4"/></svg>',
);
