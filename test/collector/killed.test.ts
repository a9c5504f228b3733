import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startNode, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const TOKEN = 'ab12cd34ef56gh78ij90kl';

async function startCollectorOn(file: string): Promise<{ process: TestProcess; url: string }> {
  const process = startNode('test/collector/collector-process.ts', [file, TOKEN]);
  await process.printed(/port \d+/);
  const port = /port (\d+)/.exec(process.stdout())?.[1];
  return { process, url: `http://127.0.0.1:${port}/webhooks/${TOKEN}` };
}

function storedIds(file: string): Map<string, number> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT CAST(body AS TEXT) AS body, times FROM webhook').all();
    return new Map(rows.map(({ body, times }) => [String(body), Number(times)]));
  } finally {
    database.close();
  }
}

describe('a collector that is killed while posts arrive', () => {
  it('W1 W2 I6: has stored everything that it acknowledged, and absorbs what is sent again', async () => {
    const file = join(makeTempDir(), 'ledger.db');
    const first = await startCollectorOn(file);
    const acknowledged: string[] = [];
    const unanswered: string[] = [];
    let number = 0;
    const sender = async () => {
      while (unanswered.length === 0) {
        const body = `{"messageid":"${++number}","status":"Delivered"}`;
        const answer = await fetch(first.url, { method: 'POST', body }).catch(() => null);
        if (answer?.status === 200) acknowledged.push(body);
        else unanswered.push(body);
      }
    };
    const senders = Array.from({ length: 20 }, sender);
    await waitFor(() => acknowledged.length > 300, { what: '300 acknowledgements' });
    await first.process.stop('SIGKILL');
    await Promise.all(senders);

    const stored = storedIds(file);
    expect(acknowledged.filter((body) => !stored.has(body))).toEqual([]);
    expect(unanswered.length).toBeGreaterThan(0);

    const second = await startCollectorOn(file);
    for (const body of [...unanswered, ...acknowledged.slice(-20)])
      expect((await fetch(second.url, { method: 'POST', body })).status).toBe(200);
    await second.process.stop('SIGKILL');
    const after = storedIds(file);
    expect(after.size).toBe(acknowledged.length + unanswered.length);
    expect(acknowledged.slice(-20).map((body) => after.get(body))).toEqual(
      Array.from({ length: 20 }, () => 2),
    );
  });
});
