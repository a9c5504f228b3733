import { formatMoney, grouped, parseMoney, whole } from '../../../domain/money.ts';
import type { NetworkNames } from '../../../reports/network-words.ts';
import type { AccountStatement, CostPart, Statement } from '../../../reports/statement.ts';
import { statementMonths } from '../../../reports/statement-months.ts';
import type { StatementList } from '../../../reports/statement-rows.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { networkWords } from '../../views/network.ts';
import { errorSummary, type FieldError } from '../../views/notice.ts';
import { shownText } from '../../views/number.ts';
import { table, type TableColumn } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** What the page shows. */
export interface MoneyPage {
  from: string;
  to: string;
  /** The first and the last day of this month, and of the one before it. */
  months: readonly [{ from: string; to: string }, { from: string; to: string }];
  errors: readonly FieldError[];
  /** Null: the days are wrong. */
  statement: Statement | null;
  networks: NetworkNames;
}

/** What accounts were charged in some days, and what the balance says about it. */
export function moneyView(frame: Frame, page: MoneyPage): Html {
  const { money: words } = frame.words;
  const { statement, errors } = page;
  return html`<header class="head"><div><h1>${words.title}</h1></div></header>
${errorSummary(frame, errors)}
${daysForm(frame, page)}
${statement !== null && statement.accounts.length === 0 && html`<p>${words.nothing}</p>`}
${statement !== null && statement.accounts.map((account) => accountPart(frame, page, account))}`;
}

function daysForm(frame: Frame, { from, to, months: [present, last], errors }: MoneyPage): Html {
  const { money: words } = frame.words;
  const day = (name: 'from' | 'to', value: string) => {
    const error = errors.find(({ field }) => field === name)?.message ?? null;
    return html`<div class="${error === null ? '' : 'wrong'}"><label for="${name}">${words[name]}</label>
${error !== null && html`<p class="error" id="${name}-error">${error}</p>`}
<input class="w1" id="${name}" name="${name}" type="date" value="${value}"${error !== null && html` aria-invalid="true" aria-describedby="${name}-error"`}></div>`;
  };
  const link = (span: { from: string; to: string }, name: string) =>
    html`<a href="/money?from=${span.from}&amp;to=${span.to}">${name}</a>`;
  return html`<form class="form" method="get" action="/money"><div class="row">
${day('from', from)}${day('to', to)}<button class="primary">${words.show}</button>
<p>${link(present, words.thisMonth)} ${link(last, words.lastMonth)}</p></div></form>`;
}

function accountPart(frame: Frame, page: MoneyPage, account: AccountStatement): Html {
  const { money: words } = frame.words;
  const months = statementMonths(account);
  return html`<section><h2>${words.account(shownText(frame, account.account))}</h2>
<p class="soft">${words.sentIn(whole(account.total.sent), whole(account.total.campaigns))}</p></section>
<div class="two">${chargedSum(frame, account)}${balanceSum(frame, account)}</div>
${lists(frame, page, account)}
${months.length > 1 && listPart(frame, { title: words.byMonth, first: words.month, rows: months.map((part) => [part.month, part]), account })}
${dayList(frame, page, account)}`;
}

function chargedSum(frame: Frame, { currency, total }: AccountStatement): Html {
  const { money: words } = frame.words;
  const open: (readonly [words: string, count: number, amount: string])[] = [
    [words.unknownPrice(whole(total.unknown), total.unknown === 1), total.unknown, total.unknown_price],
    [words.atStake(whole(total.uncertain), total.uncertain === 1), total.uncertain, total.at_stake],
    [words.writtenOff(whole(total.written_off)), total.written_off, total.written_off_price],
  ];
  const shown = open.filter(([, count]) => count > 0);
  const most = [total.charged, ...shown.map(([, , amount]) => amount)].reduce(
    (sum, amount) => sum + (parseMoney(amount) ?? 0),
    0,
  );
  return html`<section><h2>${words.charged}</h2>
${sum(words.charged, [[words.known, `${currency} ${grouped(total.charged)}`], ...shown.map(([name, , amount]) => [name, grouped(amount)] as const)], [words.atMost, `${currency} ${grouped(formatMoney(most))}`])}
${total.unpriced > 0 && html`<p class="soft">${words.unpriced(whole(total.unpriced))}</p>`}</section>`;
}

function balanceSum(frame: Frame, { currency, balance, total }: AccountStatement): Html {
  const { money: words } = frame.words;
  const { first, last, charged, unexplained, top_ups: topUps, charged_outside: outside } = balance;
  const heading = html`<h2>${words.balance}</h2>`;
  if (first === null || last === null || charged === null || unexplained === null)
    return html`<section>${heading}<p>${words.noBalance}</p></section>`;
  const when = (at: string) => timeOf(frame, Date.parse(at), frame.zone);
  const rows = [
    [html`${words.first}, ${when(first.at)}`, `${currency} ${grouped(first.credit)}`],
    ...topUps.map(({ at, amount }) => [html`${words.topUp}, ${when(at)}`, grouped(amount)] as const),
    [words.minusCharged, grouped(charged)],
    [words.minusUnexplained, grouped(unexplained)],
  ] as const;
  const besides = outside !== null && Number(outside) !== 0;
  return html`<section>${heading}
${sum(words.balance, rows, [html`${words.last}, ${when(last.at)}`, `${currency} ${grouped(last.credit)}`])}
<p>${unexplainedWords(frame, { unexplained, currency, open: total.unknown + total.uncertain + total.written_off })}</p>
${besides && html`<p class="soft">${words.besides(`${currency} ${grouped(outside)}`)}</p>`}</section>`;
}

function unexplainedWords(
  frame: Frame,
  { unexplained, currency, open }: { unexplained: string; currency: string; open: number },
): string {
  const { money: words } = frame.words;
  const amount = Number(unexplained);
  if (amount === 0) return words.exact;
  const shown = `${currency} ${grouped(unexplained.replace(/^-/, ''))}`;
  const said = amount > 0 ? words.unexplained(shown) : words.gained(shown);
  return open > 0 ? `${said} ${words.mayExplain(whole(open))}` : said;
}

/** A sum whose total stands under a double rule. */
function sum(
  caption: string,
  rows: readonly (readonly [Content, string])[],
  [totalName, total]: readonly [Content, string],
): Html {
  return html`<table class="sum"><caption class="hear">${caption}</caption><tbody>
${rows.map(
  ([name, amount]) => html`<tr><th scope="row">${name}</th><td class="n">${amount}</td></tr>
`,
)}<tr class="total"><th scope="row">${totalName}</th><td class="n">${total}</td></tr>
</tbody></table>`;
}

function lists(frame: Frame, page: MoneyPage, account: AccountStatement): Html {
  const { money: words } = frame.words;
  const campaigns = account.by_campaign.map(
    (part) => [html`<a href="/campaigns/${part.id}">${part.name}</a>`, part] as const,
  );
  const networks = account.by_network.map((part) => {
    return [
      part.network === null ? words.unknownNetwork : networkWords(frame, part.network, page.networks),
      part,
    ] as const;
  });
  return html`${listPart(frame, { title: words.byCampaign, first: words.campaign, rows: campaigns, account, file: fileOf(page, 'campaign') })}
${listPart(frame, { title: words.byNetwork, first: words.network, rows: networks, account, file: fileOf(page, 'network') })}`;
}

function fileOf({ from, to }: MoneyPage, by: StatementList): string {
  return `/money.csv?by=${by}&from=${from}&to=${to}`;
}

interface Listed {
  title: string;
  first: string;
  rows: readonly (readonly [Content, CostPart])[];
  account: AccountStatement;
  /** The address of the same as a file; left out: there is none. */
  file?: string;
}

function listPart(frame: Frame, { title, first, rows, account, file }: Listed): Html {
  const { money: words } = frame.words;
  return html`<section><h2>${title}</h2>
${table({
  caption: title,
  columns: [{ name: first }, ...costColumns(frame, account)],
  rows: rows.map(([name, part]) => [name, ...costCells(part)]),
  total: [words.total, ...costCells(account.total)],
})}
${file !== undefined && download(frame, title, file)}</section>`;
}

function dayList(frame: Frame, page: MoneyPage, account: AccountStatement): Html {
  const { money: words } = frame.words;
  const more: TableColumn[] = [words.fell(account.currency), words.unexplainedIn(account.currency)].map(
    (name) => {
      return { name, isNumber: true };
    },
  );
  return html`<section><h2>${words.byDay}</h2>
${table({
  caption: words.byDay,
  columns: [{ name: words.day }, ...costColumns(frame, account), ...more],
  rows: account.by_day.map((part) => [
    part.day,
    ...costCells(part),
    amount(part.balance.movement),
    amount(part.balance.unexplained),
  ]),
  total: [words.total, ...costCells(account.total), null, null],
})}
${download(frame, words.byDay, fileOf(page, 'day'))}</section>`;
}

function download(frame: Frame, title: string, file: string): Html | null {
  if (!isAllowed(frame.who, 'operator')) return null;
  return html`<p class="actions"><a href="${file}" download>${frame.words.money.download(title)}</a></p>`;
}

function costColumns(frame: Frame, { currency }: AccountStatement): TableColumn[] {
  const { money: words } = frame.words;
  return [words.sent, words.delivered, words.chargedIn(currency), words.open].map((name) => {
    return { name, isNumber: true };
  });
}

function costCells(part: CostPart): Content[] {
  const open = part.unknown + part.uncertain + part.written_off;
  return [whole(part.sent), whole(part.delivered), grouped(part.charged), open === 0 ? null : whole(open)];
}

function amount(text: string | null): string | null {
  return text === null ? null : grouped(text);
}
