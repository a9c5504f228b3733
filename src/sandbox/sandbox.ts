import type { Server } from 'node:http';
import { Account } from './api/account.ts';
import { Customers } from './customers/customers.ts';
import { createEndpoints } from './api/endpoints.ts';
import { faultsByRate, faultsByScript, noFaults, type Faults } from './faults/faults.ts';
import { readFaultScript } from './faults/fault-script.ts';
import { readAmount, writeAmount } from './money.ts';
import { settingsOf, type SandboxOptions, type Settings } from './options.ts';
import { ReportPoster } from './reports/report-poster.ts';
import type { PostCounts } from './reports/webhook-poster.ts';
import { SandboxError } from './sandbox-error.ts';
import { SendDesk, type SendCounts } from './api/send-desk.ts';
import { listen, type Handler } from './api/server.ts';
import { type Truth, readTruth } from './truth/truth.ts';
import { TruthLog } from './truth/truth-log.ts';
import { V2Access } from './api/v2-endpoints.ts';

/** All counts of the sandbox; money as decimal text. Counts of posts begin at zero with each start. */
export interface SandboxStats extends SendCounts {
  credit: string;
  charged: string;
  reports: PostCounts;
  /** Messages of customers. */
  inbound: PostCounts;
}

/** A running stand-in for the provider. */
export interface Sandbox {
  /** Base address for both hosts of the document, without a trailing slash. */
  url: string;
  port: number;
  /** Changes the address of reports. Reports that waited for an address go out. */
  setWebhook(url: string | null): void;
  /** Adds credit, such as "100.00". Resolves when it is recorded. */
  topUp(amount: string): Promise<void>;
  stats(): SandboxStats;
  /** Resolves (never rejects) with the reason when the truth log cannot be written; the sandbox is then stopped. */
  failed: Promise<SandboxError>;
  /** Ends all connections, also hanging ones, and closes the log. The next start posts the missing reports. */
  stop(): Promise<void>;
}

/**
 * Starts the stand-in for the provider (API document 4.1 to 4.4) and continues an existing truth log. Throws
 * a SandboxError for wrong options, a wrong script, an unusable log or a port in use.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = settingsOf(options);
  const faults = faultsOf(settings);
  const failure = Promise.withResolvers<SandboxError>();
  const truth = new TruthLog(settings.truthFile, failure.resolve);
  try {
    if (truth.isNew) await begin(settings, truth, failure.promise);
    const past = await readTruth(settings.truthFile);
    const running = new RunningSandbox({ settings, faults, truth, past, failed: failure.promise });
    await running.open();
    return running;
  } catch (problem) {
    truth.close();
    throw problem;
  }
}

interface RunningParts {
  settings: Settings;
  faults: Faults;
  truth: TruthLog;
  past: Truth;
  failed: Promise<SandboxError>;
}

/** Begins a new log. A full disk fails here instead of at the first message. */
async function begin(
  { startBalance: balance }: Settings,
  truth: TruthLog,
  failed: Promise<SandboxError>,
): Promise<void> {
  const written = Promise.withResolvers<null>();
  truth.append({ event: 'start', at: Date.now(), balance }, () => written.resolve(null));
  const problem = await Promise.race([written.promise, failed]);
  if (problem !== null) throw problem;
}

function faultsOf(settings: Settings): Faults {
  if (settings.faults === null) return noFaults;
  if ('script' in settings.faults) return faultsByScript(readFaultScript(settings.faults.script));
  return faultsByRate({ rate: settings.faults.rate, seed: settings.seed });
}

class RunningSandbox implements Sandbox {
  readonly failed: Promise<SandboxError>;
  readonly #settings: Settings;
  readonly #faults: Faults;
  readonly #account: Account;
  readonly #truth: TruthLog;
  readonly #poster: ReportPoster;
  readonly #customers: Customers;
  readonly #desk: SendDesk;
  readonly #handler: Handler;
  #server: Server | null = null;

  constructor({ settings, faults, truth, past, failed }: RunningParts) {
    this.failed = failed;
    this.#settings = settings;
    this.#faults = faults;
    this.#truth = truth;
    const account = new Account(settings, past);
    const poster = new ReportPoster({ settings, record: (entry) => truth.append(entry) });
    const customers = new Customers({
      settings,
      past: past.inbound,
      record: (entry) => truth.append(entry),
    });
    const access = new V2Access(settings.apiToken, account);
    this.#account = account;
    this.#poster = poster;
    this.#customers = customers;
    this.#desk = new SendDesk({ settings, faults, account, truth, poster, customers, past });
    const admin = {
      state: () => this.stats(),
      topUp: (amount: string) => this.topUp(amount),
      setWebhook: (url: string | null) => this.setWebhook(url),
      customers,
      access,
      truth,
    };
    this.#handler = createEndpoints({ settings, account, desk: this.#desk, customers, access, admin });
    this.#resumeReports(past);
  }

  get url(): string {
    return `http://${this.#settings.host}:${this.port}`;
  }

  get port(): number {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Starts to listen and to report. */
  async open(): Promise<void> {
    this.#server = await listen(this.#settings, this.#handler);
    void this.failed.then(() => this.stop());
    this.#server.on('connection', (socket) => {
      if (this.#faults.resetsConnection()) socket.resetAndDestroy();
    });
    this.setWebhook(this.#settings.webhookUrl);
  }

  setWebhook(url: string | null): void {
    this.#poster.setWebhook(url);
    this.#customers.setWebhook(url);
  }

  topUp(amount: string): Promise<void> {
    const amountMicro = readAmount(amount);
    if (amountMicro === null) {
      throw new SandboxError('options_invalid', { message: `"${amount}" is no amount such as "100.00".` });
    }
    this.#account.balanceMicro += amountMicro;
    const balance = writeAmount(this.#account.balanceMicro);
    return new Promise((resolve) => {
      this.#truth.append({ event: 'topup', at: Date.now(), amount, balance }, resolve);
    });
  }

  stats(): SandboxStats {
    return {
      ...this.#desk.counts,
      credit: writeAmount(this.#account.balanceMicro),
      charged: writeAmount(this.#account.chargedMicro),
      reports: this.#poster.counts,
      inbound: this.#customers.counts,
    };
  }

  async stop(): Promise<void> {
    this.#poster.stop();
    this.#customers.stop();
    this.#truth.close();
    const server = this.#server;
    if (server?.listening !== true) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  /** Plans the reports that a killed sandbox still had to post. */
  #resumeReports(past: Truth): void {
    const ended = Map.groupBy(past.reports, (report) => report.serial);
    for (const message of [...past.messages.values()].flat()) {
      const steps = ended.get(message.serial)?.map((report) => report.step);
      this.#poster.resume(message, new Set(steps));
    }
  }
}
