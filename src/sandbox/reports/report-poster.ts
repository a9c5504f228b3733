import type { Settings } from '../options.ts';
import { messageId } from '../api/message-ids.ts';
import { PendingReports, type PendingReport } from './pending-reports.ts';
import { createReportClient, type ReportClient } from './report-client.ts';
import { planReports, type PlannedReport } from './report-plan.ts';
import { wireReport } from './report-shapes.ts';
import type { ReportEntry } from '../truth/truth-entry.ts';

const CONNECTIONS = 32;
const MOST_WAIT_MS = 30_000;
const TICK_MS = 5;

/** A message whose reports are to come. */
export interface ReportedMessage {
  serial: number;
  idSerial: number;
  mobile: string;
  acceptedAt: number;
  /** Its receiver had said STOP. */
  optedOut: boolean;
}

/** What became of the reports so far. */
export interface ReportCounts {
  taken: number;
  givenUp: number;
  lost: number;
  /** Waiting for their time, or for a webhook address. */
  pending: number;
}

/** What the poster needs to know and to tell. */
export interface PosterOptions {
  settings: Settings;
  networkOf: (mobile: string) => string;
  record: (entry: ReportEntry) => void;
}

/**
 * Delivers the reports: each at its time, at most 32 at once, again until the webhook answers 2xx or the tries are used
 * up. Without a webhook address they wait. How each one ended is recorded after it ended: a kill in between makes the
 * next start post it once more, as a real service would.
 */
export class ReportPoster {
  readonly #options: PosterOptions;
  readonly #pending: PendingReports;
  readonly #counts = { taken: 0, givenUp: 0, lost: 0 };
  #client: ReportClient | null = null;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires; Infinity: none is set. */
  #wakesAt = Infinity;
  #stopped = false;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#pending = new PendingReports(options.settings.maxPendingReports);
  }

  get counts(): ReportCounts {
    return { ...this.#counts, pending: this.#pending.size + this.#inFlight };
  }

  /** Sets or clears the address. What has waited for one goes out. */
  setWebhook(url: string | null): void {
    this.#client?.close();
    this.#client = url === null ? null : createReportClient(url);
    this.#pump();
  }

  /**
   * Plans the reports of an accepted message, but for the steps in `done`. True: the first one is left out too, for the
   * plan (or `firstNow`) wants it posted before the answer: call `postFirst`.
   */
  schedule(message: ReportedMessage, how: { firstNow: boolean; done?: ReadonlySet<number> }): boolean {
    const plan = this.plan(message);
    const firstNow = (plan.early || how.firstNow) && how.done === undefined;
    for (const [step, report] of plan.reports.entries()) {
      if ((step === 0 && firstNow) || how.done?.has(step) === true) continue;
      this.#add({ ...message, step, tries: 0, dueAt: message.acceptedAt + report.afterMs });
    }
    this.#wakeAtNext();
    return firstNow;
  }

  /** Posts the first report at once. Resolves when the webhook has answered; a failure is tried again later. */
  async postFirst(message: ReportedMessage): Promise<void> {
    if (this.plan(message).reports.length === 0) return;
    const first: PendingReport = { ...message, step: 0, tries: 0, dueAt: message.acceptedAt };
    if (this.#client === null) this.#add(first);
    else await this.#post(first, this.#client);
  }

  /** What will be reported of a message. */
  plan(message: ReportedMessage): ReturnType<typeof planReports> {
    return planReports(this.#options.settings, message);
  }

  /** Stops posting. What waits is planned again by the next start. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#client?.close();
  }

  #add(report: PendingReport): void {
    if (this.#pending.push(report)) return;
    this.#counts.lost += 1;
    this.#record(report, { result: 'lost', httpStatus: null });
  }

  #pump(): void {
    if (this.#stopped || this.#client === null) return;
    const now = Date.now();
    while (this.#inFlight < CONNECTIONS && this.#pending.nextDueAt <= now) {
      const report = this.#pending.pop();
      if (report !== null) void this.#post(report, this.#client);
    }
    this.#wakeAtNext();
  }

  #wakeAtNext(): void {
    if (this.#stopped || this.#client === null || this.#inFlight >= CONNECTIONS) return;
    const now = Date.now();
    const wakeAt = Math.max(this.#pending.nextDueAt, now + TICK_MS);
    if (wakeAt === Infinity || wakeAt > this.#wakesAt - TICK_MS) return;
    clearTimeout(this.#timer);
    this.#wakesAt = wakeAt;
    this.#timer = setTimeout(() => {
      this.#wakesAt = Infinity;
      this.#pump();
    }, wakeAt - now);
  }

  async #post(report: PendingReport, client: ReportClient): Promise<void> {
    this.#inFlight += 1;
    const status = await client.post(wireReport(this.#factsOf(report)));
    this.#inFlight -= 1;
    if (this.#stopped) return;
    report.tries += 1;
    this.#settle(report, status);
    this.#pump();
  }

  #settle(report: PendingReport, httpStatus: number | null): void {
    if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
      this.#counts.taken += 1;
      this.#record(report, { result: 'taken', httpStatus });
    } else if (report.tries >= this.#options.settings.reportTries) {
      this.#counts.givenUp += 1;
      this.#record(report, { result: 'given_up', httpStatus });
    } else {
      const wait = Math.min(this.#options.settings.reportRetryMs * 2 ** (report.tries - 1), MOST_WAIT_MS);
      this.#add({ ...report, dueAt: Date.now() + wait });
    }
  }

  #record(report: PendingReport, end: Pick<ReportEntry, 'result' | 'httpStatus'>): void {
    const { serial, step, tries } = report;
    const { outcome, shape } = this.#planned(report);
    const messageid = messageId(report.idSerial);
    this.#options.record({
      event: 'report',
      at: Date.now(),
      serial,
      step,
      messageid,
      outcome,
      shape,
      tries,
      ...end,
    });
  }

  #factsOf(report: PendingReport): Parameters<typeof wireReport>[0] {
    return {
      messageid: messageId(report.idSerial),
      mobile: report.mobile,
      network: this.#options.networkOf(report.mobile),
      report: this.#planned(report),
      acceptedAt: report.acceptedAt,
      at: Date.now(),
    };
  }

  #planned(report: PendingReport): PlannedReport {
    const planned = this.plan(report).reports[report.step];
    if (planned === undefined) throw new Error(`Message ${report.serial} has no report ${report.step}.`);
    return planned;
  }
}
