import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { barePost } from './bare-post.ts';
import { contactAt, textFor } from './contacts.ts';
import type { LeastAnswer, LeastCall, LeastClaimed, LeastOutcome } from './least-ledger.ts';
import { hangUp, readOptions, tell } from './parent.ts';

/*
 * The least that keeps the first promise: each message is durably `sending` before it is on the wire, and its outcome is
 * durable afterwards, in SQLite on a thread of its own. It says how much of a rate the promise itself costs, and so what
 * no program that keeps it can pass here. It leaves out whatever else Tuma is for: texts are ready-made, an answer is
 * believed as it stands, and there are no leases, prices, budgets, rates, pauses, retries, reports and no Redis. Up to 512
 * messages are `sending`, four times as many as Tuma's default allows to be uncertain after a kill.
 */

interface LeastOptions {
  origin: string;
  messages: number;
  /** An empty folder. */
  home: string;
}

const CONNECTIONS = 64;
const CLAIMERS = 4;
const CLAIM = 128;

const { origin, messages, home } = readOptions<LeastOptions>();
const path = join(home, 'least.db');
writeMessages();
const ledger = new Worker(new URL('least-ledger.ts', import.meta.url), { workerData: { path } });
const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1, allowH2: false });
const asked = new Map<number, (claimed: LeastClaimed[]) => void>();
let outcomes: LeastOutcome[] = [];
let [calls, from] = [0, 0];

ledger.on('message', (answers: LeastAnswer[]) => {
  for (const { call, claimed } of answers) asked.get(call)?.(claimed);
});
await Promise.all(Array.from({ length: CLAIMERS }, claimMany));
await askFor(0);
tell({ answered: countAccepted() });
await Promise.all([pool.close(), ledger.terminate()]);
hangUp();

async function claimMany(): Promise<void> {
  for (;;) {
    const claimed = await askFor(CLAIM);
    if (claimed.length === 0) return;
    await Promise.all(claimed.map(send));
  }
}

function askFor(count: number): Promise<LeastClaimed[]> {
  const call: LeastCall = { call: calls, outcomes, from, count };
  calls += 1;
  from += count;
  outcomes = [];
  return new Promise((resolve) => {
    asked.set(call.call, (claimed) => {
      asked.delete(call.call);
      resolve(claimed);
    });
    ledger.postMessage(call, []);
  });
}

async function send({ seq, mobile, text }: LeastClaimed): Promise<void> {
  const fields = { apikey: 'bench-key', apisecret: 'bench-secret', message: text };
  const answer = await barePost(pool, JSON.stringify({ ...fields, shortcode: 'DUKA', mobile }));
  const { messageid, messagecost, networkid } = JSON.parse(answer) as Record<string, string>;
  outcomes.push({ seq, messageid: messageid ?? '', cost: messagecost ?? '', network: networkid ?? '' });
}

function writeMessages(): void {
  using database = new DatabaseSync(path);
  database.exec(
    `PRAGMA journal_mode = WAL;
     CREATE TABLE messages (seq INTEGER PRIMARY KEY, mobile TEXT, text TEXT, state TEXT, messageid TEXT, cost TEXT, network TEXT);
     CREATE INDEX message_ids ON messages (messageid) WHERE messageid IS NOT NULL;
     BEGIN`,
  );
  const insert = database.prepare(`INSERT INTO messages (mobile, text, state) VALUES (?, ?, 'queued')`);
  for (let index = 0; index < messages; index += 1) {
    const contact = contactAt(index);
    insert.run(contact.mobile, textFor(contact));
  }
  database.exec('COMMIT');
}

/** As the file says, not as was counted on the way. */
function countAccepted(): number {
  using database = new DatabaseSync(path, { readOnly: true });
  const counted = database.prepare(`SELECT count(*) AS n FROM messages WHERE state = 'accepted'`).get();
  return Number(counted?.['n']);
}
