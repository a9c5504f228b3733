import type { WebhookAddress } from '../../../config/webhook-address.ts';
import { whole } from '../../../domain/money.ts';
import { type CheckState, type Finding, type Health, sayFinding } from '../../../reports/health.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon, type IconName } from '../../views/icons.ts';
import { notice } from '../../views/notice.ts';
import { shownText } from '../../views/number.ts';
import { facts } from '../../views/parts.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** What the page shows beside the checks. Time in milliseconds. */
export interface HealthPage {
  /** Null: the checks still run. */
  health: (Health & { at: number }) | null;
  lastReportAt: number | null;
  /** Webhooks that nobody has read, reports that wait, and what was not understood. */
  counts: { new: number; waiting: number; notUnderstood: number };
}

const MARKS: Readonly<Record<CheckState, IconName>> = { ok: 'done', warn: 'warning', fail: 'error' };
const WORST: readonly CheckState[] = ['fail', 'warn', 'ok'];

/** What is well and what is not; what is not comes first. */
export function healthView(frame: Frame, page: HealthPage): Html {
  const { health: words } = frame.words;
  return html`<header class="head"><div><h1>${words.title}</h1></div></header>
<div class="flow" id="checks" hx-get="/checks" hx-select="#checks" hx-swap="outerHTML" hx-trigger="every 30s">
${page.health === null ? notice({ look: 'warn', title: words.running, text: words.runningHelp }) : checks(frame, page.health)}
${facts(factsOf(frame, page))}
</div>
${isAllowed(frame.who, 'admin') && html`${webhookPart(frame)}${personalData(frame)}`}`;
}

function checks(frame: Frame, { findings, at }: Health & { at: number }): Html {
  const { health: words } = frame.words;
  const ordered = WORST.flatMap((state) => findings.filter((finding) => stateOf(finding) === state));
  return html`<p class="soft">${words.lookedAt} ${timeOf(frame, at, frame.zone)}</p>
${summary(frame, findings)}
<section aria-labelledby="looked"><h2 id="looked">${words.checks}</h2>
<ul class="todo">${ordered.map((finding) => check(frame, finding))}</ul></section>`;
}

function summary(frame: Frame, findings: readonly Finding[]): Html {
  const { health: words } = frame.words;
  const [fails, warns] = (['fail', 'warn'] as const).map(
    (state) => findings.filter((finding) => stateOf(finding) === state).length,
  ) as [number, number];
  if (fails > 0) return notice({ look: 'bad', title: words.notWell(whole(fails), fails === 1) });
  if (warns > 0) return notice({ look: 'warn', title: words.doubts(whole(warns), warns === 1) });
  return html`<p><b>${words.well}</b></p>`;
}

function check(frame: Frame, finding: Finding): Html {
  const { health: words } = frame.words;
  const { detail, hint } = sayFinding(words.findings, finding, (text) => shownText(frame, text));
  const { name } = finding;
  const state = stateOf(finding);
  return html`<li class="${state === 'ok' ? 'done' : ''}">${icon(MARKS[state])}<div><b class="${state === 'fail' ? 'bad' : ''}">${words.checkNames[name]}</b><span class="hear">, ${words.states[state]}</span>: ${shownText(frame, detail)}${hint !== null && html`<small>${shownText(frame, hint)}</small>`}</div></li>
`;
}

/** Who looks at the page wants to know that nothing is sent; on the command line a worker may start later. */
function stateOf({ is, facts: about, state }: Finding): CheckState {
  return is === 'workers' && (about.count ?? 0) === 0 ? 'warn' : state;
}

function factsOf(frame: Frame, { health, lastReportAt, counts }: HealthPage) {
  const { health: words } = frame.words;
  const free = health === null ? null : words.gigabytes((health.freeBytes / 1e9).toFixed(1));
  return [
    [words.lastReport, lastReportAt === null ? words.never : timeOf(frame, lastReportAt, frame.zone)],
    [words.unread, whole(counts.new)],
    [words.waiting, whole(counts.waiting)],
    [
      words.notUnderstood,
      counts.notUnderstood === 0 ? '0' : html`<a href="/decisions">${whole(counts.notUnderstood)}</a>`,
    ],
    ...(free === null ? [] : ([[words.free, free]] as const)),
  ] as const;
}

function webhookPart(frame: Frame): Html {
  const { health: words } = frame.words;
  return html`<section aria-labelledby="webhook"><h2 id="webhook">${words.webhook}</h2>
<p>${words.webhookHelp}</p><p><a class="button" href="/checks/webhook">${words.showWebhook}</a></p></section>`;
}

function personalData({ words: { removal: words } }: Frame): Html {
  return html`<section aria-labelledby="personal"><h2 id="personal">${words.healthTitle}</h2>
<p>${words.healthHelp}</p><p><a class="button" href="/purge">${words.purgeTitle}</a></p></section>`;
}

/** The address to paste, which only an admin sees. */
export function webhookView(frame: Frame, { url, isPublic, isReadable }: WebhookAddress): Html {
  const { health: words } = frame.words;
  return html`<header><p class="crumb"><a href="/checks">${words.title}</a></p><h1>${words.webhook}</h1></header>
<p>${words.paste}</p>
<pre tabindex="0" role="region" aria-label="${words.webhook}">${url}</pre>
${!isPublic && notice({ look: 'warn', title: words.local })}
${isReadable && notice({ look: 'warn', title: words.plain })}`;
}
