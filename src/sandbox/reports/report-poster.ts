import type { Settings } from '../options.ts';
import { messageId } from '../api/message-ids.ts';
import { planReports, type PlannedReport } from './report-plan.ts';
import { wireReport } from './report-shapes.ts';
import { WebhookPoster, type PostCounts, type PostEnd } from './webhook-poster.ts';
import type { ReportEntry } from '../truth/truth-entry.ts';

const CONNECTIONS = 32;

/** A message whose reports are to come. */
export interface ReportedMessage {
  serial: number;
  /** The serial whose id the reports carry; another message's after `200_dup_id`. */
  idSerial: number;
  mobile: string;
  acceptedAt: number;
  /** Its receiver had said STOP. */
  optedOut: boolean;
}

/** One report; its content is planned again from the message when it is due. */
type WaitingReport = ReportedMessage & { step: number };

interface PosterOptions {
  settings: Settings;
  networkOf: (mobile: string) => string;
  record: (entry: ReportEntry) => void;
}

/** Plans and posts the delivery reports of accepted messages. */
export class ReportPoster {
  readonly #options: PosterOptions;
  readonly #webhook: WebhookPoster<WaitingReport>;

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#webhook = new WebhookPoster({
      settings: options.settings,
      connections: CONNECTIONS,
      wire: (report) => this.#wire(report),
      record: (report, end) => {
        this.#record(report, end);
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
   * Plans the reports of an accepted message, except the steps in `done`. Answers true when the first report belongs before
   * the answer; then the caller calls `postFirst`.
   */
  schedule(message: ReportedMessage, how: { firstNow: boolean; done?: ReadonlySet<number> }): boolean {
    const plan = planReports(this.#options.settings, message);
    const firstNow = (plan.early || how.firstNow) && how.done === undefined;
    for (const [step, report] of plan.reports.entries()) {
      if ((step === 0 && firstNow) || how.done?.has(step) === true) continue;
      this.#webhook.add(waiting(message, step), message.acceptedAt + report.afterMs);
    }
    return firstNow;
  }

  /** Posts the first report at once. Resolves after the webhook's answer; a failure is tried again later. */
  async postFirst(message: ReportedMessage): Promise<void> {
    if (planReports(this.#options.settings, message).reports.length === 0) return;
    await this.#webhook.postNow(waiting(message, 0));
  }

  /** Stops posting. The next start plans waiting reports again. */
  stop(): void {
    this.#webhook.stop();
  }

  #record(report: WaitingReport, end: PostEnd): void {
    const { serial, idSerial, step } = report;
    const { outcome, shape } = this.#planned(report);
    const messageid = messageId(idSerial);
    this.#options.record({
      event: 'report',
      at: Date.now(),
      serial,
      step,
      messageid,
      outcome,
      shape,
      ...end,
    });
  }

  #wire(report: WaitingReport): ReturnType<typeof wireReport> {
    const { idSerial, mobile, acceptedAt } = report;
    return wireReport({
      messageid: messageId(idSerial),
      mobile,
      network: this.#options.networkOf(mobile),
      report: this.#planned(report),
      acceptedAt,
      at: Date.now(),
    });
  }

  #planned(report: WaitingReport): PlannedReport {
    const planned = planReports(this.#options.settings, report).reports[report.step];
    if (planned === undefined) throw new Error(`Message ${report.serial} has no report ${report.step}.`);
    return planned;
  }
}

/** Keeps only the fields that a report needs, because a million of them may wait. */
function waiting({ serial, idSerial, mobile, acceptedAt, optedOut }: ReportedMessage, step: number) {
  return { serial, idSerial, mobile, acceptedAt, optedOut, step };
}
