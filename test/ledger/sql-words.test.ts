import { globSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { ALERT_CAUSES } from '../../src/domain/alert.ts';
import { ANSWER_MEANINGS } from '../../src/domain/answer-meaning.ts';
import type { PreparationState } from '../../src/domain/approval.ts';
import { CAMPAIGN_STATES, type CampaignKind, PAUSE_REASONS } from '../../src/domain/campaign.ts';
import {
  ACTORS,
  type Basis,
  DELIVERY_RANKS,
  MESSAGE_STATES,
  type NumberEffect,
} from '../../src/domain/message.ts';
import { MESSAGE_REASONS, REFUSED } from '../../src/domain/message-reason.ts';
import { OPT_OUT_SOURCES } from '../../src/domain/opt-out-source.ts';
import type { CanaryProgress } from '../../src/domain/pace/canary.ts';
import type { HoldCause, HoldState } from '../../src/domain/pace/network-breaker.ts';
import { ROLES } from '../../src/domain/roles.ts';
import { SUPPRESSIONS } from '../../src/domain/row-reason.ts';
import type { Wish } from '../../src/domain/text/opt-out-words.ts';
import type { Place } from '../../src/ledger/decide/report-place.ts';
import type { WebhookKind } from '../../src/ledger/contracts/records.ts';
import type { OptOutEvent, ReplyRow } from '../../src/ledger/contracts/replies.ts';
import type { TaskKind, TaskRow } from '../../src/ledger/contracts/tasks.ts';
import { postgresSchema } from '../../src/ledger/postgres/dialect.ts';
import { postgresTriggers } from '../../src/ledger/postgres/triggers.ts';
import { blocksOf } from '../../src/ledger/statements.ts';

/*
 * SQL knows no types, so the words of states and reasons in it are compared with the lists of the code: the conditions of
 * the tables, and what the statements, triggers and views write or ask for, on both engines.
 */

const MIGRATION = readFileSync('src/ledger/sqlite/migrations/0001-init.sql', 'utf8').replaceAll(
  /--.*$/gm,
  '',
);
const SCHEMAS = {
  sqlite: MIGRATION.split(/;\s*\n(?=CREATE|INSERT)/),
  postgres: [...postgresSchema(MIGRATION), ...postgresTriggers(MIGRATION)],
};
const STATEMENTS = globSync('src/ledger/operations/**/*.sql').flatMap((file) =>
  [...blocksOf(pathToFileURL(file))].map(([name, sql]) => ({
    file,
    name,
    sql: sql.replaceAll(/--.*$/gm, ''),
  })),
);

/** All members of a union of types; one too many or too few does not compile. */
function all<Word extends string>(words: Record<Word, 0>): Word[] {
  return Object.keys(words) as Word[];
}

const REASONS = Object.values(MESSAGE_REASONS).flat();
const DELIVERIES = Object.keys(DELIVERY_RANKS);
const EFFECTS = all<NumberEffect>({ opted_out: 0, permanent: 0, absent: 0 });

/** The words of each column that holds such words only. */
const WORDS: Record<string, readonly string[]> = {
  'alert.cause': ALERT_CAUSES,
  'answer.meaning': ANSWER_MEANINGS,
  'api_token.role': ROLES,
  'applying.phase': ['lay', 'cancel', 'clean'],
  'attempt.outcome': MESSAGE_STATES,
  'attempt.reason': REASONS,
  'campaign.kind': all<CampaignKind>({ promotional: 0, transactional: 0 }),
  'campaign.reason': PAUSE_REASONS,
  'campaign.state': CAMPAIGN_STATES,
  'campaign_count.delivery': DELIVERIES,
  'campaign_count.state': MESSAGE_STATES,
  'canary.verdict': all<Exclude<CanaryProgress['verdict'], 'sending' | 'waiting'>>({
    passed: 0,
    failed: 0,
    overridden: 0,
  }),
  'failure.effect': EFFECTS,
  'message.actor': ACTORS,
  'message.basis': all<Basis>({ answer: 0, report: 0, operator: 0, mapping: 0 }),
  'message.delivery': DELIVERIES,
  'message.reason': REASONS,
  'message.state': MESSAGE_STATES,
  'network_hold.cause': all<HoldCause>({ sending: 0, delivery: 0 }),
  'network_hold.state': all<HoldState>({ held: 0, probing: 0, well: 0, overridden: 0 }),
  'opt_out.source': OPT_OUT_SOURCES,
  'opt_out_event.change': all<OptOutEvent['change']>({ added: 0, removed: 0, voided: 0 }),
  'opt_out_event.source': OPT_OUT_SOURCES,
  'preparation.state': all<PreparationState>({ open: 0, asked: 0, launched: 0, discarded: 0 }),
  'reply.channel': all<ReplyRow['channel']>({ sms: 0, chat: 0 }),
  'reply.wish': all<Wish>({ stop: 0, start: 0, maybe_stop: 0 }),
  'report.delivery': DELIVERIES,
  'report.effect': EFFECTS,
  'report.joined': all<Place['joined']>({ waiting: 0, joined: 0, ambiguous: 0 }),
  'report_word.delivery': DELIVERIES,
  'task.kind': all<TaskKind>({ export: 0, purge: 0, erase: 0 }),
  'task.state': all<TaskRow['state']>({ working: 0, done: 0, failed: 0 }),
  'web_user.role': ROLES,
  'webhook.kind': all<WebhookKind>({ report: 0, reply: 0, other: 0, not_understood: 0 }),
};
const COLUMNS = new Set(Object.keys(WORDS).map((name) => name.split('.')[1] ?? ''));

function wordsIn(sql: string): string[] {
  return [...sql.matchAll(/'([^']*)'/g)].map(([, word = '']) => word);
}

/** The words that each table's conditions allow to a column. */
function conditionsOf(schema: readonly string[]): Map<string, string[]> {
  const tables = schema.flatMap((statement) => [...statement.matchAll(/CREATE TABLE (\w+) \(([\s\S]*)/g)]);
  const lists = /CHECK \((\w+) (?:IN \(([^)]*)\)|(= '[^']*'(?: OR \1 = '[^']*')*))\)/g;
  return new Map(
    tables.flatMap(([, table, body = '']) =>
      [...body.matchAll(lists)].map(([, column, list, equals]): [string, string[]] => [
        `${table}.${column}`,
        wordsIn(list ?? equals ?? ''),
      ]),
    ),
  );
}

/** What a statement compares its columns with, or sets them to: the words that no table it names has in such a column. */
function strangersIn(sql: string): string[] {
  const said =
    /\b(\w+)"? (?:=|<>|IS(?: NOT)? DISTINCT FROM|(?:NOT )?IN) ('[^']*'|\('[^']*'(?:, '[^']*')*\))/g;
  // What an INSERT gives to its first column stands first behind SELECT.
  const text = sql.replaceAll(/INSERT INTO \w+ \((\w+)[^)]*\)\s+SELECT (?=')/g, '$&$1 = ');
  return [...text.matchAll(said)].flatMap(([, column = '', list = '']) => {
    if (!COLUMNS.has(column)) return [];
    const known = Object.entries(WORDS).flatMap(([name, words]) => {
      const [table, itsColumn] = name.split('.');
      return itsColumn === column && new RegExp(`\\b${table}(?:_left|_listed)?\\b`).test(sql) ? words : [];
    });
    return wordsIn(list).filter((word) => !known.includes(word));
  });
}

it.each(Object.entries(SCHEMAS))(
  'the conditions of the tables on %s list the words of the code',
  (_, schema) => {
    const conditions = conditionsOf(schema);
    expect(conditions.size).toBeGreaterThan(20);
    for (const [column, words] of conditions)
      expect(words.toSorted(), column).toEqual([...(WORDS[column] ?? [])].toSorted());
  },
);

it.each(Object.entries(SCHEMAS))('triggers, views and indexes on %s say no other word', (_, schema) => {
  expect(schema.flatMap(strangersIn)).toEqual([]);
});

it('no statement says a word that its tables do not have', () => {
  expect(STATEMENTS.length).toBeGreaterThan(300);
  const strangers = STATEMENTS.map(({ name, sql }) => [name, strangersIn(sql)]);
  expect(strangers.filter(([, words]) => words?.length !== 0)).toEqual([]);
});

it('a statement that gives a message a state gives it a reason of that state', () => {
  const given =
    /UPDATE message\s+SET state = '(\w+)', actor = [^,]*(?:, settled_at = [^,]*)?, reason = ('[^']*'|iif\([\s\S]*?\)\nWHERE)/g;
  const found = [...STATEMENTS.map(({ sql }) => sql), ...Object.values(SCHEMAS).flat()].flatMap((sql) => [
    ...sql.matchAll(given),
  ]);
  expect(found.length).toBeGreaterThan(15);
  for (const [text, state, reason = ''] of found)
    expect(MESSAGE_REASONS[state as keyof typeof MESSAGE_REASONS], text).toEqual(
      expect.arrayContaining(wordsIn(reason)),
    );
});

it('a reason in a statement is one of the lists, wherever it stands', () => {
  const words = STATEMENTS.filter(({ file }) => !file.includes('/checks')).flatMap(({ sql }) => wordsIn(sql));
  const reasons = words.filter((word) => /^[a-z]+(?:,? [a-z]+)+$/.test(word));
  const strangers = reasons.filter((word) => ![...REASONS, ...SUPPRESSIONS].some((each) => each === word));
  expect(strangers).toEqual([]);
  expect(new Set(reasons).size).toBeGreaterThan(5);
});

it('each reason of a message is given somewhere', () => {
  const files = globSync('src/{campaign,ledger}/**/*.{ts,sql}').map((file) => readFileSync(file, 'utf8'));
  const given = [...files, ...Object.values(REFUSED).map((word) => `'${word}'`)].join('\n');
  expect(REASONS.filter((reason) => !given.includes(`'${reason}'`))).toEqual([]);
});
