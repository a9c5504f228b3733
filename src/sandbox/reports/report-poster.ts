import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../options.ts';
import type { AcceptedEntry, ReportEntry } from '../truth/truth-entry.ts';
import { planReports, type PlannedReport } from './report-plan.ts';
import { wireReport } from './report-shapes.ts';
import { type PostCounts, type PostEnd, WebhookPoster } from './webhook-poster.ts';

const CONNECTIONS = 32;
const MOST_EARLY_MS = 5_000;

interface WaitingReport {
  message: AcceptedEntry;
  /** Index in the planned reports of the message. */
  step: number;
  report: PlannedReport;
}

interface PosterOptions {
  settings: Settings;
  record: (entry: ReportEntry) => void;
}

/** Plans and posts the delivery reports of accepted messages. */
export class ReportPoster {
  readonly #settings: Settings;
  readonly #webhook: WebhookPoster<WaitingReport>;

  constructor({ settings, record }: PosterOptions) {
    this.#settings = settings;
    this.#webhook = new WebhookPoster({
      settings,
      connections: CONNECTIONS,
      wire: ({ message, report }) => wireReport({ message, report, at: Date.now() }),
      record: (waiting, end) => {
        record(entryOf(waiting, end));
      },
    });
  }

  get counts(): PostCounts {
    return this.#webhook.counts;
  }

  /** Sets or clears the address. Reports that waited for one go out. */
  setWebhook(url: string | null): void {
    this.#webhook.setWebhook(url);
  }

  /**
   * Plans the reports of an accepted message. Resolves when the send may be answered: at once, or after the
   * webhook took an early report (5 seconds at most).
   */
  async schedule(message: AcceptedEntry, { firstNow }: { firstNow: boolean }): Promise<void> {
    const { early, reports } = planReports(this.#settings, message);
    const [first, ...others] = reports.map((report, step) => ({ message, step, report }));
    if (first === undefined) return;
    for (const waiting of others) this.#add(waiting);
    if (!early && !firstNow) this.#add(first);
    else await Promise.race([this.#webhook.postNow(first), sleep(MOST_EARLY_MS, undefined, { ref: false })]);
  }

  /** Plans the reports of a message from before a restart, except the steps that ended. */
  resume(message: AcceptedEntry, ended: ReadonlySet<number>): void {
    for (const [step, report] of planReports(this.#settings, message).reports.entries())
      if (!ended.has(step)) this.#add({ message, step, report });
  }

  /** Stops posting. The next start plans waiting reports again. */
  stop(): void {
    this.#webhook.stop();
  }

  #add(waiting: WaitingReport): void {
    this.#webhook.add(waiting, waiting.message.at + waiting.report.afterMs);
  }
}

function entryOf({ message, step, report }: WaitingReport, end: PostEnd): ReportEntry {
  return {
    event: 'report',
    at: Date.now(),
    serial: message.serial,
    step,
    messageid: message.messageid,
    outcome: report.outcome,
    shape: report.shape,
    ...end,
  };
}
