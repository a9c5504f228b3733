import { Gauge, type Registry } from 'prom-client';
import type { CampaignOverview, LedgerReader } from '../ledger/contracts/reader.ts';

/** The gauges of a worker: requests on the wire, and how long the provider is left in peace. */
export interface WorkerGauges {
  inFlight: number;
  waitMs: number;
}

/** The sources of the gauges. /metrics omits the gauges of a source that is null in this process. */
export interface GaugeSources {
  worker?: () => WorkerGauges | null;
  queueSize?: () => Promise<number | null>;
  reader?: Pick<LedgerReader, 'campaigns' | 'webhookCounts' | 'accounts' | 'lastReading' | 'lastReportAt'>;
  /** UTC milliseconds; for ages. */
  now?: () => number;
  /** The free space of the ledger's disk. */
  freeBytes?: () => number;
}

/** Campaigns with rows of their own; the totals cover all. */
const MOST_CAMPAIGNS = 50;

/** Values that are looked up at each scrape. */
export class Gauges {
  readonly #sources: GaugeSources;
  readonly #registry: Registry;
  readonly #inFlight: Gauge;
  readonly #hold: Gauge;
  readonly #queue: Gauge;
  readonly #networks: Gauge;
  readonly #messages: Gauge;
  readonly #campaigns: Gauge;
  readonly #campaignMessages: Gauge;
  readonly #webhooks: Gauge;
  readonly #credit: Gauge;
  readonly #free: Gauge;
  readonly #reportAge: Gauge;

  constructor(registry: Registry, sources: GaugeSources) {
    this.#registry = registry;
    this.#sources = sources;
    this.#inFlight = this.#gauge(
      'tuma_requests_in_flight',
      'Requests to the provider on the wire, of this process.',
    );
    this.#hold = this.#gauge(
      'tuma_provider_hold_seconds',
      'How long the breaker or a throttle still holds this process back.',
    );
    this.#queue = this.#gauge('tuma_queue_jobs', 'Batches waiting, delayed or active in Redis.');
    this.#networks = this.#gauge(
      'tuma_networks_held',
      'Networks whose messages wait, of campaigns that are open.',
    );
    this.#messages = this.#gauge('tuma_messages', 'Messages in the ledger, by state.', ['state']);
    this.#campaigns = this.#gauge(
      'tuma_campaigns',
      'Campaigns in the ledger, by state and reason of the pause.',
      ['state', 'reason'],
    );
    this.#campaignMessages = this.#gauge(
      'tuma_campaign_messages',
      'Messages of the campaigns that are not settled, by state.',
      ['campaign', 'state'],
    );
    this.#webhooks = this.#gauge(
      'tuma_webhooks',
      'Raw webhooks in the ledger, by kind; `new` was not read yet.',
      ['kind'],
    );
    this.#credit = this.#gauge('tuma_credit', 'Credit of the account at its last reading, in its currency.', [
      'account',
    ]);
    this.#free = this.#gauge('tuma_ledger_disk_free_bytes', "Free space of the ledger's disk.");
    this.#reportAge = this.#gauge(
      'tuma_last_report_age_seconds',
      'How long ago the last delivery report arrived.',
    );
  }

  /** Looks everything up. Never rejects: a value that cannot be read is not shown. */
  async refresh(): Promise<void> {
    const working = this.#sources.worker?.() ?? null;
    show(this.#inFlight, working && working.inFlight);
    show(this.#hold, working && working.waitMs / 1_000);
    const [size] = await Promise.all([
      this.#sources.queueSize?.().catch(() => null) ?? null,
      this.#refreshLedger().catch(() => this.#forgetLedger()),
    ]);
    show(this.#queue, size);
    show(this.#free, this.#sources.freeBytes?.() ?? null);
  }

  async #refreshLedger(): Promise<void> {
    const { reader } = this.#sources;
    if (reader === undefined) return;
    const [campaigns, webhooks, credits, reportAt] = await Promise.all([
      reader.campaigns(),
      reader.webhookCounts(),
      creditsOf(reader),
      reader.lastReportAt(),
    ]);
    // Only now, because the sums are added up and another scrape may show them meanwhile.
    this.#forgetLedger();
    const { waiting: _, notUnderstood, ...kinds } = webhooks;
    for (const [kind, count] of Object.entries({ ...kinds, not_understood: notUnderstood }))
      this.#webhooks.set({ kind }, count);
    this.#networks.set(heldNetworks(campaigns));
    this.#setCampaigns(campaigns);
    for (const { account, creditMicro } of credits) this.#credit.set({ account }, creditMicro / 1_000_000);
    const now = this.#sources.now?.() ?? null;
    show(this.#reportAge, reportAt === null || now === null ? null : Math.max(0, now - reportAt) / 1_000);
  }

  #setCampaigns(campaigns: CampaignOverview[]): void {
    let open = 0;
    for (const { campaign, state, reason, messages } of campaigns) {
      this.#campaigns.inc({ state, reason: reason ?? '' });
      const { written_off: _, ...states } = messages;
      const shown = state !== 'finished' && state !== 'canceled' && ++open <= MOST_CAMPAIGNS;
      for (const [state, count] of Object.entries(states)) {
        this.#messages.inc({ state }, count);
        if (shown) this.#campaignMessages.set({ campaign: campaign.id, state }, count);
      }
    }
  }

  #forgetLedger(): void {
    for (const gauge of [
      this.#messages,
      this.#campaigns,
      this.#campaignMessages,
      this.#webhooks,
      this.#credit,
    ])
      gauge.reset();
    this.#networks.remove();
    this.#reportAge.remove();
  }

  #gauge(name: string, help: string, labelNames: string[] = []): Gauge {
    const gauge = new Gauge({ name, help, labelNames, registers: [this.#registry] });
    // A new gauge without labels claims to be zero.
    if (labelNames.length === 0) gauge.remove();
    return gauge;
  }
}

/** The last reading of each account. */
async function creditsOf(
  reader: Pick<LedgerReader, 'accounts' | 'lastReading'>,
): Promise<{ account: string; creditMicro: number }[]> {
  const accounts = await reader.accounts();
  const readings = await Promise.all(accounts.map(async (account) => reader.lastReading(account)));
  return readings.flatMap((reading, at) =>
    reading === null ? [] : { account: accounts[at] ?? '', creditMicro: reading.creditMicro },
  );
}

function show(gauge: Gauge, value: number | null): void {
  if (value === null) gauge.remove();
  else gauge.set(value);
}

/** Counts a network once, though several campaigns may hold it. */
function heldNetworks(campaigns: CampaignOverview[]): number {
  return new Set(campaigns.flatMap(({ networks = [] }) => networks.map(({ network }) => network))).size;
}
