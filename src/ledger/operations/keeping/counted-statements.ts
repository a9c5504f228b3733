import { type Connection, type Row, runEach, type Statement, type Values } from '../../connection.ts';
import { ALL_MESSAGES, type CountedSpan } from './counted-messages.ts';
import type { Counters } from './counters.ts';

/*
 * Each statement that changes what the counters look at says in its header which messages it may change:
 *     -- counted: seq         the message ?2 of the campaign ?1
 *     -- counted: span        the messages from ?2 to ?3 of the campaign ?1
 *     -- counted: campaign    all messages of the campaign ?1
 *     -- counted: returned    those that it returns, by seq, and by campaign unless it is ?1; they were queued
 *     -- counted: told        the operation tells the counters, because it happens a million times a campaign
 *     -- counted: nothing     why no counter changes
 * A test finds the statement that lacks the header, and `verify` the one whose header is wrong.
 */

const HEADER = /^-- counted: (\w+)/m;

const SPANS: Record<string, (values: Values) => CountedSpan> = {
  seq: ([campaign, seq]) => [Number(campaign), Number(seq), Number(seq)],
  span: ([campaign, first, last]) => [Number(campaign), Number(first), Number(last)],
  campaign: ([campaign]) => [Number(campaign), ...ALL_MESSAGES],
};

/** The connection, on which statements tell the counters what they change. */
export function countedConnection(database: Connection, counters: Counters): Connection {
  return {
    prepare(sql) {
      const statement = database.prepare(sql);
      const which = HEADER.exec(sql)?.[1] ?? '';
      if (which === 'returned') return leavingQueue(statement, counters);
      const spanOf = SPANS[which];
      return spanOf === undefined ? statement : changing(statement, counters, spanOf);
    },
  };
}

/** Counts the messages as they are before the statement, and behind it. */
function changing(
  statement: Statement,
  counters: Counters,
  spanOf: (values: Values) => CountedSpan,
): Statement {
  return {
    get: (...values) => counters.around([spanOf(values)], () => statement.get(...values)),
    all: (...values) => counters.around([spanOf(values)], () => statement.all(...values)),
    run: (...values) => counters.around([spanOf(values)], () => statement.run(...values)),
    runEach: (rows) => counters.around(rows.map(spanOf), () => runEach(statement, rows)),
    setReturnArrays: (on) => statement.setReturnArrays(on),
  };
}

/** Counts the messages that the statement took out of the queue. So an order that finds few reads no others. */
function leavingQueue(statement: Statement, counters: Counters): Statement {
  const all = async (...values: Values): Promise<Row[]> => {
    const rows = await statement.all(...values);
    await counters.leftQueue(rows.map(({ campaign = values[0], seq }) => [Number(campaign), Number(seq)]));
    return rows;
  };
  return {
    get: async (...values) => (await all(...values))[0],
    all,
    run: async (...values) => ({ changes: (await all(...values)).length }),
    setReturnArrays: () => {
      throw new Error('a statement that returns what it counts names its columns');
    },
  };
}
