import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { UnderstoodWebhook } from '../campaign/inbound/process-webhooks.ts';
import { Gauges, type GaugeSources } from './gauges.ts';

/** Plain functions by which the parts of a process count, and the text for Prometheus. */
export interface Metrics {
  /** Of the worker: a send with this outcome. */
  sent(outcome: string): void;
  /** Of the collector: a request with this result. */
  requested(result: string): void;
  /** Of the report loop: a webhook that was read. */
  processed(webhook: UnderstoodWebhook): void;
  /** Of the ledger: the time of one commit. */
  committed(ms: number): void;
  /** The text for Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

/** From a fast disk's fsync to a lock that another process holds. */
const COMMIT_BUCKETS_SECONDS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Makes a registry of its own, which also has the figures of the process. */
export function createMetrics(sources: GaugeSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauges = new Gauges(registry, sources);
  const counter = (name: string, help: string, label: string) =>
    new Counter({ name, help, labelNames: [label], registers: [registry] });
  const sends = counter('tuma_sends_total', 'Sends that got their verdict, by outcome.', 'outcome');
  const requests = counter(
    'tuma_webhook_requests_total',
    'Requests to the collector, by result; only `stored` was acknowledged.',
    'result',
  );
  const reports = counter('tuma_reports_total', 'Delivery reports read, by delivery.', 'delivery');
  const commits = new Histogram({
    name: 'tuma_ledger_commit_seconds',
    help: 'Time that a commit of the ledger took.',
    buckets: COMMIT_BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    sent: (outcome) => sends.inc({ outcome }),
    requested: (result) => requests.inc({ result }),
    processed: (webhook) => {
      for (const { delivery } of webhook.reports) reports.inc({ delivery: delivery ?? 'unknown_word' });
    },
    committed: (ms) => commits.observe(ms / 1_000),
    render: async () => {
      await gauges.refresh();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
