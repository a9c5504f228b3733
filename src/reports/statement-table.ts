import { printableLine } from '../domain/text/printable.ts';
import {
  clock,
  HIDDEN_BY_TOP_UP,
  isZero,
  priced,
  type TableOptions,
  unexplainedWords,
} from './report-words.ts';
import { grouped, whole } from '../domain/money.ts';
import type { AccountStatement, CostPart, Statement } from './statement.ts';

const LABEL = 20;
const AMOUNT = 18;
const UNKNOWN = 'not known';
/** What messages of which nobody knows the cost may have cost. */
const MOST = {
  all: (amount: string) => `up to ${amount}`,
  some: (amount: string) => `up to ${amount} where a price is known`,
  none: () => 'no price is known',
} as const;

/** The statement as a page for a terminal: what was charged, what the balance says, then campaigns, senders, networks, days. */
export function statementTable(statement: Statement, options: TableOptions): string {
  const { from, to, zone, accounts } = statement;
  const title = `${options.paint('bold', `Statement ${from} to ${to}`)}  ${options.paint('dim', zone)}`;
  if (accounts.length === 0) return `${title}\n\nNothing was sent in these days, and no balance was read.`;
  return [title, ...accounts.map((account) => accountPage(account, options))].join('\n\n');
}

function accountPage(account: AccountStatement, options: TableOptions): string {
  const page = new Page(account.currency, options);
  const open = openColumns(account);
  const sections = [
    chargedLines(account, page),
    balanceLines(account, page),
    page.list(
      ['Campaign', 'sent', 'charged', 'estimated', ...open.headings],
      account.by_campaign.map((part) => [
        `${printableLine(part.name)} ${printableLine(part.id)}`,
        whole(part.sent),
        grouped(part.charged),
        part.estimated === null ? UNKNOWN : grouped(part.estimated),
        ...open.cells(part),
      ]),
    ),
    ...[
      { heading: 'Sender', parts: account.by_sender.map((part) => ({ ...part, name: part.sender })) },
      { heading: 'Network', parts: account.by_network.map((part) => ({ ...part, name: part.network })) },
    ].map(({ heading, parts }) =>
      page.list(
        [heading, 'sent', 'charged', ...open.headings],
        parts.map((part) => [
          printableLine(part.name ?? UNKNOWN),
          whole(part.sent),
          grouped(part.charged),
          ...open.cells(part),
        ]),
      ),
    ),
    page.list(
      ['Day', 'sent', 'charged', ...open.headings, 'balance fell by', 'unexplained'],
      account.by_day.map((part) => [
        part.day,
        whole(part.sent),
        grouped(part.charged),
        ...open.cells(part),
        amountOr(part.balance.movement, '–'),
        amountOr(part.balance.unexplained, '–'),
      ]),
    ),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function chargedLines({ account, total }: AccountStatement, page: Page): string[] {
  const campaigns = `${whole(total.campaigns)} ${total.campaigns === 1 ? 'campaign' : 'campaigns'}`;
  const estimated = total.estimated === null ? '' : `estimated ${page.amount(total.estimated)}`;
  const lines = [
    `${page.bold('Charged')}  ${page.dim(`account ${printableLine(account)}`)}`,
    page.line('Sent', whole(total.sent), `messages of ${campaigns}`),
    page.line('Charged', page.amount(total.charged), estimated),
  ];
  const open = [
    ['Cost not known', total.unknown, 'sent', total.unknown_price],
    ['Uncertain', total.uncertain, 'sent or not', total.at_stake],
    ['Written off', total.written_off, 'sent or not', total.written_off_price],
  ] as const;
  for (const [label, count, words, most] of open) {
    const price = MOST[priced(most, total.unpriced)](page.amount(most));
    if (count > 0) lines.push(page.line(label, whole(count), `${words}, ${price}; not in the sum above`));
  }
  return lines;
}

/** Written so that the lines add up as they stand. */
function balanceLines({ balance, total }: AccountStatement, page: Page): string[] {
  const { first, last, reason, charged, unexplained } = balance;
  const heading = page.bold('Balance');
  if (first === null || last === null || charged === null || unexplained === null) {
    return [heading, `  Nothing to compare: ${reason ?? 'no reading'}.`];
  }
  const lines = [heading, page.line('First reading', page.amount(first.credit), page.at(first.at))];
  for (const { at, amount } of balance.top_ups)
    lines.push(page.line('+ topped up', page.amount(amount), page.at(at)));
  lines.push(page.line('- charged', page.amount(charged)));
  lines.push(
    page.line('- unexplained', page.amount(unexplained), unexplainedNote({ ...balance, unexplained }, total)),
  );
  lines.push(page.line('= last reading', page.amount(last.credit), page.at(last.at)));
  if (balance.charged_outside !== null && !isZero(balance.charged_outside)) {
    const note = 'charged before the first or after the last reading, so not compared';
    lines.push(page.line('Besides', page.amount(balance.charged_outside), note));
  }
  return lines;
}

function unexplainedNote(
  { unexplained, top_ups }: { unexplained: string; top_ups: unknown[] },
  { unknown, uncertain, written_off }: CostPart,
): string {
  const open = unknown + uncertain + written_off;
  if (isZero(unexplained))
    return open > 0 && top_ups.length > 0 ? HIDDEN_BY_TOP_UP : 'every cent is accounted for';
  const may = `${whole(open)} of unknown cost or uncertain may explain it`;
  return unexplainedWords(unexplained, open > 0 ? may : 'taken without a known charge');
}

/** Counts of what is not known; those written off only where there are any, for few accounts have. */
function openColumns({ total }: AccountStatement) {
  const headings = ['not known', 'uncertain', ...(total.written_off > 0 ? ['written off'] : [])];
  const cells = ({ unknown, uncertain, written_off }: CostPart) =>
    [unknown, uncertain, written_off].slice(0, headings.length).map(whole);
  return { headings, cells };
}

function amountOr(amount: string | null, otherwise: string): string {
  return amount === null ? otherwise : grouped(amount);
}

/** How the lines of one account are drawn. */
class Page {
  readonly #currency: string;
  readonly #options: TableOptions;

  constructor(currency: string, options: TableOptions) {
    this.#currency = currency;
    this.#options = options;
  }

  bold(text: string): string {
    return this.#options.paint('bold', text);
  }

  dim(text: string): string {
    return this.#options.paint('dim', text);
  }

  amount(text: string): string {
    return `${printableLine(this.#currency)} ${grouped(text)}`.trim();
  }

  at(iso: string): string {
    return clock(iso, this.#options.zone);
  }

  line(label: string, value: string, note = ''): string {
    return `  ${label.padEnd(LABEL)}${value.padStart(AMOUNT)}${note === '' ? '' : `  ${this.dim(note)}`}`;
  }

  /** Rows under headings: the first column is text, the others are numbers. */
  list(headings: string[], rows: string[][]): string[] {
    if (rows.length === 0) return [];
    const widths = headings.map((heading, column) =>
      Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
    );
    const drawn = ([first = '', ...others]: string[]) =>
      [
        first.padEnd(widths[0] ?? 0),
        ...others.map((cell, index) => cell.padStart(widths[index + 1] ?? 0)),
      ].join('  ');
    return [this.bold(drawn(headings)), ...rows.map((row) => drawn(row).trimEnd())];
  }
}
