import { Counter, Gauge, type Registry } from 'prom-client';
import type { CampaignOverview, LedgerReader } from '../ledger/reader.ts';

/** What a worker tells: requests on the wire, messages claimed and unsettled, and how long the provider is left in peace. */
export interface WorkerGauges {
  inFlight: number;
  held: number;
  waitMs: number;
}

/** Where the gauges come from; what a process does not have (null) is left out of its /metrics. */
export interface GaugeSources {
  worker?: () => WorkerGauges | null;
  /** `TUMA_RATE`; null is unlimited. */
  accountRate?: number | null;
  queueSize?: () => Promise<number | null>;
  reader?: Pick<LedgerReader, 'campaigns' | 'webhookCounts' | 'pauses'>;
}

/** A source that takes longer is left out of that scrape. */
const SOURCE_DEADLINE_MS = 2_000;
/** The ledger is asked at most this often, however many scrape: counting millions of rows is not free. */
const LEDGER_EVERY_MS = 10_000;
/** Campaigns with rows of their own; the totals cover all. */
const MOST_CAMPAIGNS = 50;

/** The values that are looked up when somebody scrapes. */
export class Gauges {
  readonly #sources: GaugeSources;
  readonly #unread: Counter<'source'>;
  readonly #pauses: Counter<'reason'>;
  readonly #plain: Record<'inFlight' | 'held' | 'hold' | 'networks' | 'rate' | 'queue' | 'waiting', Gauge>;
  readonly #messages: Gauge<'state'>;
  readonly #campaigns: Gauge<'state' | 'reason'>;
  readonly #campaignMessages: Gauge<'campaign' | 'state'>;
  readonly #webhooks: Gauge<'kind'>;
  readonly #ofLedger: { reset(): void }[];
  /** The latest look at the ledger, under way or done: whoever scrapes meanwhile waits for the same one. */
  #ledgerRead: Promise<void> = Promise.resolve();
  /** When it was done; Infinity: it is under way. */
  #ledgerReadAt = -Infinity;

  constructor(registry: Registry, sources: GaugeSources) {
    this.#sources = sources;
    const registers = [registry];
    const plain = (name: string, help: string) => {
      const gauge = new Gauge({ name, help, registers });
      // A new gauge claims to be zero; this one is not known yet.
      gauge.remove();
      return gauge;
    };
    this.#unread = new Counter({
      name: 'tuma_metrics_unread_total',
      help: 'Scrapes that had to do without a source, by source.',
      labelNames: ['source'],
      registers,
    });
    this.#pauses = new Counter({
      name: 'tuma_pauses_total',
      help: 'Pauses of campaigns in the ledger, by reason.',
      labelNames: ['reason'],
      registers,
    });
    this.#plain = {
      inFlight: plain('tuma_requests_in_flight', 'Requests to the provider on the wire, of this process.'),
      held: plain('tuma_messages_held', 'Messages claimed and not settled, of this process.'),
      hold: plain(
        'tuma_provider_hold_seconds',
        'How long the breaker or a throttle still holds this process back.',
      ),
      networks: plain('tuma_networks_held', 'Networks whose messages wait, of campaigns that are open.'),
      rate: plain('tuma_rate_limit', 'Messages a second allowed on the account, over all workers.'),
      queue: plain('tuma_queue_jobs', 'Batches waiting, delayed or active in Redis.'),
      waiting: plain('tuma_reports_waiting', 'Reports whose message is not known yet.'),
    };
    this.#messages = new Gauge({
      name: 'tuma_messages',
      help: 'Messages in the ledger, by state.',
      labelNames: ['state'],
      registers,
    });
    this.#campaigns = new Gauge({
      name: 'tuma_campaigns',
      help: 'Campaigns in the ledger, by state and reason of the pause.',
      labelNames: ['state', 'reason'],
      registers,
    });
    this.#campaignMessages = new Gauge({
      name: 'tuma_campaign_messages',
      help: 'Messages of the campaigns that are not settled, by state.',
      labelNames: ['campaign', 'state'],
      registers,
    });
    this.#webhooks = new Gauge({
      name: 'tuma_webhooks',
      help: 'Raw webhooks in the ledger, by kind; `new` was not read yet.',
      labelNames: ['kind'],
      registers,
    });
    this.#ofLedger = [this.#messages, this.#campaigns, this.#campaignMessages, this.#webhooks, this.#pauses];
  }

  /** Looks everything up. Never rejects: what cannot be read is counted, and not shown rather than shown wrong. */
  async refresh(): Promise<void> {
    const { worker, accountRate } = this.#sources;
    if (accountRate !== undefined) this.#plain.rate.set(accountRate ?? Infinity);
    const working = worker?.() ?? null;
    show(this.#plain.inFlight, working?.inFlight);
    show(this.#plain.held, working?.held);
    show(this.#plain.hold, working && working.waitMs / 1_000);
    await Promise.all([
      this.#read('queue', {
        read: () => this.#readQueue(),
        forget: () => this.#plain.queue.remove(),
      }),
      this.#read('ledger', {
        read: () => this.#lookAtLedger(),
        forget: () => this.#forgetLedger(),
      }),
    ]);
  }

  async #readQueue(): Promise<void> {
    show(this.#plain.queue, await this.#sources.queueSize?.());
  }

  #lookAtLedger(): Promise<void> {
    const { reader } = this.#sources;
    const age = performance.now() - this.#ledgerReadAt;
    if (reader === undefined || age < LEDGER_EVERY_MS) return this.#ledgerRead;
    this.#ledgerReadAt = Infinity;
    this.#ledgerRead = this.#readLedger(reader).finally(() => {
      this.#ledgerReadAt = performance.now();
    });
    return this.#ledgerRead;
  }

  async #readLedger(reader: NonNullable<GaugeSources['reader']>): Promise<void> {
    const [campaigns, { waiting, notUnderstood, ...kinds }, pauses] = await Promise.all([
      reader.campaigns(),
      reader.webhookCounts(),
      reader.pauses(),
    ]);
    // Not before it is read: the sums are added up, and another scrape may be showing them meanwhile.
    this.#forgetLedger();
    for (const { reason, count } of pauses) this.#pauses.inc({ reason }, count);
    this.#plain.waiting.set(waiting);
    for (const [kind, count] of Object.entries({ ...kinds, not_understood: notUnderstood }))
      this.#webhooks.set({ kind }, count);
    this.#plain.networks.set(heldNetworks(campaigns));
    this.#setCampaigns(campaigns);
  }

  #forgetLedger(): void {
    for (const gauge of this.#ofLedger) gauge.reset();
    this.#plain.waiting.remove();
    this.#plain.networks.remove();
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

  async #read(
    source: string,
    { read, forget }: { read: () => Promise<void>; forget: () => void },
  ): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('too late')), SOURCE_DEADLINE_MS);
    });
    await Promise.race([read(), tooLate])
      .catch(() => {
        forget();
        this.#unread.inc({ source });
      })
      .finally(() => clearTimeout(timer));
  }
}

function show(gauge: Gauge, value: number | null | undefined): void {
  if (value === null || value === undefined) gauge.remove();
  else gauge.set(value);
}

/** A network counts once, whoever holds it: several campaigns may, by their reports, and each worker by its sends. */
function heldNetworks(campaigns: CampaignOverview[]): number {
  return new Set(campaigns.flatMap(({ networks = [] }) => networks.map(({ network }) => network))).size;
}
