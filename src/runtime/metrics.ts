import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { UnderstoodWebhook } from '../campaign/inbound/record-report.ts';
import { Gauges, type GaugeSources } from './gauges.ts';

/** What the parts of a process count, and how it is written out. Handed down as plain functions. */
export interface Metrics {
  /** Of the worker: a claim, or the outcome of a send. */
  counted(event: string, count: number): void;
  /** Of the collector: what became of a request. */
  requested(event: string): void;
  /** Of the report loop: a webhook that was read, and reports that found their message late. */
  processed(webhook: UnderstoodWebhook): void;
  joined(count: number): void;
  /** Of the ledger: one commit and how many operations it made durable. */
  committed(ms: number, operations: number): void;
  /** The text for Prometheus. */
  render(): Promise<{ contentType: string; body: string }>;
}

/** From a fast disk's fsync to a lock that another process holds. */
const COMMIT_BUCKETS_SECONDS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Makes a registry of its own, with the process's own figures in it. */
export function createMetrics(sources: GaugeSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counters = makeCounters([registry]);
  const gauges = new Gauges(registry, sources);
  const requests = byLabel((result) => counters.requests.labels({ result }));
  const answers = byLabel((outcome) => counters.answers.labels({ outcome }));
  return {
    counted: (event, count) =>
      event === 'claimed' ? counters.claimed.inc(count) : answers(event).inc(count),
    requested: (result) => requests(result).inc(),
    processed: ({ kind, reports }) => {
      counters.processed.inc({ kind });
      for (const { delivery } of reports) counters.reports.inc({ delivery: delivery ?? 'unknown_word' });
    },
    joined: (count) => counters.joined.inc(count),
    committed: (ms, operations) => {
      counters.commits.observe(ms / 1_000);
      counters.operations.inc(operations);
    },
    render: async () => {
      await gauges.refresh();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** Counted for every message: looking a label up costs more than counting. */
function byLabel<Child>(make: (label: string) => Child): (label: string) => Child {
  const children = new Map<string, Child>();
  return (label) => {
    const child = children.get(label) ?? make(label);
    children.set(label, child);
    return child;
  };
}

function makeCounters(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  return {
    claimed: counter('tuma_messages_claimed_total', 'Messages claimed for sending by this process.'),
    answers: counter('tuma_sends_total', 'Sends that got their verdict, by outcome.', ['outcome']),
    requests: counter(
      'tuma_webhook_requests_total',
      'Requests to the collector, by what became of them; only `stored` was acknowledged.',
      ['result'],
    ),
    processed: counter('tuma_webhooks_read_total', 'Raw webhooks read, by kind.', ['kind']),
    reports: counter('tuma_reports_total', 'Delivery reports read, by what they say.', ['delivery']),
    joined: counter(
      'tuma_reports_joined_late_total',
      'Reports that came before their message was known and were joined later.',
    ),
    operations: counter('tuma_ledger_operations_total', 'Operations that the ledger made durable.'),
    commits: new Histogram({
      name: 'tuma_ledger_commit_seconds',
      help: 'Time that a commit of the ledger took.',
      buckets: COMMIT_BUCKETS_SECONDS,
      registers,
    }),
  };
}
