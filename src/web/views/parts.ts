import { whole } from '../../domain/money.ts';
import { html, Html, type Content } from './html.ts';

/** How a part of a strip is drawn: solid, hatched, red, barred, or pale for what is left. */
export type PartLook = 'good' | 'wait' | 'bad' | 'unsure' | 'rest';

/** One part of a whole. */
export interface Part {
  words: string;
  count: number;
  look: PartLook;
  /** More about it: its share, or a link. */
  note?: Content;
}

const FILL: Readonly<Record<PartLook, string>> = {
  good: 'class="f-good"',
  wait: 'fill="url(#wait)"',
  bad: 'class="f-bad"',
  unsure: 'fill="url(#unsure)"',
  rest: 'class="f-rest"',
};

const PATTERNS = new Html(
  '<defs><pattern id="wait" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="f-line" d="M1.5 0v6" stroke-width="3"/></pattern>' +
    '<pattern id="unsure" width="4" height="4" patternUnits="userSpaceOnUse"><path class="f-warnline" d="M0 1h4" stroke-width="2"/></pattern></defs>',
);

/** In percent: a part that is there can be seen, and parts do not touch. */
const THINNEST = 0.5;
const GAP = 0.2;

/** A strip, and below it the same numbers, which come to `all`. Throws when they do not: a page never shows a false sum. */
export function partsThatAddUp(parts: readonly Part[], all: { words: string; count: number }): Html {
  const sum = parts.reduce((total, { count }) => total + count, 0);
  if (sum !== all.count) throw new Error(`the parts come to ${sum}, and all are ${all.count}`);
  return html`<svg class="strip" aria-hidden="true">${PATTERNS}${rectangles(parts, all.count)}</svg>
<dl class="parts">
${parts.map(
  ({ words, count, look, note }) =>
    html`<div><dt>${swatch(look)}${words}</dt><dd>${whole(count)}${note !== undefined && note !== null && html`<small>${note}</small>`}</dd></div>
`,
)}<div class="all"><dt>${all.words}</dt><dd>${whole(all.count)}</dd></div>
</dl>`;
}

function rectangles(parts: readonly Part[], all: number): Html[] {
  const shown = parts.filter(({ count }) => count > 0);
  const room = 100 - GAP * Math.max(0, shown.length - 1);
  const wide = shown.map(({ count }) => Math.max(THINNEST, (count / all) * room));
  const scale = room / wide.reduce((total, each) => total + each, 0);
  let x = 0;
  return shown.map(({ look }, index) => {
    const width = (wide[index] ?? 0) * scale;
    const rectangle = new Html(
      `<rect ${FILL[look]} x="${x.toFixed(2)}%" width="${width.toFixed(2)}%" height="100%"/>`,
    );
    x += width + GAP;
    return rectangle;
  });
}

/** The colour or pattern of a part beside its words. */
export function swatch(look: PartLook): Html {
  return new Html(
    `<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect ${FILL[look]} width="12" height="12"/></svg>`,
  );
}

/** Facts in one line between rules: words and values. */
export function facts(each: readonly (readonly [words: string, value: Content])[]): Html {
  return html`<dl class="facts">
${each.map(
  ([words, value]) => html`<div><dt>${words}</dt> <dd>${value}</dd></div>
`,
)}</dl>`;
}
