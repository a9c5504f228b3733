import type { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openConnections } from '../../../src/provider/http/http-connections.ts';
import { recordingOffers } from '../certificate.ts';
import { answer, startRawServer, type ReadRequest } from '../raw-server.ts';

/** Answers each request but those whose path says that it hangs. */
const answerOrHang = (socket: Socket, { path }: ReadRequest) =>
  path === '/hangs' ? undefined : socket.write(answer(200, '{}'));

test('who was given up while it waited for a connection takes none, and those behind it are sent', async () => {
  await using server = await startRawServer({ onRequest: answerOrHang });
  // Both deadlines pass at one moment: a slow machine may else send what waits, in the milliseconds between them.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const line = openConnections({ origin: server.url, connections: 1, deadlineMs: 300 });
  const given = [line.post('/hangs', '{}'), line.post('/given-up', '{}')];
  while (server.requests.length === 0) await new Promise(setImmediate);
  vi.advanceTimersByTime(150);
  const behind = [line.post('/behind', '{}'), line.post('/last', '{}')];
  vi.advanceTimersByTime(150);
  expect(await Promise.all(given)).toMatchObject([
    { started: true, overdue: true },
    { started: false, overdue: true },
  ]);
  expect(await Promise.all(behind)).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(server.begun).toEqual(['/hangs', '/behind', '/last']);
  await line.destroy();
});

test('the connection that was used last is used again, before those that are new or have failed', async () => {
  await using server = await startRawServer({
    onRequest: (socket, request) => {
      if (request.path === '/fails') setTimeout(() => socket.destroy(), 50);
      else answerOrHang(socket, request);
    },
  });
  const line = openConnections({ origin: server.url, connections: 3, deadlineMs: 5_000 });
  for (const path of ['/one', '/two', '/three'])
    expect(await line.post(path, '{}')).toMatchObject({ status: 200 });
  expect(server.connections()).toBe(1);
  const failing = line.post('/fails', '{}');
  expect(await line.post('/four', '{}')).toMatchObject({ status: 200 });
  expect(await failing).toMatchObject({ started: true, error: expect.any(Error) });
  expect(await line.post('/five', '{}')).toMatchObject({ status: 200 });
  expect(server.connections()).toBe(2);
  await line.destroy();
});

test('a line is closed when nothing runs over it any more', async () => {
  await using server = await startRawServer({
    onRequest: (socket) => setTimeout(() => socket.write(answer(200, '{}')), 100),
  });
  const line = openConnections({ origin: server.url, connections: 2, deadlineMs: 5_000 });
  let answered = false;
  line.exchange('/one', '{}', { settle: () => (answered = true) });
  await line.close();
  expect(answered).toBe(true);
});

test('only HTTP/1.1 is offered: over HTTP/2 a message that may have arrived would be sent again', async () => {
  const offered: string[][] = [];
  await using server = await startRawServer({ tls: recordingOffers(offered) });
  const line = openConnections({ origin: server.url, connections: 1, deadlineMs: 5_000 });
  // The name of its certificate is another, which is seen when this has been asked.
  expect(await line.post('/', '{}')).toMatchObject({ started: false });
  expect(offered).toEqual([['http/1.1']]);
  await line.destroy();
});
