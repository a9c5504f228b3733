import { once } from 'node:events';
import { expect, test } from 'vitest';
import { openCollector } from './open-collector.ts';
import { openRaw, rawPost } from './raw-http.ts';

/* The bounds as they are shipped, in their own time; hostile.test.ts has shorter ones. */

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const PATH = `/webhooks/${TOKEN}`;
const SOCKETS = 500;
/** The time of a request, that between two looks at it, and a second for what is late. */
const LONGEST_MS = 10_000;
const HONEST_P99_MS = 500;

test('500 sockets at a byte a second are all cut, and honest posts are answered all the while [W10 X5]', {
  timeout: 60_000,
}, async () => {
  const { collector, store } = await openCollector({ tokens: [TOKEN] });
  const slow = await Promise.all(Array.from({ length: SOCKETS }, () => openRaw(collector.port)));
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n`;
  for (const [index, connection] of slow.entries()) connection.write(index % 2 === 0 ? 'POST ' : head);
  const drip = setInterval(() => {
    for (const { socket } of slow) if (!socket.destroyed) socket.write('x');
  }, 1_000);
  const begun = performance.now();
  const gone = Promise.all(slow.map(({ closed }) => closed)).then(() => performance.now() - begun);
  const honestMs: number[] = [];
  const state: { tookMs: number | null } = { tookMs: null };
  void gone.then((ms) => (state.tookMs = ms));
  while (state.tookMs === null) {
    const at = performance.now();
    const connection = await openRaw(collector.port);
    connection.write(rawPost(PATH, `honest ${honestMs.length}`, ['Connection: close']));
    await Promise.race([connection.closed, once(connection.socket, 'close')]);
    expect(connection.statuses()).toEqual([200]);
    honestMs.push(performance.now() - at);
  }
  clearInterval(drip);
  expect(state.tookMs).toBeLessThan(LONGEST_MS);
  expect(store.bodies().every((body) => body.startsWith('honest'))).toBe(true);
  expect(honestMs.length).toBeGreaterThan(100);
  const sorted = honestMs.toSorted((one, other) => one - other);
  expect(sorted[Math.floor(sorted.length * 0.99)]).toBeLessThan(HONEST_P99_MS);
  expect(slow.flatMap((connection) => connection.statuses()).filter((status) => status === 200)).toEqual([]);
});
