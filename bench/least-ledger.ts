import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/* The thread of least-sender.ts that writes: what has come together is one durable transaction, and is answered after it. */

/** An accepted message. */
export interface LeastOutcome {
  seq: number;
  messageid: string;
  cost: string;
  network: string;
}

/** What has been answered since the last call, and the next messages: `count` from the place `from`. */
export interface LeastCall {
  call: number;
  outcomes: LeastOutcome[];
  from: number;
  count: number;
}

/** A message that may be sent. */
export interface LeastClaimed {
  seq: number;
  mobile: string;
  text: string;
}

/** What a call claimed, once that is durable. */
export interface LeastAnswer {
  call: number;
  claimed: LeastClaimed[];
}

const database = new DatabaseSync((workerData as { path: string }).path);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
const claim = database.prepare(
  `UPDATE messages SET state = 'sending' WHERE seq >= ? AND seq < ? AND state = 'queued' RETURNING seq, mobile, text`,
);
const accept = database.prepare(
  `UPDATE messages SET state = 'accepted', messageid = ?, cost = ?, network = ? WHERE seq = ?`,
);
let waiting: LeastCall[] = [];

parentPort?.on('message', (call: LeastCall) => {
  if (waiting.length === 0) setImmediate(commit);
  waiting.push(call);
});

function commit(): void {
  const calls = waiting;
  waiting = [];
  database.exec('BEGIN IMMEDIATE');
  const answers = calls.map(answer);
  database.exec('COMMIT');
  parentPort?.postMessage(answers, []);
}

function answer({ call, outcomes, from, count }: LeastCall): LeastAnswer {
  for (const { messageid, cost, network, seq } of outcomes) accept.run(messageid, cost, network, seq);
  return { call, claimed: claim.all(from, from + count) as unknown as LeastClaimed[] };
}
