import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { timeWords } from '../../views/time.ts';
import type { CampaignNow } from './campaign-now.ts';
import { pastMarks } from './past-view.ts';
import { durationOf } from '../../views/amounts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The charts. `plots.js` draws each from the table beside it, which is what is there without JavaScript. Only the
 * tables are live, so what is open stays open. On a phone `plots.js` folds them. Before anything was sent the style hides
 * them: the page that is open by then shows them without being loaded again.
 */
export function chartsView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  return html`<details class="fold course" open><summary><h2>${words.time}</h2></summary><div class="charts">
${figure(frame, { name: 'course', title: courseTitle(frame, now), table: courseTable(frame, now) })}
${figure(frame, { name: 'latency', title: words.latency, table: latencyTable(frame, now), key: latencyKey(frame, now) })}
</div></details>`;
}

/** The tables of the charts that change while it is sent. */
export function chartTables(frame: Frame, now: CampaignNow): Html[] {
  return [courseTable(frame, now), latencyTable(frame, now), latencyKey(frame, now)];
}

function figure(
  { words: { campaign: words } }: Frame,
  { name, title, table, key }: { name: string; title: string; table: Html; key?: Html },
): Html {
  return html`<figure data-plot="${name}"><figcaption><h3 id="plot-${name}">${title}</h3></figcaption>
<div class="chart" role="img" aria-labelledby="plot-${name}" hidden></div>
${key}
<details><summary>${words.asTable}</summary>
${table}
</details></figure>`;
}

function courseTitle({ words: { campaign: words } }: Frame, { series: { stepMs } }: CampaignNow): string {
  return stepMs % HOUR_MS === 0 ? words.hoursTitle(stepMs / HOUR_MS) : words.minutes(stepMs / MINUTE_MS);
}

/** `data-at` is the begin of a step, and `data-marks` what is drawn as dashed lines, both in milliseconds. */
function courseTable(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { series, overview } = now;
  const { zone } = overview.campaign.settings;
  const marks = pastMarks(frame, now);
  const { later } = series;
  const sum = (of: 'sent' | 'delivered' | 'failed') =>
    whole(series.steps.reduce((total, step) => total + step[of], later?.[of] ?? 0));
  return html`<table id="live-course" data-zone="${zone}" data-step="${series.stepMs}" data-marks="${JSON.stringify(marks)}"><caption class="hear">${courseTitle(frame, now)}</caption>
<thead><tr><th scope="col">${words.minute}</th><th scope="col" class="n">${words.sent}</th><th scope="col" class="n">${words.delivered}</th><th scope="col" class="n">${words.failed}</th></tr></thead>
<tbody>
${series.steps.map(
  ({
    at,
    sent,
    delivered,
    failed,
  }) => html`<tr data-at="${at}"><th scope="row">${timeWords(frame, at, zone)}</th><td class="n">${whole(sent)}</td><td class="n">${whole(delivered)}</td><td class="n">${whole(failed)}</td></tr>
`,
)}${
  later !== null &&
  html`<tr><th scope="row">${words.later}</th><td class="n">${whole(later.sent)}</td><td class="n">${whole(later.delivered)}</td><td class="n">${whole(later.failed)}</td></tr>
`
}<tr class="total"><th scope="row">${words.allSteps}</th><td class="n">${sum('sent')}</td><td class="n">${sum('delivered')}</td><td class="n">${sum('failed')}</td></tr>
</tbody></table>`;
}

/** The edges of the bars that people compare, in milliseconds. */
const EDGES = [5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000];

function latencyTable(frame: Frame, { series }: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const bars = [0, ...EDGES].map((from, index) => ({ from, to: EDGES[index] ?? null, messages: 0 }));
  for (const { fromMs, toMs, messages } of series.delivery.buckets) {
    // A bucket that crosses an edge belongs to the side of its middle.
    const middle = (fromMs + Math.min(toMs, fromMs * 2 + 1_000)) / 2;
    const bar = bars.find(({ to }) => to === null || middle < to);
    if (bar !== undefined) bar.messages += messages;
  }
  const all = bars.reduce((total, { messages }) => total + messages, 0);
  return html`<table id="live-latency"><caption class="hear">${words.latency}</caption>
<thead><tr><th scope="col">${words.latencyTime}</th><th scope="col" class="n">${words.messages}</th></tr></thead>
<tbody>
${bars.map(
  (
    bar,
  ) => html`<tr data-bar="${shortBar(frame, bar)}"><th scope="row">${barWords(frame, bar)}</th><td class="n">${whole(bar.messages)}</td></tr>
`,
)}<tr class="total"><th scope="row">${words.allDelivered}</th><td class="n">${whole(all)}</td></tr>
</tbody></table>`;
}

function barWords(frame: Frame, { from, to }: { from: number; to: number | null }): string {
  const { campaign: words } = frame.words;
  if (to === null) return words.over(edgeWords(frame, from));
  return from === 0
    ? words.under(edgeWords(frame, to))
    : words.between(edgeWords(frame, from), edgeWords(frame, to));
}

/** Below a bar of the chart, where there is little room: `5–10 s`. */
function shortBar(frame: Frame, { from, to }: { from: number; to: number | null }): string {
  const { duration } = frame.words.campaign;
  if (to === null) return `> ${edgeWords(frame, from)}`;
  if (from === 0) return `< ${edgeWords(frame, to)}`;
  const inSeconds = to <= MINUTE_MS;
  const unit = inSeconds ? 1_000 : MINUTE_MS;
  const span = `${from / unit}–${to / unit}`;
  return inSeconds ? duration.seconds(span) : duration.onlyMinutes(span);
}

function edgeWords(frame: Frame, ms: number): string {
  const { duration } = frame.words.campaign;
  if (ms < MINUTE_MS) return duration.seconds(String(ms / 1_000));
  return ms < HOUR_MS
    ? duration.onlyMinutes(String(ms / MINUTE_MS))
    : duration.onlyHours(String(ms / HOUR_MS));
}

function latencyKey(frame: Frame, { series: { delivery } }: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { p50, p95 } = delivery;
  const text =
    p50 === null || p95 === null ? '' : words.latencyHalf(durationOf(frame, p50), durationOf(frame, p95));
  return html`<p class="key" id="live-latency-key">${text}</p>`;
}
