import { whole } from '../../domain/money.ts';
import { assetAddress } from '../assets/assets.ts';
import type { Frame } from '../frame.ts';
import { isAllowed, type May } from '../who.ts';
import type { Words } from '../words/words.ts';
import { html, type Html } from './html.ts';
import { BRAND_SIGN, icon } from './icons.ts';
import { timeOf } from './time.ts';

/** One page: its title (without the name of the program) and its content. */
export interface PageContent {
  title: string;
  main: Html;
  /** True: without navigation, such as the page to sign in. */
  alone?: boolean;
  /** Scripts of `/assets` that the page needs beside htmx, by name. */
  scripts?: readonly string[];
}

interface Place {
  path: string;
  name: keyof Words['common']['nav'];
  may: May;
}

/** The navigation, in its groups. */
const NAV: readonly (readonly Place[])[] = [
  [
    { path: '/campaigns', name: 'campaigns', may: 'viewer' },
    { path: '/find', name: 'find', may: 'viewer' },
    { path: '/inbox', name: 'inbox', may: 'viewer' },
    { path: '/reminders', name: 'reminders', may: 'viewer' },
  ],
  [
    { path: '/optouts', name: 'optouts', may: 'viewer' },
    { path: '/decisions', name: 'decisions', may: 'viewer' },
    { path: '/money', name: 'money', may: 'viewer' },
  ],
  [
    { path: '/checks', name: 'health', may: 'viewer' },
    { path: '/audit', name: 'audit', may: 'viewer' },
    { path: '/users', name: 'users', may: 'admin' },
    { path: '/alerts', name: 'alerts', may: 'admin' },
  ],
];

/** A whole page as text. */
export function page(frame: Frame, { title, main, alone = false, scripts = [] }: PageContent): string {
  const { common } = frame.words;
  const { text } = html`<!doctype html>
<html lang="${frame.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content='{"includeIndicatorCSS":false}'>
<title>${title} – ${common.brand}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assetAddress('style.css')}">
${scripts.includes('chart.js') && html`<link rel="stylesheet" href="${assetAddress('chart.css')}">`}
${['htmx.js', ...scripts].map((name) => html`<script src="${assetAddress(name)}" defer></script>`)}
</head>
<body>
<a class="skip" href="#main">${common.skip}</a>
<div class="${alone ? 'page alone' : 'page'}">
${top(frame, alone)}
${!alone && navigation(frame)}
<main id="main" tabindex="-1">
${main}
</main>
${foot(frame)}
</div>
</body>
</html>
`;
  return text;
}

function top({ words, credit, csrf }: Frame, alone: boolean): Html {
  const { common } = words;
  const brand = html`<a class="brand" href="/campaigns">${BRAND_SIGN}${common.brand}</a>`;
  if (alone) return html`<header class="top">${brand}</header>`;
  return html`<header class="top">
${brand}
<form class="jump" method="post" action="/find" role="search">${csrfField({ csrf })}
<label class="hear" for="jump">${common.findLabel}</label>
<input id="jump" name="q" type="search" placeholder="${common.findHint}">
<button>${common.find}</button>
</form>
${credit !== null && creditView(words, credit)}
<button class="menu" popovertarget="nav">${icon('menu')} ${common.menu}</button>
</header>`;
}

function navigation(frame: Frame): Html {
  const { who, path, words, csrf } = frame;
  const { common, me } = words;
  const groups = NAV.map((places) => places.filter(({ may }) => isAllowed(who, may)));
  return html`<nav class="nav" id="nav" popover aria-label="${common.pages}">
${groups
  .filter((places) => places.length > 0)
  .map(
    (places) => html`<ul>
${places.map(
  (place) =>
    html`<li><a href="${place.path}"${isAt(path, place.path) && html` aria-current="page"`}>${common.nav[place.name]}${count(frame, place.name)}</a></li>
`,
)}</ul>
`,
  )}${who !== null && html`<div class="who"><a href="/me">${who.kind === 'home' ? me.thisMachine : who.name}</a>, ${common.roles[who.role]}<br>${signOut(csrf, common.signOut)}</div>`}
</nav>`;
}

/** How much waits on a page; nothing where nothing does. */
function count({ site, words: { common } }: Frame, name: Place['name']): Html | null {
  const waits = name === 'inbox' || name === 'decisions' ? (site?.waiting[name] ?? 0) : 0;
  return waits === 0
    ? null
    : html` <span class="count">${whole(waits)}<span class="hear"> ${common.waits}</span></span>`;
}

function signOut(csrf: string, words: string): Html {
  return html`<form method="post" action="/sign-out"><input type="hidden" name="_csrf" value="${csrf}"><button class="link">${words}</button></form>`;
}

function isAt(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function foot(frame: Frame): Html {
  const { language, words, csrf, zone, path } = frame;
  const { common } = words;
  const other = language === 'en' ? 'sw' : 'en';
  const [is, change] =
    language === 'en' ? [common.english, common.swahili] : [common.swahili, common.english];
  return html`<footer class="foot">
${pulse(frame)}
<span>${common.times(zone)}</span>
<form class="last" method="post" action="/language">${is} ·
<input type="hidden" name="_csrf" value="${csrf}"><input type="hidden" name="from" value="${path}">
<button class="link" name="language" value="${other}" lang="${other}">${change}</button></form>
</footer>`;
}

/** Whether messages leave, and when the last report came. */
function pulse(frame: Frame): Html | null {
  const {
    site,
    zone,
    words: { common },
  } = frame;
  if (site === null) return null;
  const { sending, lastReportAt } = site;
  const report = lastReportAt !== null && html` ${common.lastReport} ${timeOf(frame, lastReportAt, zone)}.`;
  return html`<span>${icon(sending === 'works' ? 'done' : 'warning')} ${common.sending[sending]}${report} <a href="/checks">${common.nav.health}</a></span>`;
}

/** The balance at the top, which a live page brings up to date. */
export function creditView({ common }: Pick<Words, 'common'>, credit: string): Html {
  return html`<p class="credit" id="credit">${common.balance} <b>${credit}</b></p>`;
}

/** The hidden field that each form of a page carries. */
export function csrfField({ csrf }: Pick<Frame, 'csrf'>): Html {
  return html`<input type="hidden" name="_csrf" value="${csrf}">`;
}
