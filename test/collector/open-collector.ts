import { onTestFinished } from 'vitest';
import type { CollectorEvent } from '../../src/collector/routes.ts';
import { type CollectorOptions, startCollector } from '../../src/collector/server.ts';
import { FakeStore, MemoryLog } from './fake-store.ts';

/** A collector on a free port, with a store, a log and events in memory; closed when the test is finished. */
export async function openCollector(options: Partial<CollectorOptions> & Pick<CollectorOptions, 'tokens'>) {
  const store = new FakeStore();
  const log = new MemoryLog();
  const events: CollectorEvent[] = [];
  const collector = await startCollector({
    host: '127.0.0.1',
    port: 0,
    store: store.store,
    tryStore: store.tryStore,
    answer: 'OK',
    log,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  onTestFinished(() => collector.close());
  const url = `${collector.url}/webhooks/${options.tokens[0]}`;
  return { collector, store, log, events, url };
}
