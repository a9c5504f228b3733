import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import { type PlanWarning, warningText } from '../../../campaign/planning/plan-warning.ts';
import type { PlanBalance } from '../../../campaign/planning/plan-balance.ts';
import type { DonePlan } from '../../../campaign/prepare/preparation.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { timeWords } from '../../views/time.ts';

/** One thing that was looked at. `look`: all is well, good to know, or something for a person to think about. */
interface Check {
  look: 'done' | 'info' | 'warning';
  what: Content;
  note?: Content;
}

/** What was looked at before a launch, what a person should think about first. */
export function checksPart(frame: Frame, { document, money }: DonePlan): Html {
  const checks = [
    ...balanceChecks(frame, money.balance, document.cost.currency),
    ...hourChecks(frame, document),
    ...guardChecks(frame, document),
    ...characterChecks(frame, document),
    ...peopleChecks(frame, document),
    ...warningChecks(frame, document),
  ];
  const order = ['warning', 'info', 'done'];
  const sorted = checks.toSorted((a, b) => order.indexOf(a.look) - order.indexOf(b.look));
  return html`<ul class="todo">
${sorted.map(
  ({ look, what, note }) =>
    html`<li${look !== 'warning' && html` class="done"`}>${icon(look)}<div>${what}${note !== undefined && html`<small>${note}</small>`}</div></li>
`,
)}</ul>`;
}

function balanceChecks(
  { words: { newCampaign: words } }: Frame,
  { upperMicro, leftMicro }: PlanBalance,
  currency: string,
): Check[] {
  if (upperMicro === null) return [{ look: 'warning', what: words.priceNot }];
  if (leftMicro === null) return [{ look: 'warning', what: words.balanceNot }];
  if (leftMicro >= 0) return [{ look: 'done', what: words.balanceOk }];
  const missing = `${currency} ${grouped(formatMoney(-leftMicro))}`;
  return [{ look: 'warning', what: words.balanceShort, note: words.balanceShortBy(missing) }];
}

function hourChecks(
  { words: { newCampaign: words } }: Frame,
  { forecast, reminders }: PlanDocument,
): Check[] {
  if (reminders !== null || forecast.fits === null) return [];
  return [forecast.fits ? { look: 'done', what: words.fitsOk } : { look: 'warning', what: words.fitsNot }];
}

function guardChecks({ words: { newCampaign: words } }: Frame, { guards }: PlanDocument): Check[] {
  const checks: Check[] = [];
  if (guards.same_text_seconds !== null) {
    const hours = whole(Math.round(guards.same_text_seconds / 3_600));
    checks.push(
      guards.same_text_now === 0
        ? { look: 'done', what: words.sameTextOk(hours) }
        : { look: 'warning', what: words.sameText(whole(guards.same_text_now), hours) },
    );
  }
  if (guards.most !== null)
    checks.push(
      guards.most_now === 0
        ? { look: 'done', what: words.mostOk }
        : { look: 'warning', what: words.most(whole(guards.most_now)) },
    );
  return checks;
}

function characterChecks({ words: { newCampaign: words } }: Frame, document: PlanDocument): Check[] {
  const { encoding, gsm_saves_segments: saves } = document;
  if (encoding.ucs2 === 0) return [{ look: 'done', what: words.cheapOk }];
  return [
    {
      look: saves > 0 ? 'warning' : 'info',
      what: words.cheapNot(whole(encoding.ucs2)),
      ...(saves > 0 ? { note: words.cheapSaves(whole(saves)) } : {}),
    },
  ];
}

function peopleChecks({ words: { newCampaign: words } }: Frame, { campaign, rows }: PlanDocument): Check[] {
  const checks: Check[] = [
    rows.duplicate === 0
      ? { look: 'done', what: words.duplicatesOk }
      : { look: 'info', what: words.duplicatesLeft(whole(rows.duplicate)) },
  ];
  if (campaign.kind === 'promotional')
    checks.push(
      rows.suppressed === 0
        ? { look: 'done', what: words.optOutsOk }
        : { look: 'info', what: words.optOutsLeft(whole(rows.suppressed)) },
    );
  return checks;
}

/** What planning found beside it: earlier launches, prices, doubtful cells. */
function warningChecks(frame: Frame, { warnings }: PlanDocument): Check[] {
  const { planWarnings } = frame.words;
  const moment = (at: number, zone: string) => timeWords(frame, at, zone);
  return warnings
    .filter(({ code }) => !SAID_BY_A_CHECK.has(code))
    .map((warning) => ({ look: 'warning', what: warningText(planWarnings, warning, moment) }));
}

/** The warnings of a plan that another check shows. */
const SAID_BY_A_CHECK: ReadonlySet<PlanWarning['code']> = new Set(['balance_short', 'window_short']);
