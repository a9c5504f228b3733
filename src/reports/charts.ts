import { whole } from '../domain/money.ts';
import { printableLine, shortened } from '../domain/text/printable.ts';
import type { SentSpan } from './sent-over-time.ts';

/* Charts of the HTML report: SVG as text, without scripts and without addresses. */

/** One bar: its label, its count, the words behind it, and its colour class. */
export interface Bar {
  label: string;
  count: number;
  words: string;
  colour: 'good' | 'bad' | 'open' | 'plain';
}

const WIDTH = 720;
const LABEL_WIDTH = 200;
const WORDS_WIDTH = 210;
const ROW = 26;
const BAR_HEIGHT = 16;
/** Characters of a label that fit. */
const MOST_LABEL = 25;
const PLOT_HEIGHT = 160;
const AXIS = 22;
/** Room for the highest count at the left. */
const LEFT = 64;

/** Text that is safe in HTML and SVG, in one line, without control characters. */
export function escaped(text: string): string {
  return printableLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Horizontal bars, as long as their share of the highest count. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const room = WIDTH - LABEL_WIDTH - WORDS_WIDTH;
  const rows = bars.map(({ label, count, words, colour }, index) => {
    const [top, text] = [index * ROW, index * ROW + ROW / 2 + 4];
    const length = count === 0 ? 0 : Math.max(2, Math.round((count / most) * room));
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${text}" text-anchor="end">${escaped(shortened(label, MOST_LABEL))}</text>`,
      `<rect class="${colour}" x="${LABEL_WIDTH}" y="${top + (ROW - BAR_HEIGHT) / 2}" width="${length}" height="${BAR_HEIGHT}" rx="2"/>`,
      `<text x="${LABEL_WIDTH + length + 8}" y="${text}">${escaped(words)}</text>`,
    ].join('');
  });
  return svg(title, bars.length * ROW, rows.join('\n'));
}

/** Columns over time: sent messages, and the delivered ones in front of them. `at` words a time. */
export function timeChart(title: string, spans: readonly SentSpan[], at: (time: number) => string): string {
  const most = Math.max(1, ...spans.map(({ sent }) => sent));
  const step = (WIDTH - LEFT) / Math.max(1, spans.length);
  const column = (count: number, index: number, colour: string) => {
    const height = Math.round((count / most) * PLOT_HEIGHT);
    const x = (LEFT + index * step + step * 0.1).toFixed(1);
    return `<rect class="${colour}" x="${x}" y="${PLOT_HEIGHT - height}" width="${(step * 0.8).toFixed(1)}" height="${height}"/>`;
  };
  const columns = spans.flatMap(({ sent, delivered }, index) => [
    column(sent, index, 'plain'),
    column(delivered, index, 'good'),
  ]);
  const [first, last] = [spans[0], spans.at(-1)];
  const axis = [
    `<line x1="${LEFT}" y1="${PLOT_HEIGHT}" x2="${WIDTH}" y2="${PLOT_HEIGHT}"/>`,
    `<text x="${LEFT - 8}" y="12" text-anchor="end">${whole(most)}</text>`,
    `<text x="${LEFT - 8}" y="${PLOT_HEIGHT}" text-anchor="end">0</text>`,
    first === undefined ? '' : `<text x="${LEFT}" y="${PLOT_HEIGHT + 16}">${escaped(at(first.from))}</text>`,
    last === undefined
      ? ''
      : `<text x="${WIDTH}" y="${PLOT_HEIGHT + 16}" text-anchor="end">${escaped(at(last.to))}</text>`,
  ];
  return svg(title, PLOT_HEIGHT + AXIS, [...columns, ...axis].join('\n'));
}

function svg(title: string, height: number, content: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">\n${content}\n</svg>`;
}
