import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLedgerHere } from '../support/ledger-here.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { type Operation, operation, type Rules } from '../../src/ledger/operations/operation.ts';
import { type Checks, gated } from '../../src/ledger/operations/operation-gates.ts';
import { StaleLedgerGuard } from '../../src/ledger/operations/sending/stale-ledger-guard.ts';
import { writerOperations } from '../../src/ledger/operations/writer.ts';
import { sqliteEngine } from '../../src/ledger/sqlite/sqlite-engine.ts';

/* What each operation of the writing thread declares, read from the operations themselves. */

let database: DatabaseSync;
let rules: Map<string, Rules>;

beforeAll(async () => {
  const file = join(makeTempDir(), 'ledger.db');
  await (await openLedgerHere(file)).close();
  database = new DatabaseSync(file);
  const roomy = { requireSpace: () => undefined, requireRoom: () => undefined };
  const writer = writerOperations(database, { ...roomy, engine: sqliteEngine(database) });
  const guard = new StaleLedgerGuard(database, { notes: null, unwritable: null });
  const operations: Record<string, Operation> = { ...writer, ...guard.operations(writer) };
  rules = new Map(Object.entries(operations).map(([name, run]) => [name, run.rules ?? {}]));
});
afterAll(() => database.close());

/** These send nothing: what some of them make due, or bring back, goes out only by a claim. */
const WITHOUT_GATE = `
  acceptCopy acceptLoss addAlertEndpoint addMessages addOptOuts addToken addUser alertTarget answerLoss
  answerRequest approvalNeeded arrangeStep askApproval begin beginCancel beginErasure beginHomeSession
  beginPlanning beginPurge beginReading beginReadings beginRequest beginSession beginSignIn beginTask
  behind bringBackHeld campaign cancelChunk cancelPerson changePreparation changeRole compareReminders
  createDraft createPreparation decideReply discardChunk dueBatches dueSchedules endErasure
  endPreparations endSession endSessions endTask erasureStep facts forgetRequest forgetTasks
  guardedBefore haltedCampaigns holdSchedule isClockAhead isGuarded joinPreparation
  joinWaiting knownPrices latestNamed latestOfContacts leaseBatch leaveOutFiring leaveRequest mapAnswer
  mapStep mappedAnswers missDue networksOf newWebhooks noteEndpointTry noteTask openErasures
  openReminders otherWorkers pause pausedCampaigns purgeStep raiseAlerts reap recordAlertTry
  recordOutcomes recordPlan recordReading recordReports refuseApproval registerWorker releaseBatch
  remindedBefore removeAlertEndpoint removeOptOuts removeToken removeUser renewAlertSecret renewLink
  rereadWebhook resolveStep resume retireWorker retryStep schedulesSetBack senders setApproval
  setClockBack setPassword setRate skipStagedStep stageReminders startDue stillSending storedWebhooks
  suppressed takeAlerts takeDailyPurge takeTask touchSession touchToken traceStep unfinishedCancels
  unmapAnswer voidStep watchCanaries watchNetworks
`;

const named = (isMeant: (rules: Rules) => boolean) =>
  [...rules].flatMap(([name, each]) => (isMeant(each) ? [name] : [])).sort();

it('nothing leads to messages without its gate: whoever adds an operation answers here whether it does', () => {
  expect(named(({ gate }) => gate === 'leads to messages')).toEqual([
    'activate',
    'beginUpload',
    'claim',
    'fireStep',
    'uploadStep',
  ]);
  expect(named(({ gate }) => gate === 'needs this schema')).toEqual(['heartbeat', 'takeSlots']);
  expect(named(({ gate }) => gate === 'needs its place')).toEqual(['storeWebhook', 'tryInbox']);
  expect(named(({ gate }) => gate === undefined)).toEqual(WITHOUT_GATE.trim().split(/\s+/));
});

it('a power cut may take back only reads, and drafts that nobody has launched', () => {
  expect(named(({ durable }) => durable === false)).toEqual([
    'addMessages',
    'arrangeStep',
    'compareReminders',
    'discardChunk',
    'guardedBefore',
    'haltedCampaigns',
    'mappedAnswers',
    'networksOf',
    'remindedBefore',
    'stageReminders',
    'suppressed',
  ]);
});

it('only verdicts wait for the lock without limit', () => {
  expect(named(({ patienceMs }) => patienceMs === Infinity)).toEqual(['recordOutcomes']);
});

it('without the right by which it was asked only what keeps or tidies is done; only an admin removes data', () => {
  expect(named(({ right }) => right === 'none')).toEqual([
    'answerRequest',
    'discardChunk',
    'endErasure',
    'endTask',
    'erasureStep',
    'forgetRequest',
    'leaveRequest',
    'recordPlan',
    'touchSession',
    'touchToken',
  ]);
  expect(named(({ right }) => right === 'admin')).toEqual([
    'beginErasure',
    'beginPurge',
    'purgeStep',
    'traceStep',
  ]);
});

it('the checks of its gate run before an operation, and what one throws keeps it from running', async () => {
  const ran: string[] = [];
  const check = (name: string) => () => void ran.push(name);
  const checks: Checks = {
    right: check('right'),
    place: check('place'),
    schema: check('schema'),
    claims: check('claims'),
  };
  const run = (given: string) => void ran.push(given);
  const operations = {
    launch: operation({ gate: 'leads to messages' }, run),
    sign: operation({ gate: 'needs this schema' }, (given: string) => run(given)),
    store: operation({ gate: 'needs its place', right: 'none' }, (given: string) => run(given)),
    plain: (given: string) => run(given),
  };
  const behind = gated(operations, checks);
  for (const name of ['launch', 'sign', 'store', 'plain'] as const) await behind[name](name);
  expect(ran).toEqual(
    ['right place schema claims launch', 'right schema sign', 'place store', 'right plain'].flatMap((each) =>
      each.split(' '),
    ),
  );
  expect(behind.launch.rules).toEqual({ gate: 'leads to messages' });

  const refusing = gated(operations, {
    ...checks,
    schema: () => {
      throw new Error('newer');
    },
  });
  ran.length = 0;
  await expect(async () => await refusing.launch('launch')).rejects.toThrow('newer');
  expect(ran).toEqual(['right', 'place']);
});
