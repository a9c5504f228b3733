import { Queue, Worker } from 'bullmq';
import { Agent, request } from 'undici';
import { contactAt, textFor } from './contacts.ts';
import { hangUp, readOptions, tell } from './parent.ts';

/*
 * What most people write: one BullMQ job a message, which holds number and text, and a worker that posts it. All jobs
 * are in Redis before the worker starts, as Tuma's are in its ledger, and a done job is removed at once, which is the
 * fastest way. It leaves out the ledger: a kill in the middle sends again what was on the wire, nothing knows what was
 * sent or what it cost, and there is no rate, no balance, no report.
 */

interface JobOptions {
  origin: string;
  messages: number;
  /** Path of the Redis socket. */
  redis: string;
}

interface MessageJob {
  mobile: string;
  message: string;
}

const CONCURRENCY = 64;
const JOBS_A_CALL = 1_000;

const { origin, messages, redis } = readOptions<JobOptions>();
const agent = new Agent({ connections: CONCURRENCY });
const connection = { path: redis, maxRetriesPerRequest: null };
const queue = new Queue<MessageJob>('messages', { connection });

for (let first = 0; first < messages; first += JOBS_A_CALL) {
  const count = Math.min(JOBS_A_CALL, messages - first);
  await queue.addBulk(Array.from({ length: count }, (_, at) => jobAt(first + at)));
}

let answered = 0;
const done = Promise.withResolvers<void>();
const worker = new Worker<MessageJob, string>('messages', (job) => send(job.data), {
  connection,
  concurrency: CONCURRENCY,
});
worker.on('error', done.reject);
worker.on('failed', (_job, error) => done.reject(error));
worker.on('completed', () => {
  answered += 1;
  if (answered === messages) done.resolve();
});
await done.promise;
await worker.close();
await queue.close();
await agent.close();
tell({ answered });
hangUp();

async function send({ mobile, message }: MessageJob): Promise<string> {
  const body = { apikey: 'bench-key', apisecret: 'bench-secret', message, shortcode: 'DUKA', mobile };
  const answer = await request(`${origin}/api/services/sendsms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    dispatcher: agent,
  });
  const { messageid } = (await answer.body.json()) as { messageid: string };
  return messageid;
}

function jobAt(index: number) {
  const contact = contactAt(index);
  const data = { mobile: contact.mobile, message: textFor(contact) };
  return { name: 'send', data, opts: { removeOnComplete: true } };
}
