import { counted, grouped, whole } from '../domain/money.ts';
import type { CampaignReport } from './campaign-report.ts';
import { type Bar, barChart, escaped, timeChart } from './charts.ts';
import { type NetworkNames, networkName } from './network-words.ts';
import { decisionWords } from './open-answers.ts';
import { type Outcome, outcomes } from './outcomes.ts';
import { clock, pauseWords, percent, saidWords, saysMore } from './report-words.ts';
import type { SentSpan } from './sent-over-time.ts';

/** The report of a campaign with its messages over time. */
export interface HtmlReport {
  report: CampaignReport;
  spans: SentSpan[];
  /** The text as it was written, with its placeholders. */
  text: string;
  sender: string;
  /** When the report is made, milliseconds. */
  madeAt: number;
  networks: NetworkNames;
}

const MOST_REASONS = 10;
const COLOURS: Record<Outcome['style'], Bar['colour']> = {
  green: 'good',
  red: 'bad',
  yellow: 'open',
  cyan: 'open',
  dim: 'plain',
};
const REASON_COLOURS: Record<string, Bar['colour']> = {
  skipped: 'plain',
  canceled: 'plain',
  uncertain: 'open',
};
const STYLE = `
:root { color-scheme: light; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--ink); background: #fff;
  max-width: 760px; margin: 32px auto; padding: 0 20px; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 17px; margin: 30px 0 8px; }
p { margin: 2px 0; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 22px 0 0; }
dl div { border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-size: 20px; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; font-size: 13px; fill: var(--ink); }
blockquote { margin: 0; padding: 10px 12px; border-left: 4px solid var(--line); background: #f6f8fa; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 24px; } .pair td, .pair th { overflow-wrap: anywhere; }
.made { margin-top: 24px; font-size: 13px; }
svg line { stroke: var(--soft); }
.good { fill: #2e8b57; } .bad { fill: #c0392b; } .open { fill: #d9a21b; } .plain { fill: #a9bcd3; }
.key { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 4px 0 12px; }
table { border-collapse: collapse; width: 100%; } td, th { padding: 5px 8px; border-bottom: 1px solid var(--line); }
th { text-align: left; font-weight: 600; } .n { text-align: right; font-variant-numeric: tabular-nums; }
@page { size: A4; margin: 12mm; }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 12px; } h1 { font-size: 20px; }
  h2 { margin: 12px 0 4px; font-size: 14px; } dl { margin-top: 10px; } dd { font-size: 16px; } td, th { padding: 2px 6px; }
  svg { max-height: 60mm; } h2 { break-after: avoid; } svg, dl, table { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
@media (max-width: 600px) { body { margin: 16px auto; padding: 0 12px; }
  dl { grid-template-columns: repeat(2, 1fr); } .pair { grid-template-columns: 1fr; } h1 { overflow-wrap: anywhere; } }
`;

/**
 * The report as one HTML file with pictures, for a manager: to print and to mail. It loads nothing and runs nothing; every
 * text from outside is escaped. `zone`: of the times.
 */
export function reportHtml(given: HtmlReport, zone: string): string {
  const { report, spans } = given;
  const { campaign } = report;
  const parts = [
    headPart(given, zone),
    figuresPart(report),
    textPart(given),
    section('Messages', barChart('Messages', outcomeBars(report))),
    spans.length === 0 ? '' : overTime(spans, zone),
    report.reasons.length === 0
      ? ''
      : section('Why', `${barChart('Why', reasonBars(report))}${saidLines(report)}`),
    `<div class="pair">${[contactsPart(report), costPart(report)].map((part) => `<div>${part}</div>`).join('')}</div>`,
    networksPart(given),
    decisionsPart(report),
    `<p class="made">${escaped(`Percentages are of the ${whole(report.rows.planned)} planned messages. Made ${clock(new Date(given.madeAt).toISOString(), zone)} (${zone}).`)}</p>`,
  ];
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escaped(campaign.name)}</title><style>${STYLE}</style></head><body>`,
    ...parts.filter((part) => part !== ''),
    '</body></html>\n',
  ].join('\n');
}

function decisionsPart({ decisions }: CampaignReport): string {
  if (decisions.length === 0) return '';
  return section('To decide', decisions.map((each) => `<p>${escaped(decisionWords(each))}</p>`).join('\n'));
}

function headPart({ report, sender }: HtmlReport, zone: string): string {
  const { name, id, kind, state, started_at, finished_at } = report.campaign;
  const words = state === 'paused' ? pauseWords(report.campaign) : state;
  const from = started_at === null ? 'not started' : clock(started_at, zone);
  const to = finished_at === null ? '' : ` to ${clock(finished_at, zone)}`;
  return `<h1>${escaped(name)}</h1>
<p>${escaped(`${words} · ${kind} · from ${sender} · ${id}`)}</p>
<p>${escaped(`${from}${to} (${zone})`)}</p>`;
}

function figuresPart({ rows, messages, delivery, cost }: CampaignReport): string {
  const share = rows.planned === 0 ? '' : ` (${percent(delivery.delivered / rows.planned)})`;
  const figures: [string, string][] = [
    ['Planned', whole(rows.planned)],
    ['Sent', whole(messages.sent)],
    ['Delivered', `${whole(delivery.delivered)}${share}`],
    ['Charged', money(cost.charged, cost)],
  ];
  const cells = figures.map(([label, value]) => `<div><dt>${label}</dt><dd>${escaped(value)}</dd></div>`);
  return `<dl>${cells.join('')}</dl>`;
}

/** The words stay as they were written, with their line ends. */
function textPart({ text }: HtmlReport): string {
  const lines = text.split(/\r?\n/).map(escaped);
  return section('Text', `<blockquote>${lines.join('<br>')}</blockquote>`);
}

function outcomeBars(report: CampaignReport): Bar[] {
  return outcomes(report)
    .filter(({ count }, index) => count > 0 || index === 0)
    .map(({ label, count, style, note }) => ({
      label,
      count,
      colour: COLOURS[style],
      words: `${countWords(count, report.rows.planned)}${note === undefined ? '' : ` · ${note}`}`,
    }));
}

function reasonBars({ reasons, rows }: CampaignReport): Bar[] {
  return reasons.slice(0, MOST_REASONS).map(({ state, reason, count }) => ({
    label: reason,
    count,
    colour: REASON_COLOURS[state] ?? 'bad',
    words: `${countWords(count, rows.planned)} · ${state === 'sent' ? 'not delivered' : state}`,
  }));
}

/** The provider's own words, where they say more than the reason. */
function saidLines({ reasons }: CampaignReport): string {
  const said = reasons.slice(0, MOST_REASONS).filter(saysMore);
  const lines = said.map((each) => `\n<p>${escaped(each.reason + saidWords(each.provider_words))}</p>`);
  return lines.join('');
}

function countWords(count: number, total: number): string {
  return `${whole(count)}${total === 0 ? '' : ` · ${percent(count / total)}`}`;
}

function overTime(spans: SentSpan[], zone: string): string {
  const key =
    '<p><span class="key" style="background:#a9bcd3"></span>sent<span class="key" style="background:#2e8b57"></span>delivered of these</p>';
  const at = (time: number) => clock(new Date(time).toISOString(), zone);
  return section('Sent and delivered over time', `${key}\n${timeChart('Sent and delivered', spans, at)}`);
}

function networksPart({ report: { cost }, networks }: HtmlReport): string {
  if (cost.by_network.length === 0) return '';
  const rows = cost.by_network.map(({ network, sent, delivered, charged }) => {
    return [networkName(network, networks), whole(sent), whole(delivered), money(charged, cost)];
  });
  return section('By network', table(['Network', 'Sent', 'Delivered', 'Charged'], rows));
}

/** Rows of the contacts, and what became of those that were not sent to. */
function contactsPart({ rows }: CampaignReport): string {
  const parts: [string, number][] = [
    ['Rows read', rows.read],
    ['Planned', rows.planned],
    ['Unchanged', rows.unchanged],
    ['Duplicate', rows.duplicate],
    ['Invalid', rows.invalid],
    ['Opted out or dead', rows.suppressed],
  ];
  const shown = parts.filter(([, count], index) => index < 2 || count > 0);
  return section(
    'Contacts',
    table(
      ['', 'Rows'],
      shown.map(([label, count]) => [label, whole(count)]),
    ),
  );
}

function costPart({ cost, balance }: CampaignReport): string {
  const rows = [
    ['Estimated', cost.estimated],
    ['Charged', cost.charged],
    ['Per delivered message', cost.per_delivered],
    [
      `Cost not known of ${counted(cost.unknown, 'message')}, at most`,
      cost.unknown === 0 ? null : cost.unknown_price,
    ],
    ['Uncertain messages, at most', Number(cost.at_stake) === 0 ? null : cost.at_stake],
    ['Balance before', balance.before],
    ...balance.top_ups.map(({ amount }) => ['Topped up', amount]),
    ['Balance after', balance.after],
    ['Unexplained', Number(balance.unexplained ?? 0) === 0 ? null : balance.unexplained],
  ].filter((row): row is [string, string] => row[1] !== null);
  const shared =
    balance.shared_with.length === 0
      ? ''
      : `\n<p>${escaped(`The balance is not told apart: also sending were ${balance.shared_with.join(', ')}.`)}</p>`;
  return section(
    'Cost',
    table(
      ['', cost.currency],
      rows.map(([label, amount]) => [label, grouped(amount)]),
    ) + shared,
  );
}

function money(amount: string, { currency }: Pick<CampaignReport['cost'], 'currency'>): string {
  return `${currency} ${grouped(amount)}`.trim();
}

function section(title: string, content: string): string {
  return `<h2>${escaped(title)}</h2>\n${content}`;
}

/** The first column is words, all others are numbers. */
function table(headings: string[], rows: string[][]): string {
  const cells = (tag: string, texts: string[]) =>
    texts.map((text, at) => `<${tag}${at === 0 ? '' : ' class="n"'}>${escaped(text)}</${tag}>`).join('');
  const lines = rows.map((row) => `<tr>${cells('td', row)}</tr>`);
  return `<table><tr>${cells('th', headings)}</tr>\n${lines.join('\n')}</table>`;
}
