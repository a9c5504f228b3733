import { counted, whole } from '../../domain/money.ts';
import type { RepeatedIds } from '../../ledger/contracts/replies.ts';
import type { Context } from '../context.ts';
import type { Output } from '../terminal/output.ts';
import { columnsOf, renderTable } from './table.ts';

/* Ids that fit several messages, for the commands that say whether all is well. */

/** A table of ids that several messages have. */
export function repeatedTable({ output }: Context, { total, ids }: RepeatedIds): string {
  const headings = ['ids that several messages have', 'messages', 'undecided reports'];
  const rows = ids.map(({ messageId, messages, undecided }) => [
    output.words(messageId),
    whole(messages),
    whole(undecided),
  ]);
  const numbers = ['messages', 'undecided reports'];
  const table = renderTable(columnsOf(headings, numbers), rows, { padded: output.terminal });
  return total > ids.length ? `${table}\nand ${whole(total - ids.length)} more` : table;
}

/** "2 ids were given to several messages, such as m1 (2 messages)"; null: none was. */
export function repeatedWords({ total, ids: [first] }: RepeatedIds, output: Output): string | null {
  if (first === undefined) return null;
  const { messageId, messages } = first;
  const were = total === 1 ? 'was' : 'were';
  return `${counted(total, 'id')} ${were} given to several messages, such as ${output.words(messageId)} to ${whole(messages)}`;
}
