import { networkName } from './network-words.ts';
import { counted, grouped, whole } from '../domain/money.ts';
import { printableLine } from '../domain/text/printable.ts';
import { HIDDEN_BY_TOP_UP, joinSections, Page, type TableOptions, UNKNOWN } from './terminal-page.ts';
import type { AccountStatement, CostPart, Statement } from './statement.ts';

/** The statement for a terminal: the charges, the balance, then campaigns, networks and days. */
export function statementTable(statement: Statement, options: TableOptions): string {
  const { from, to, zone, accounts } = statement;
  const title = `${options.paint('bold', `Statement ${from} to ${to}`)}  ${options.paint('dim', zone)}`;
  if (accounts.length === 0) return `${title}\n\nNothing was sent in these days, and no balance was read.`;
  return [title, ...accounts.map((account) => accountPage(account, options))].join('\n\n');
}

function accountPage(account: AccountStatement, options: TableOptions): string {
  const page = new Page(options, account.currency);
  const open = openColumns(account);
  const costs = (part: CostPart) => [whole(part.sent), grouped(part.charged), ...open.cells(part)];
  return joinSections([
    chargedLines(account, page),
    balanceLines(account, page),
    page.list(
      ['Campaign', 'sent', 'charged', 'estimated', ...open.headings],
      account.by_campaign.map((part) => [
        `${printableLine(part.name)} ${printableLine(part.id)}`,
        whole(part.sent),
        grouped(part.charged),
        amountOr(part.estimated, UNKNOWN),
        ...open.cells(part),
      ]),
    ),
    page.list(
      ['Network', 'sent', 'charged', ...open.headings],
      account.by_network.map((part) => [
        printableLine(networkName(part.network, options.networks)),
        ...costs(part),
      ]),
    ),
    page.list(
      ['Day', 'sent', 'charged', ...open.headings, 'balance fell by', 'unexplained'],
      account.by_day.map((part) => [
        part.day,
        ...costs(part),
        amountOr(part.balance.movement, '–'),
        amountOr(part.balance.unexplained, '–'),
      ]),
    ),
  ]);
}

function chargedLines({ account, total }: AccountStatement, page: Page): string[] {
  const estimated = total.estimated === null ? '' : `estimated ${page.amount(total.estimated)}`;
  return [
    `${page.bold('Charged')}  ${page.dim(`account ${printableLine(account)}`)}`,
    page.line('Sent', whole(total.sent), `messages of ${counted(total.campaigns, 'campaign')}`),
    page.line('Charged', page.amount(total.charged), estimated),
    ...page.openCosts(total),
  ];
}

/** Written so that the lines add up as they stand. */
function balanceLines({ balance, total }: AccountStatement, page: Page): string[] {
  const { first, last, reason, charged, unexplained, top_ups, charged_outside } = balance;
  const heading = page.bold('Balance');
  if (first === null || last === null || charged === null || unexplained === null) {
    return [heading, `  Nothing to compare: ${reason ?? 'no reading'}.`];
  }
  const lines = [
    heading,
    page.line('First reading', page.amount(first.credit), page.at(first.at)),
    ...top_ups.map(({ at, amount }) => page.line('+ topped up', page.amount(amount), page.at(at))),
    page.line('- charged', page.amount(charged)),
    page.unexplained('- unexplained', unexplained, mayExplain({ unexplained, top_ups }, total)),
    page.line('= last reading', page.amount(last.credit), page.at(last.at)),
  ];
  if (charged_outside !== null && Number(charged_outside) !== 0) {
    const note = 'charged before the first or after the last reading, so not compared';
    lines.push(page.line('Besides', page.amount(charged_outside), note));
  }
  return lines;
}

function mayExplain(
  { unexplained, top_ups }: { unexplained: string; top_ups: unknown[] },
  { unknown, uncertain, written_off }: CostPart,
): string {
  const open = unknown + uncertain + written_off;
  if (Number(unexplained) === 0)
    return open > 0 && top_ups.length > 0 ? HIDDEN_BY_TOP_UP : 'every cent is accounted for';
  return open > 0
    ? `${whole(open)} of unknown cost or uncertain may explain it`
    : 'taken without a known charge';
}

/** Counts of messages whose cost is not known; the written off ones only where there are any. */
function openColumns({ total }: AccountStatement) {
  const headings = [UNKNOWN, 'uncertain', ...(total.written_off > 0 ? ['written off'] : [])];
  const cells = ({ unknown, uncertain, written_off }: CostPart) =>
    [unknown, uncertain, written_off].slice(0, headings.length).map(whole);
  return { headings, cells };
}

function amountOr(amount: string | null, otherwise: string): string {
  return amount === null ? otherwise : grouped(amount);
}
