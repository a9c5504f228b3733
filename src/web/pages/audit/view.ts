import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import type { AuditEntry } from '../../../ledger/contracts/records.ts';
import { type AuditFact, auditFacts } from '../../../reports/audit-facts.ts';
import type { Frame } from '../../frame.ts';
import { inEnglish } from '../../views/english.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { coveredNumber, shownText } from '../../views/number.ts';
import { table } from '../../views/table.ts';
import { exactTimeOf, timeWords } from '../../views/time.ts';

/** A page of the audit. */
export interface AuditShown {
  entries: AuditEntry[];
  /** The address of older entries; null: there are none. */
  older: string | null;
  isFirst: boolean;
  /** The campaign that alone is shown; null: everything is. */
  campaign: { id: string; name: string } | null;
}

/** Who did what, when, and from where. */
export function auditView(frame: Frame, { entries, older, isFirst, campaign }: AuditShown): Html {
  const { audit: words, common } = frame.words;
  const first = campaign === null ? '/audit' : `/audit?campaign=${campaign.id}`;
  return html`<header class="head"><div><h1>${words.title}</h1><p class="soft">${words.intro}</p></div></header>
${campaign !== null && html`<p>${words.ofCampaign(campaign.name)} <a href="/audit">${words.everything}</a></p>`}
${entries.length === 0 ? html`<p>${words.none}</p>` : entryTable(frame, entries)}
<p class="actions">${older !== null && html`<a href="${older}">${common.older}</a>`}${!isFirst && html`<a href="${first}">${common.newest}</a>`}</p>`;
}

function entryTable(frame: Frame, entries: readonly AuditEntry[]): Html {
  const { audit: words } = frame.words;
  return table({
    caption: words.caption,
    columns: [words.when, words.who, words.from, words.what, words.campaign, words.detail].map((name) => ({
      name,
    })),
    rows: entries.map((entry) => cells(frame, entry)),
  });
}

function cells(frame: Frame, { at, by, from, verb, campaign, detail }: AuditEntry): Content[] {
  const { audit: words } = frame.words;
  return [
    exactTimeOf(frame, at, frame.zone),
    shownText(frame, by),
    from,
    words.verbs[verb] ?? verb.replaceAll('_', ' '),
    campaign === null ? null : html`<a href="/campaigns/${campaign.id}">${campaign.name}</a>`,
    auditFacts(detail).map(
      (fact, index) =>
        html`${index > 0 && ', '}${words.facts[fact.name] ?? fact.name} ${valueWords(frame, fact)}`,
    ),
  ];
}

/** Facts whose values are words of Tuma or of the service; all others are names that somebody gave. */
const ENGLISH = new Set([
  'reason',
  'words',
  'was',
  'is',
  'state',
  'format',
  'as',
  'source',
  'meaning',
  'approver step',
]);

function valueWords(frame: Frame, fact: AuditFact): Content {
  if (typeof fact.value === 'string')
    return fact.kind === 'mobile'
      ? coveredNumber(frame, fact.value)
      : textWords(frame, fact.name, fact.value);
  if (fact.kind === 'time') return timeWords(frame, fact.value, frame.zone);
  return fact.kind === 'money' ? `${frame.currency} ${grouped(formatMoney(fact.value))}` : whole(fact.value);
}

function textWords(frame: Frame, name: string, value: string): Content {
  const { common, campaign, life } = frame.words;
  const worded: Record<string, Readonly<Record<string, string>>> = {
    role: common.roles,
    was: { ...common.states, ...common.roles },
    reason: campaign.pauses,
    decision: campaign.decisions,
    delivery: life.means,
  };
  const known = Object.entries(worded[name] ?? {}).find(([code]) => code === value);
  if (known !== undefined) return known[1].toLowerCase();
  const shown = shownText(frame, value);
  return ENGLISH.has(name) ? inEnglish(frame, shown) : shown;
}
