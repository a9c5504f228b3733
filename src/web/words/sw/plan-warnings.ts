import { sayAdvice } from '../../../domain/advice.ts';
import { advice } from './advice.ts';
import { errorTitles } from './error-titles.ts';
import type { WarningWords } from '../../../campaign/planning/plan-warning.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';

/** What a person should think about before a launch. */
export const planWarnings: WarningWords = {
  not_accepted: ({ statuses }) =>
    `Mipangilio ya huduma ya SMS inachukua HTTP ${statuses.join(', ')} kuwa “haikupokelewa”: ujumbe kama huo hutumwa tena, na mara mbili kama huduma iliupokea`,
  other_rate: () => 'Inatumwa kwa kasi iliyowekwa mahali inapotumwa',
  no_credentials: () => 'Salio halijulikani: Tuma haina ufunguo wa huduma ya SMS',
  balance_unknown: ({ said }) => `Salio halijulikani: ${said}`,
  answer_undecided: ({ messages, said }) =>
    `${messages === 1 ? 'Ujumbe 1 unasubiri' : `Jumbe ${whole(messages)} zinasubiri`} mtu aseme jibu hili lina maana gani: ${said}`,
  sent_before: ({ campaign, messages }) =>
    `Orodha hii na maandishi haya yalitumwa awali kama ${campaign}, kwa ${messages === 1 ? 'mtu 1' : `watu ${whole(messages)}`}: aliye katika zote mbili anapata tena`,
  same_contacts: ({ name, at, zone }, moment) =>
    `Orodha hii hii ilianzishwa ${moment(at, zone)} kama ${name}: watu wake wanapata ujumbe mwingine`,
  other_offset: ({ campaign }) =>
    `${campaign} ilihesabu siku kwa njia nyingine: kikumbusho kilichotumwa leo kingetumwa tena. Anzisha hii kesho`,
  open_already: ({ campaign }) => `Orodha hii na maandishi haya ni kampeni ${campaign}, ambayo haijaisha`,
  sent_already: ({ campaign }) => `Orodha hii na maandishi haya yalitumwa kama ${campaign}`,
  reads_itself: ({ campaign }) =>
    `${campaign} husoma yenyewe orodha hii na maandishi haya: hakuna haja ya kuanzisha`,
  launch_refused: ({ error, advice: given }) =>
    [`Haiwezi kuanzishwa: ${errorTitles[error]}.`, given && sayAdvice(advice, given)]
      .filter(Boolean)
      .join(' '),
  paid_more: ({ currency, paidMicro }) =>
    `Sehemu moja imewahi kugharimu ${currency} ${grouped(formatMoney(paidMicro))}, zaidi ya bei iliyowekwa hapa. Kiasi hicho hutengwa kwa kila sehemu, kwa hiyo kikomo au salio linaweza kusimamisha kampeni mapema`,
  charged_more: ({ charged, counted }) =>
    `Huduma ya SMS hutoza sehemu ${charged} kwa ujumbe wenye sehemu ${counted} hapa: maandishi ya kujiondoa au bei katika mipangilio si sahihi`,
  budget_unpriced: () => 'Haiwezi kuanzishwa ikiwa na kikomo cha gharama: bei bado haijulikani',
  budget_short: ({ currency, missingMicro }) =>
    `Kikomo kimepungua kwa ${currency} ${grouped(formatMoney(missingMicro))} kuliko gharama inayoweza kufika: kampeni inasimama kabla ya kikomo`,
  field_lookalike: ({ marked, name }) =>
    `Kila mtu anapata ${marked} kama ilivyo katika maandishi. Kama inapaswa kuwa sehemu ya mstari, andika <<${name}>>`,
  cell_nothing: ({ field, cell, count, lines }) =>
    `${rows(count)} “${cell}” au mfano wake katika ${field}, na watu wangeisoma. Acha seli kama hizo tupu: ${places(lines, count)}`,
  cell_letter: ({ field, cell, count, lines }) =>
    `${rows(count)} herufi iliyopotea katika ${field}, kama “${cell}”: ${places(lines, count)}. Irekebishe, au toa orodha tena kama UTF-8`,
  start_missed: () => 'Haiwezi kuanzishwa: wakati wake wa kuanza umepita mno. Chagua wakati mwingine',
  balance_short: ({ currency, missingMicro }) =>
    `Salio limepungua kwa ${currency} ${grouped(formatMoney(missingMicro))} kuliko gharama inayoweza kufika`,
  window_short: () => 'Hazitoshi ndani ya muda na zinaendelea siku inayofuata',
};

function rows(count: number): string {
  return count === 1 ? 'Mstari 1 una' : `Mistari ${whole(count)} ina`;
}

function places(lines: readonly number[], count: number): string {
  const shown = lines.map(whole).join(', ');
  if (count > lines.length) return `mistari ya ${shown} na mingine`;
  return lines.length === 1 ? `mstari wa ${shown}` : `mistari ya ${shown}`;
}
