import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCollectorOn, storedBodies } from './collector-apart.ts';

describe('a collector that is killed while posts arrive', () => {
  it('has stored everything that it acknowledged, and absorbs what is sent again [W1 W2 I6]', async () => {
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

    const stored = storedBodies(file);
    expect(acknowledged.filter((body) => !stored.has(body))).toEqual([]);
    expect(unanswered.length).toBeGreaterThan(0);

    const second = await startCollectorOn(file);
    for (const body of [...unanswered, ...acknowledged.slice(-20)])
      expect((await fetch(second.url, { method: 'POST', body })).status).toBe(200);
    await second.process.stop('SIGKILL');
    const after = storedBodies(file);
    expect(after.size).toBe(acknowledged.length + unanswered.length);
    expect(acknowledged.slice(-20).map((body) => after.get(body))).toEqual(
      Array.from({ length: 20 }, () => 2),
    );
  });

  it('after the write and before the answer, has them once when they are sent again [W2]', async () => {
    const file = join(makeTempDir(), 'ledger.db');
    const first = await startCollectorOn(file, { mute: true });
    const bodies = Array.from({ length: 10 }, (_, index) => `{"messageid":"${index}","status":"Delivered"}`);
    const post = async (url: string, body: string) => (await fetch(url, { method: 'POST', body })).status;
    const answers = Promise.allSettled(bodies.map((body) => post(first.url, body)));
    await waitFor(() => storedBodies(file).size === bodies.length, { what: 'all of them to be stored' });
    await first.process.stop('SIGKILL');
    expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(storedBodies(file)).toEqual(new Map(bodies.map((body) => [body, 1])));

    const second = await startCollectorOn(file);
    for (const body of bodies) expect(await post(second.url, body)).toBe(200);
    await second.process.stop('SIGKILL');
    expect(storedBodies(file)).toEqual(new Map(bodies.map((body) => [body, 2])));
  });
});
