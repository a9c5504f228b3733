import { CHOSEN_CAUSES } from '../../../domain/alert.ts';
import { shownAddress } from '../../../domain/alert-endpoint.ts';
import type { AlertEndpointRow } from '../../../ledger/contracts/alert-endpoints.ts';
import type { Frame } from '../../frame.ts';
import { textField } from '../../views/field.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { buttonForm, errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { shownText } from '../../views/number.ts';
import { facts } from '../../views/parts.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';

/** Where alerts go by the settings; null: that way is not set. */
export interface OfSettings {
  /** As it may be shown. */
  webhook: string | null;
  mail: readonly string[] | null;
}

/** The address of an endpoint's page. */
export function endpointPath(id: string): string {
  return `/alerts/of/${encodeURIComponent(id)}`;
}

/** All ways that alerts go. */
export function alertsView(
  frame: Frame,
  { endpoints, settings }: { endpoints: readonly AlertEndpointRow[]; settings: OfSettings },
): Html {
  const { alerts: words } = frame.words;
  return html`<header class="head"><div><h1>${words.title}</h1><p>${words.intro}</p></div><a class="button primary" href="/alerts/add">${words.add}</a></header>
<section aria-labelledby="programs"><h2 id="programs">${words.programs}</h2>
${endpoints.length === 0 ? html`<p class="text">${words.none}</p>` : endpointTable(frame, endpoints)}</section>
<section aria-labelledby="settings"><h2 id="settings">${words.settings}</h2>
${settingsFacts(frame, settings)}<p class="text soft">${words.settingsHelp}</p></section>`;
}

function settingsFacts(frame: Frame, { webhook, mail }: OfSettings): Html {
  const { alerts: words } = frame.words;
  if (webhook === null && mail === null) return html`<p class="text">${words.noSettings}</p>`;
  return facts([
    ...(webhook === null ? [] : ([[words.webhook, webhook]] as const)),
    ...(mail === null ? [] : ([[words.mail, mail.join(', ')]] as const)),
  ]);
}

function endpointTable(frame: Frame, endpoints: readonly AlertEndpointRow[]): Html {
  const { alerts: words } = frame.words;
  return table({
    caption: words.caption,
    columns: [
      { name: words.address },
      { name: words.tells },
      { name: words.success },
      { name: words.failure },
    ],
    rows: endpoints.map((endpoint) => [
      html`<a href="${endpointPath(endpoint.id)}">${shownAddress(endpoint.url)}</a>${endpoint.description !== '' && html` <small class="soft">${shownText(frame, endpoint.description)}</small>`}`,
      tellsOf(frame, endpoint),
      successOf(frame, endpoint),
      failureOf(frame, endpoint),
    ]),
  });
}

function tellsOf({ words: { alerts: words } }: Frame, { causes }: AlertEndpointRow): string {
  return causes === null ? words.everything : words.some(causes.length, CHOSEN_CAUSES.length);
}

function successOf(frame: Frame, { successAt }: AlertEndpointRow): Html | string {
  return successAt === null ? frame.words.alerts.never : timeOf(frame, successAt, frame.zone);
}

function failureOf(frame: Frame, { failureAt, failure }: AlertEndpointRow): Html | string {
  if (failureAt === null) return frame.words.alerts.never;
  return html`${timeOf(frame, failureAt, frame.zone)}: ${shownText(frame, failure ?? '')}`;
}

/** The page of one endpoint. `tested`: how a test ended just now; null: none was sent. */
export function endpointView(
  frame: Frame,
  endpoint: AlertEndpointRow,
  tested: { failure: string | null } | null,
): Html {
  const { alerts: words } = frame.words;
  const path = endpointPath(endpoint.id);
  const causes = CHOSEN_CAUSES.filter((cause) => endpoint.causes?.includes(cause));
  const told = causes.map((cause) => words.causes[cause]).join('; ');
  return html`${headOf(frame, shownAddress(endpoint.url))}
${tested !== null && testNotice(frame, tested)}
${facts([
  [words.description, endpoint.description === '' ? '–' : shownText(frame, endpoint.description)],
  [words.tells, endpoint.causes === null ? words.everything : told],
  [words.success, successOf(frame, endpoint)],
  [words.failure, failureOf(frame, endpoint)],
  [words.addedBy, html`${endpoint.addedBy}, ${timeOf(frame, endpoint.addedAt, frame.zone)}`],
])}
<section class="text"><div class="verbs">
<div>${buttonForm(frame, { action: `${path}/test`, words: words.test })}<small>${words.testHelp}</small></div>
<div>${buttonForm(frame, { action: `${path}/secret`, words: words.newSecret })}<small>${words.newSecretHelp}</small></div>
<div><a class="button danger" href="${path}/remove">${words.remove}</a><small>${words.removeHelp}</small></div>
</div></section>`;
}

function testNotice(frame: Frame, { failure }: { failure: string | null }): Html {
  const { alerts: words } = frame.words;
  return failure === null
    ? notice({ look: 'info', title: words.taken })
    : notice({ look: 'bad', title: words.notTaken, text: shownText(frame, failure) });
}

function headOf(frame: Frame, title: string): Html {
  return html`<header class="head"><div><p class="crumb"><a href="/alerts">${frame.words.alerts.title}</a></p><h1>${title}</h1></div></header>`;
}

/** What was typed into the form of a new endpoint. */
export interface NewEndpoint {
  url: string;
  description: string;
  causes: readonly string[];
  errors: readonly FieldError[];
}

/** The form of a new endpoint. */
export function addEndpointView(frame: Frame, given: NewEndpoint): Html {
  const { alerts: words, common } = frame.words;
  const { url, description, errors } = given;
  return html`${headOf(frame, words.add)}
${errorSummary(frame, errors)}
<form class="form text" action="/alerts/add" method="post">${csrfField(frame)}
${textField(frame, { name: 'url', label: words.address, hint: words.addressHint, value: url, errors, required: true })}
${textField(frame, { name: 'description', label: words.description, hint: words.descriptionHint, value: description, errors })}
${causeChoices(frame, given)}
<div class="actions"><button class="primary">${words.addButton}</button><a href="/alerts">${common.back}</a></div>
</form>`;
}

function causeChoices({ words: { alerts: words } }: Frame, { causes, errors }: NewEndpoint): Html {
  const error = errors.find(({ field }) => field === CHOSEN_CAUSES[0]);
  return html`<fieldset class="${error !== undefined && 'wrong'}"><legend>${words.which}</legend>
${error !== undefined && html`<p class="error">${error.message}</p>`}
${CHOSEN_CAUSES.map(
  (cause) =>
    html`<div class="choice"><input id="${cause}" type="checkbox" name="${cause}" value="yes"${causes.includes(cause) && html` checked`}><label for="${cause}">${words.causes[cause]}</label></div>
`,
)}</fieldset>`;
}
