import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { JOB_DEFAULTS } from '../../../domain/job.ts';
import { parseDuration } from '../../../domain/time/time-words.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { errorSummary, type FieldError } from '../../views/notice.ts';
import { CYCLE_NAMES } from './cycles.ts';
import { inputField, selectField } from './fields.ts';
import { forecastPart } from './forecast-view.ts';
import { hoursAhead, placeOf } from './moments.ts';
import { addressOf, stepHeader } from './steps.ts';
import type { Begin, WhenValues } from './when-form.ts';

/** What the third step shows. */
export interface WhenPage {
  preparation: Preparation;
  values: WhenValues;
  errors: readonly FieldError[];
  /** The columns that may hold the date of a reminder. */
  columns: readonly string[];
}

/** The third step: the start, the hours, the speed, and what will happen. */
export function whenView(frame: Frame, page: WhenPage): Html {
  const { preparation, errors } = page;
  const { newCampaign: words, common } = frame.words;
  return html`${stepHeader(frame, preparation, 'when')}
${errorSummary(frame, errors)}
<form class="form" data-keeps action="${addressOf(preparation.id, 'when')}" method="post">
<input type="hidden" name="_csrf" value="${frame.csrf}"><input type="hidden" name="revision" value="${preparation.revision}">
<div class="two">
<div class="form">
${beginFields(frame, page)}
${hoursFields(frame, page)}
${speedFields(frame, page)}
</div>
<section aria-labelledby="forecast"><h2 id="forecast">${words.forecast}</h2>
${forecastPart(frame, preparation)}
<p class="soft">${zoneNote(frame)}</p>
<p><button name="do" value="forecast">${preparation.plan === null ? words.forecastMake : words.forecastAgain}</button></p>
</section>
</div>
<div class="actions"><button class="primary" name="do" value="next">${words.toCheck}</button>
<a href="${addressOf(preparation.id, 'message')}">${common.back}</a></div>
</form>`;
}

function beginFields(frame: Frame, page: WhenPage): Html {
  const { newCampaign: words } = frame.words;
  return html`<fieldset><legend>${words.begins}</legend>
${choice(page, 'now', html`<b>${words.now}</b>${words.nowAfter}`)}
${choice(page, 'at', html`<b>${words.onDay}</b>`)}
<div class="inner row">${dayFields(frame, page)}</div>
${choice(page, 'remind', html`<b>${words.remind}</b>${words.remindAfter}`)}
<div class="inner form">${remindFields(frame, page)}</div>
${choice(page, 'every', html`<b>${words.every}</b>`)}
<div class="inner row">${everyFields(frame, page)}</div>
</fieldset>`;
}

function choice({ values }: WhenPage, when: Begin, label: Html): Html {
  const id = `when-${when}`;
  return html`<div class="choice"><input id="${id}" type="radio" name="when" value="${when}"${values.when === when && html` checked`}><label for="${id}">${label}</label></div>`;
}

function dayFields(frame: Frame, { values, errors }: WhenPage): Html[] {
  const { newCampaign: words } = frame.words;
  const label = words.timeIn(placeOf(frame.zone));
  return [
    inputField({ id: 'day', label: words.day, errors, value: values.day, width: 'w2', type: 'date' }),
    inputField({ id: 'hour', label, errors, value: values.hour, width: 'w1', type: 'time' }),
  ];
}

function remindFields(frame: Frame, { values, errors, columns, preparation }: WhenPage): Html {
  const { newCampaign: words } = frame.words;
  const label = words.timeIn(placeOf(frame.zone));
  // The column of a job may have another case than the file, or be an own name of `columns`.
  const names =
    values.column === '' || columns.includes(values.column) ? columns : [values.column, ...columns];
  const options = [['', words.noColumn] as const, ...names.map((name) => [name, name] as const)];
  const usual = (['none', 'dd/mm/yyyy', 'mm/dd/yyyy'] as const).map(
    (order) => [order === 'none' ? '' : order, words.dateOrders[order]] as [string, string],
  );
  const isOther = !usual.some(([order]) => order === values.order);
  const orders = isOther ? [...usual, [values.order, values.order] as const] : usual;
  const hasOwnTexts = preparation.job.remind?.offsets?.some((each) => typeof each !== 'string') === true;
  return html`<div class="row">${selectField({ id: 'column', label: words.column, errors, value: values.column, options })}
${inputField({ id: 'offsets', label: words.daysBefore, hint: words.daysBeforeHint, errors, value: values.offsets, width: 'w2' })}
${
  values.timeColumn === '' &&
  inputField({ id: 'remindHour', label, errors, value: values.remindHour, width: 'w1', type: 'time' })
}
${selectField({ id: 'order', label: words.dateOrder, errors, value: values.order, options: orders })}</div>
${values.timeColumn !== '' && html`<p class="hint">${words.timesOf(values.timeColumn)}</p>`}
${hasOwnTexts && html`<p class="hint">${words.ownTexts}</p>`}`;
}

function everyFields({ words: { newCampaign: words } }: Frame, { values, errors }: WhenPage): Html[] {
  const options = CYCLE_NAMES.map((cycle) => [cycle, words.cycles[cycle] ?? cycle] as const);
  const isOther = !CYCLE_NAMES.includes(values.cycle);
  const all = isOther ? [...options, [values.cycle, words.cycleOther(values.cycle)] as const] : options;
  return [
    selectField({ id: 'cycle', label: words.each, errors, value: values.cycle, options: all }),
    inputField({
      id: 'everyHour',
      label: words.at,
      errors,
      value: values.everyHour,
      width: 'w1',
      type: 'time',
    }),
  ];
}

function hoursFields({ words: { newCampaign: words } }: Frame, { values, errors }: WhenPage): Html {
  const options = Object.entries(words.daysOf);
  const days = options.some(([days]) => days === values.days)
    ? options
    : [...options, [values.days, values.days] as const];
  return html`<fieldset><legend>${words.hours}</legend>
<p class="hint">${words.hoursHint}</p>
<div class="row">${inputField({ id: 'from', label: words.hoursFrom, errors, value: values.from, width: 'w1', type: 'time' })}
${inputField({ id: 'to', label: words.hoursTo, errors, value: values.to, width: 'w1', type: 'time' })}
${selectField({ id: 'days', label: words.days, errors, value: values.days, options: days })}</div>
<div class="choice"><input id="always" type="checkbox" name="always" value="true"${values.always && html` checked`}><label for="always"><b>${words.hoursAlways}</b></label></div>
</fieldset>`;
}

function speedFields(frame: Frame, { values, errors, preparation }: WhenPage): Html {
  const { newCampaign: words } = frame.words;
  const { first, share, wait } = canaryOf(preparation);
  return html`<fieldset><legend>${words.speed}</legend>
<div class="row">${inputField({ id: 'rate', label: words.rate, hint: words.rateHint, errors, value: values.rate, width: 'w2', more: html` inputmode="decimal"` })}
${inputField({ id: 'budget', label: words.budget(frame.currency), hint: words.budgetHint, errors, value: values.budget, width: 'w2', more: html` inputmode="decimal"` })}</div>
<div class="choice"><input id="canary" type="checkbox" name="canary" value="true"${values.canary && html` checked`} aria-describedby="canary-hint"><label for="canary"><b>${words.canary}</b></label><p class="hint" id="canary-hint">${words.canaryHint(first, share, wait)} ${words.canaryNot}</p></div>
</fieldset>`;
}

/** The rule of the first messages, in the words of a job file. */
function canaryOf({ job: { canary = {} } }: Preparation): { first: string; share: string; wait: string } {
  const { first, delivered, waitMs } = JOB_DEFAULTS.canary;
  const minutes = Math.round(
    (canary.wait === undefined ? waitMs : (parseDuration(canary.wait) ?? waitMs)) / 60_000,
  );
  return {
    first: canary.first ?? String(first),
    share: canary.delivered ?? `${delivered * 100} %`,
    wait: `${minutes} min`,
  };
}

function zoneNote({ zone, now, words: { newCampaign: words } }: Frame): string {
  const [place, hours] = [placeOf(zone), hoursAhead(zone, now)];
  if (hours === 0) return words.zoneSame(place);
  return words.zoneNote(place, hours > 0 ? words.ahead(String(hours)) : words.behind(String(-hours)));
}
