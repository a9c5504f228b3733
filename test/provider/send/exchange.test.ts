import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Exchange, type Reply } from '../../../src/provider/send/exchange.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begin() {
  const settled: Reply[] = [];
  const exchange = new Exchange(1_000, (reply) => void settled.push(reply));
  const aborted: Error[] = [];
  const controller = {
    abort(reason: Error) {
      aborted.push(reason);
      exchange.onResponseError(controller, reason);
    },
  } as unknown as Dispatcher.DispatchController;
  return { exchange, controller, settled, aborted };
}

describe('the marker', () => {
  test('is false until undici says that it writes the request', () => {
    const { exchange, controller } = begin();
    expect(exchange.started).toBe(false);
    exchange.onRequestStart(controller);
    expect(exchange.started).toBe(true);
  });

  test('stays false when the deadline came first, and the write is forbidden', () => {
    const { exchange, controller, settled, aborted } = begin();
    vi.advanceTimersByTime(1_000);
    expect(settled).toMatchObject([{ started: false, overdue: true }]);
    exchange.onRequestStart(controller);
    expect(aborted).toHaveLength(1);
    expect(exchange.started).toBe(false);
    expect(settled).toHaveLength(1);
  });

  test.each([
    ['wall clock', () => void vi.setSystemTime(Date.now() + 1_000)],
    ['monotonic clock', () => void vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_000)],
  ])(
    'stays false when the process stood still until its deadline, by its %s, and no timer has run yet [A15]',
    (_, stood) => {
      const { exchange, controller, settled, aborted } = begin();
      stood();
      exchange.onRequestStart(controller);
      vi.restoreAllMocks();
      expect(aborted).toHaveLength(1);
      expect(settled).toMatchObject([{ started: false }]);
    },
  );

  test('a request that undici wants to write a second time is aborted and stays maybe sent', () => {
    const { exchange, controller, settled, aborted } = begin();
    exchange.onRequestStart(controller);
    exchange.onRequestStart(controller);
    expect(aborted).toHaveLength(1);
    expect(settled).toMatchObject([{ started: true }]);
  });

  test('survives an error that comes without a controller, as from a connection that is closed already', () => {
    const { exchange, settled } = begin();
    exchange.onResponseError(null, new Error('destroyed'));
    expect(settled).toMatchObject([{ started: false, overdue: false, encoded: false }]);
  });

  test('stays false when its failure was told before, and the write is forbidden', () => {
    const { exchange, controller, aborted } = begin();
    exchange.onResponseError(null, new Error('destroyed'));
    exchange.onRequestStart(controller);
    expect(aborted).toHaveLength(1);
    expect(exchange.started).toBe(false);
  });
});

test('the deadline tears a running request down, once, and a late answer changes nothing', () => {
  const { exchange, controller, settled, aborted } = begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, {});
  vi.advanceTimersByTime(1_000);
  // The sockets are read once more first.
  expect(settled).toEqual([]);
  vi.runOnlyPendingTimers();
  expect(aborted).toHaveLength(1);
  expect(settled).toMatchObject([{ started: true, overdue: true, status: 200 }]);
  exchange.onResponseEnd();
  expect(settled).toHaveLength(1);
  expect(exchange.error).not.toBeNull();
});

test('an answer that lay in the sockets at the deadline is one, and its connection is left alone', () => {
  const { exchange, controller, settled, aborted } = begin();
  exchange.onRequestStart(controller);
  vi.advanceTimersByTime(1_000);
  exchange.onResponseStart(controller, 200, {});
  exchange.onResponseEnd();
  vi.runOnlyPendingTimers();
  expect(settled).toMatchObject([{ error: null, overdue: false, encoded: false }]);
  expect(aborted).toEqual([]);
});

test('an answer stops the clock', () => {
  const { exchange, controller, settled } = begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, {});
  exchange.onResponseEnd();
  expect(vi.getTimerCount()).toBe(0);
  expect(settled).toMatchObject([{ error: null, overdue: false }]);
});

test('1xx is not the answer; a character cut in two by the network is put together again', () => {
  const { exchange, controller, settled } = begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 103, { 'retry-after': '9' });
  expect([exchange.status, exchange.retryAfter]).toEqual([null, null]);
  exchange.onResponseStart(controller, 200, { 'content-encoding': 'Identity', 'retry-after': ['7', '8'] });
  const bytes = Buffer.from('Asanté');
  exchange.onResponseData(controller, bytes.subarray(0, -1));
  exchange.onResponseData(controller, bytes.subarray(-1));
  exchange.onResponseEnd();
  expect(settled).toMatchObject([{ status: 200, retryAfter: '7', encoded: false, body: 'Asanté' }]);
});

test.each<[headers: Record<string, string>, isSaid: boolean]>([
  [{ 'content-length': '6' }, true],
  [{ 'transfer-encoding': 'chunked' }, true],
  [{ connection: 'close' }, false],
])('an answer with %j says where it ends: %s', (headers, isSaid) => {
  const { exchange, controller } = begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, headers);
  expect(exchange.endIsSaid).toBe(isSaid);
});

test.each([
  ['gzip', true],
  ['', false],
])('an answer in the encoding "%s" is encoded: %s', (encoding, encoded) => {
  const { exchange, controller } = begin();
  exchange.onRequestStart(controller);
  exchange.onResponseStart(controller, 200, { 'content-encoding': encoding });
  expect(exchange.encoded).toBe(encoded);
});
