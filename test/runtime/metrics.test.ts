import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { CampaignOverview, HeldNetwork } from '../../src/ledger/contracts/reader.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { ROOT } from '../support/processes.ts';

const NO_MESSAGES = {
  queued: 0,
  sending: 0,
  sent: 0,
  rejected: 0,
  uncertain: 0,
  skipped: 0,
  canceled: 0,
  written_off: 0,
};

function overview(id: string, fields: Partial<CampaignOverview>): CampaignOverview {
  return {
    campaign: { id, name: id } as Campaign,
    state: 'running',
    reason: null,
    messages: NO_MESSAGES,
    takenBack: 0,
    startedAt: null,
    finishedAt: null,
    spentMicro: 0,
    budgetMicro: null,
    sentLast10s: 0,
    lastSentAt: null,
    ...fields,
  };
}

const HELD: HeldNetwork = {
  network: '2',
  cause: 'delivery',
  probing: false,
  since: 0,
  until: 1,
  why: 'failing',
};
/** What a ledger without readings and reports says. */
const NOTHING_ELSE = {
  accounts: async () => [],
  lastReading: async () => null,
  lastReportAt: async () => null,
};
const WEBHOOKS = { report: 5, reply: 1, other: 0, notUnderstood: 2, new: 3, waiting: 4 };

describe('metrics', () => {
  it('count what the parts of the process tell them', async () => {
    const metrics = createMetrics({});
    metrics.sent('accepted');
    metrics.sent('unknown');
    metrics.requested('stored');
    metrics.committed(4);
    const report = { messageId: '1', word: '', reason: null, mobile: null, network: null, at: null };
    metrics.processed({
      kind: 'report',
      reports: [
        { ...report, delivery: 'delivered' },
        { ...report, delivery: null },
      ],
    });
    const { contentType, body } = await metrics.render();
    expect(contentType).toContain('text/plain');
    for (const line of [
      'tuma_sends_total{outcome="accepted"} 1',
      'tuma_sends_total{outcome="unknown"} 1',
      'tuma_webhook_requests_total{result="stored"} 1',
      'tuma_reports_total{delivery="delivered"} 1',
      'tuma_reports_total{delivery="unknown_word"} 1',
      'tuma_ledger_commit_seconds_count 1',
      'tuma_ledger_commit_seconds_bucket{le="0.005"} 1',
    ])
      expect(body.split('\n')).toContain(line);
    expect(body).toContain('process_cpu_seconds_total');
  });

  it('show the ledger, the queue and the worker as they are at the moment', async () => {
    const campaigns = [
      overview('c-1', { messages: { ...NO_MESSAGES, queued: 10, sent: 5 }, networks: [HELD] }),
      overview('c-2', { state: 'paused', reason: 'balance', messages: { ...NO_MESSAGES, queued: 1 } }),
      overview('c-3', { state: 'finished', messages: { ...NO_MESSAGES, sent: 100, written_off: 7 } }),
    ];
    const metrics = createMetrics({
      queueSize: async () => 7,
      worker: () => ({ inFlight: 3, waitMs: 1_500 }),
      reader: {
        campaigns: async () => campaigns,
        webhookCounts: async () => WEBHOOKS,
        accounts: async () => ['acc'],
        lastReading: async () => ({ at: 0, creditMicro: 9_997_600_000, chargedSinceMicro: 0 }),
        lastReportAt: async () => 30_000,
      },
      now: () => 90_000,
      freeBytes: () => 5_000,
    });
    const lines = (await metrics.render()).body.split('\n');
    for (const line of [
      'tuma_queue_jobs 7',
      'tuma_requests_in_flight 3',
      'tuma_provider_hold_seconds 1.5',
      'tuma_networks_held 1',
      'tuma_messages{state="queued"} 11',
      'tuma_messages{state="sent"} 105',
      'tuma_campaigns{state="paused",reason="balance"} 1',
      'tuma_campaign_messages{campaign="c-1",state="sent"} 5',
      'tuma_webhooks{kind="not_understood"} 2',
      'tuma_credit{account="acc"} 9997.6',
      'tuma_last_report_age_seconds 60',
      'tuma_ledger_disk_free_bytes 5000',
    ])
      expect(lines).toContain(line);
    expect(lines.some((line) => line.includes('c-3') || line.includes('written_off'))).toBe(false);
  });

  it('are not added up when somebody scrapes while the ledger still counts', async () => {
    const counting = Promise.withResolvers<CampaignOverview[]>();
    const campaigns = () => counting.promise;
    const metrics = createMetrics({
      reader: { campaigns, webhookCounts: async () => WEBHOOKS, ...NOTHING_ELSE },
    });
    const scrapes = [metrics.render(), metrics.render()];
    counting.resolve([overview('c-1', { messages: { ...NO_MESSAGES, queued: 10 } })]);
    for (const { body } of await Promise.all(scrapes)) {
      const lines = body.split('\n');
      for (const line of ['tuma_messages{state="queued"} 10', 'tuma_campaigns{state="running",reason=""} 1'])
        expect(lines).toContain(line);
    }
  });

  it('are not shown as they were once when they cannot be read any more', async () => {
    const answers = [Promise.resolve([overview('c-1', {})]), Promise.reject(new Error('the ledger is busy'))];
    for (const answer of answers) answer.catch(() => undefined);
    const campaigns = async () => answers.shift() ?? [];
    const metrics = createMetrics({
      reader: { campaigns, webhookCounts: async () => WEBHOOKS, ...NOTHING_ELSE },
    });
    expect((await metrics.render()).body).toContain('tuma_networks_held 0');
    const { body } = await metrics.render();
    expect(body).not.toMatch(/^tuma_(?:messages|campaigns|webhooks|networks_held)\b.* \d+$/m);
  });

  it('do not call zero what is not known', async () => {
    const { body } = await createMetrics({}).render();
    const none = await createMetrics({ worker: () => null, queueSize: async () => null }).render();
    for (const text of [body, none.body])
      expect(text).not.toMatch(
        /^tuma_(?:queue_jobs|requests_in_flight|provider_hold_seconds|networks_held|messages) /m,
      );
  });

  it('are shown without what cannot be read', async () => {
    const metrics = createMetrics({
      queueSize: () => Promise.reject(new Error('Redis is away')),
      reader: {
        campaigns: () => Promise.reject(new Error('the ledger is busy')),
        webhookCounts: async () => WEBHOOKS,
        ...NOTHING_ELSE,
      },
    });
    const lines = (await metrics.render()).body.split('\n');
    expect(lines.some((line) => line.startsWith('tuma_queue_jobs '))).toBe(false);
    expect(lines.some((line) => /^tuma_(?:networks_held|webhooks)\b.*\d$/.test(line))).toBe(false);
  });
});

/** Every expression of the alert rules and of the dashboard. */
function queries(): string[] {
  const rules = parse(readFileSync(join(ROOT, 'deploy/prometheus-rules.yaml'), 'utf8')) as {
    groups: { rules: { expr: string }[] }[];
  };
  const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return [
    ...rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr)),
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

it('each metric and label of the alert rules and of the dashboard is one that /metrics has', async () => {
  const { body } = await createMetrics({}).render();
  const metrics = new Set([...body.matchAll(/^# HELP (tuma_\w+)/gm)].map(([, name]) => name));
  const labels = new Map([
    ['tuma_sends_total', ['outcome']],
    ['tuma_campaigns', ['state', 'reason']],
    ['tuma_campaign_messages', ['campaign', 'state']],
    ['tuma_messages', ['state']],
    ['tuma_webhooks', ['kind']],
    ['tuma_webhook_requests_total', ['result']],
    ['tuma_reports_total', ['delivery']],
    ['tuma_credit', ['account']],
    ['tuma_ledger_commit_seconds', ['le']],
  ]);
  const used = queries();
  expect(used.length).toBeGreaterThan(20);
  for (const query of used) {
    const named = [...query.matchAll(/tuma_\w+?(?=_bucket\b|\b)/g)].map(([name]) => name);
    expect(named.length, query).toBeGreaterThan(0);
    for (const name of named) expect(metrics, query).toContain(name);
    const known = named.flatMap((name) => labels.get(name) ?? []);
    const wanted = [...query.matchAll(/(?:by \(|\{|, ?)(\w+)(?=[=!,)])/g)].map(([, label = '']) => label);
    for (const label of wanted) expect(known, query).toContain(label);
  }
});
