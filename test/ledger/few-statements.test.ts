import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { getEach, runEach, type Statement } from '../../src/ledger/connection.ts';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { Memory } from '../../src/ledger/operations/memory.ts';
import { writerOperations } from '../../src/ledger/operations/writer.ts';
import type { EncodedWebhook } from '../../src/ledger/thread/thread-codec.ts';
import { sqliteEngine } from '../../src/ledger/sqlite/sqlite-engine.ts';
import { atFileEnd } from '../support/file-end.ts';
import { openLedgerHere, openReaderHere } from '../support/ledger-here.ts';
import { newLedgerFile } from '../support/new-ledger-file.ts';
import { type LaunchOptions, PRICE, rejected, requeued, sent, uncertain, World } from './contract-world.ts';

/*
 * Each statement is a way to the server and back where the ledger's database is one. So the operations of sending take
 * as few for hundreds of messages as for one.
 */

/** With the sums of the counters, which are written before the COMMIT. */
const FEW = {
  claim: 10,
  /** That looks for opt-outs, the same text and a cap, in one page and behind it. */
  lookingClaim: 20,
  sent: 15,
  /** With evidence, and the counters' look at the messages before and behind the change. */
  notSent: 18,
  /** Reports that came before find their messages in the same commit. */
  early: 22,
  /** Reports of messages that nobody has, as many kills leave them: each worker looks at them once a second. */
  waiting: 4,
  /** Webhooks that come for the first time, and those of which each is there twice. */
  webhooks: 2,
  twiceEach: 5,
};
const MANY = 256;

const worlds: World[] = [];
atFileEnd(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A ledger, and the operations of its writer over a connection that counts: many rows in one statement count once. */
async function counted() {
  const file = await newLedgerFile();
  const database = new DatabaseSync(file);
  const prepare = database.prepare.bind(database);
  let statements = 0;
  database.prepare = (sql) =>
    countedStatement(prepare(sql), () => (statements += 1)) as ReturnType<typeof prepare>;
  const world = new World({
    ledger: await openLedgerHere(file),
    another: () => openLedgerHere(file),
    reader: () => openReaderHere(file),
    sql: (text, values = []) => Promise.resolve(prepare(text).all(...values)),
    tables: () => Promise.reject(new Error('nobody asks for the tables here')),
    async close() {
      database.close();
      await world.ledger.close();
    },
  });
  worlds.push(world);
  const memory = new Memory();
  const roomy = { requireSpace: () => undefined, requireRoom: () => undefined };
  const operations = writerOperations(database, { ...roomy, engine: sqliteEngine(database) }, memory);
  /** What the work answers, and the number of statements that it took. */
  const count = async <Answer>(work: (of: typeof operations) => Promise<Answer>) => {
    statements = 0;
    database.exec('BEGIN IMMEDIATE');
    const answer = await work(operations);
    await memory.finish();
    const taken = statements;
    database.exec('COMMIT');
    return { answer, taken };
  };
  return { world, count };
}

function countedStatement(plain: Statement, count: () => void): Statement {
  const counting =
    <Given extends unknown[], Answer>(run: (...given: Given) => Answer) =>
    (...given: Given) => {
      count();
      return run(...given);
    };
  return {
    get: counting((...values) => plain.get(...values)),
    all: counting((...values) => plain.all(...values)),
    run: counting((...values) => plain.run(...values)),
    setReturnArrays: (on) => plain.setReturnArrays(on),
    getEach: counting((rows) => getEach(plain, rows)),
    runEach: counting((rows) => runEach(plain, rows)),
  };
}

type Counted = Awaited<ReturnType<typeof counted>>;

/** Claims up to `limit` messages of a new campaign. */
async function claim({ world, count }: Counted, limit: number, options: LaunchOptions = {}) {
  const { settings, ...rest } = options;
  const campaign = await world.launch(MANY, { ...rest, settings: { batchSize: 1_000, ...settings } });
  const worker = await world.worker();
  const { batch, epoch, firstSeq: fromSeq } = await world.lease(worker);
  const { answer, taken } = await count((of) =>
    of.claim({
      batch,
      epoch,
      worker,
      limit,
      fromSeq,
      now: world.now,
      windowClosesAt: null,
      ceilingMicro: 1e15,
      priceMicro: PRICE,
      claimNumber: 1,
      accountRate: 1_000,
    }),
  );
  return { campaign, worker, messages: answer.messages, taken };
}

it.each([1, MANY])('a claim of %i messages takes few statements', async (limit) => {
  const { messages, taken } = await claim(await counted(), limit);
  expect(messages).toHaveLength(limit);
  expect(taken).toBeLessThanOrEqual(FEW.claim);
});

it.each([1, MANY])('a claim of up to %i messages takes few when every look is needed', async (limit) => {
  const world = await counted();
  const guard = { sameTextMs: 86_400_000, most: 2, perMs: 86_400_000 };
  const options = { kind: 'promotional', settings: { guard } } as const;
  const before = await claim(world, MANY, { ...options, name: 'before' });
  await world.count((of) => of.recordOutcomes(recordOf(world, before, (...given) => sent(...given))));
  await world.world.ledger.addOptOuts([{ mobile: '254700000002', source: 'reply' }], world.world.now);
  world.world.now += 1_000;
  const { messages, taken } = await claim(world, limit, { ...options, name: 'now' });
  expect(messages).toHaveLength(limit === 1 ? 1 : MANY - 1);
  expect(taken).toBeLessThanOrEqual(FEW.lookingClaim);
});

interface Claimed {
  campaign: Campaign;
  worker: number;
  messages: ClaimedMessage[];
}

function recordOf(
  { world }: Counted,
  { campaign, worker, messages }: Claimed,
  verdict: (campaign: Campaign, message: ClaimedMessage) => Outcome,
) {
  const outcomes = messages.map((message) => verdict(campaign, message));
  return { worker, now: world.now, outcomes, pauses: [] };
}

const EVIDENCE = { httpStatus: 500, code: null, raw: 'oops' };
const question = { content: 'c', words: 'oops' };

const VERDICTS: [what: string, verdict: (campaign: Campaign, message: ClaimedMessage) => Outcome][] = [
  ['sent', sent],
  ['rejected', (campaign, message) => ({ ...rejected(campaign, message), evidence: EVIDENCE })],
  ['uncertain', (campaign, message) => ({ ...uncertain(campaign, message), evidence: EVIDENCE })],
  ['queued', (campaign, message) => ({ ...requeued(campaign, message), evidence: EVIDENCE })],
  [
    'of an unknown answer',
    (campaign, message) => ({ ...rejected(campaign, message), evidence: { ...EVIDENCE, question } }),
  ],
];

it.each(VERDICTS.flatMap(([what, verdict]) => [1, MANY].map((limit) => ({ what, verdict, limit }))))(
  'a record of $limit messages that are $what takes few statements',
  async ({ verdict, limit }) => {
    const world = await counted();
    const claimed = await claim(world, limit);
    // A report that fits nothing makes every record look for early ones.
    await world.world.report({ messageId: 'of another program' });
    const { answer, taken } = await world.count((of) => of.recordOutcomes(recordOf(world, claimed, verdict)));
    expect(answer).toEqual(claimed.messages.map(() => 'recorded'));
    expect(taken).toBeLessThanOrEqual(verdict === sent ? FEW.sent : FEW.notSent);
    await world.world.verify();
  },
);

it.each([1, MANY])('a record of %i messages whose reports came early takes few statements', async (limit) => {
  const world = await counted();
  const claimed = await claim(world, limit);
  const plain = { word: 'Delivered', delivery: 'delivered', reason: null, mobile: null } as const;
  const early = claimed.messages.map(({ seq }) => `id-${claimed.campaign.n}-${seq}`);
  await world.world.post({ reports: early.map((messageId) => ({ ...plain, messageId })) });
  const { taken } = await world.count((of) => of.recordOutcomes(recordOf(world, claimed, sent)));
  expect(taken).toBeLessThanOrEqual(FEW.early);
  expect(await world.world.column('message', 'count(*)', "delivery = 'delivered'")).toBe(limit);
  await world.world.verify();
});

it.each([1, MANY])('a look at %i waiting reports that find no message takes few statements', async (many) => {
  const { world, count } = await counted();
  const plain = { word: 'Delivered', delivery: 'delivered', reason: null } as const;
  const ids = Array.from({ length: many }, (_, index) => `unknown-${index}`);
  for (const mobile of [null, '254700000001'])
    await world.post({ reports: ids.map((messageId) => ({ ...plain, messageId, mobile })) });
  const { answer, taken } = await count((of) => of.joinWaiting(world.now));
  expect(answer).toBe(0);
  expect(taken).toBeLessThanOrEqual(FEW.waiting);
});

it.each([1, MANY])('%i webhooks that wait together are stored by few statements', async (many) => {
  const { world, count } = await counted();
  const webhook = (nth: number): EncodedWebhook => [
    world.now,
    'POST',
    'text/plain',
    '',
    `${nth}`,
    '::1',
    false,
  ];
  const webhooks = Array.from({ length: many }, (_, index) => webhook(index));
  const fresh = await count((of) => of.storeWebhook(...webhooks));
  expect(fresh.taken).toBeLessThanOrEqual(FEW.webhooks);
  const others = webhooks.map((_, index) => webhook(MANY + index));
  const twice = await count((of) => of.storeWebhook(...others, ...others));
  expect(twice.taken).toBeLessThanOrEqual(FEW.twiceEach);
  expect(await world.column('webhook', 'sum(times)', 'TRUE')).toBe(3 * many);
});
