import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { storedBodies } from './collector-apart.ts';
import { openRaw } from '../collector/raw-http.ts';
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts';
import { openStage, WEBHOOK_TOKEN } from './harness.ts';

const SENDERS = 8;
/** Posts in progress may keep it for 5 s; the rest is for the end of the process. */
const MOST_MS = 5_000 + 2_000;

/** What the senders saw: posts that were begun, those that were acknowledged, and every other status. */
interface Seen {
  begun: number;
  acknowledged: string[];
  refused: number[];
}

/** Posts one report after the other until nobody listens. */
async function postUntilItIsGone(url: string, seen: Seen, name: string) {
  for (let number = 0; ; number += 1) {
    const body = `{"messageid":"${name}-${number}","status":"Delivered"}`;
    seen.begun += 1;
    const answer = await fetch(url, { method: 'POST', body }).catch(() => null);
    if (answer === null) return;
    await answer.arrayBuffer();
    if (answer.status === 200) seen.acknowledged.push(body);
    else seen.refused.push(answer.status);
  }
}

async function isListening(port: number): Promise<boolean> {
  // Not /health, which waits for the ledger.
  return fetch(`http://127.0.0.1:${port}/nowhere`).then(
    () => true,
    () => false,
  );
}

test('a collector that is told to stop answers 200 only for what it stored, cuts what never ends, and is gone in 5 s [W14]', async () => {
  const stage = await openStage({ contacts: 1 });
  const collector = stage.serve('collector');
  await collector.printed(/webhooks +http/);
  const port = stage.collectorPort;
  const seen: Seen = { begun: 0, acknowledged: [], refused: [] };
  const url = `http://127.0.0.1:${port}/webhooks/${WEBHOOK_TOKEN}`;
  const senders = Array.from({ length: SENDERS }, (_, index) => postUntilItIsGone(url, seen, String(index)));
  const endless = await openRaw(port);
  endless.write(`POST /webhooks/${WEBHOOK_TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`);
  await waitFor(() => seen.acknowledged.length > 100, { what: '100 acknowledgements' });

  // While another program holds the ledger every sender has a post in progress, and none is answered.
  const database = new DatabaseSync(stage.ledgerFile, { timeout: PATIENCE_MS });
  onTestFinished(() => database.close());
  database.exec('BEGIN IMMEDIATE');
  await waitFor(() => seen.begun - seen.acknowledged.length === SENDERS, { what: 'a post of each sender' });
  // Whoever answers this has read what came before it.
  expect(await isListening(port)).toBe(true);
  const at = performance.now();
  process.kill(collector.pid, 'SIGTERM');
  await waitFor(async () => !(await isListening(port)), {
    what: 'nobody to be let in',
  });
  const before = seen.acknowledged.length;
  database.exec('ROLLBACK');
  expect(await collector.exited).toEqual({ code: 0, signal: null });
  expect(performance.now() - at).toBeLessThan(MOST_MS);
  await Promise.all([...senders, endless.closed]);

  expect(seen.acknowledged.length).toBeGreaterThan(before);
  const stored = storedBodies(stage.ledgerFile);
  expect(seen.acknowledged.filter((body) => !stored.has(body))).toEqual([]);
  expect(seen.refused.filter((status) => status !== 503)).toEqual([]);
  expect(endless.statuses()).not.toContain(200);
  expect([...stored.keys()].filter((body) => body.startsWith('half'))).toEqual([]);
});
