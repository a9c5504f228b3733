import { Account } from './api/account.ts';
import { type Admin, RecentMessages } from './api/admin.ts';
import { Customers } from './customers/customers.ts';
import { createEndpoints } from './api/endpoints.ts';
import { faultsByRate, faultsByScript, noFaults, type Faults } from './faults/faults.ts';
import { readFaultScript } from './faults/fault-script.ts';
import { firstSerial } from './api/message-ids.ts';
import { readAmount, writeAmount } from './money.ts';
import { settingsOf, type SandboxOptions, type Settings } from './options.ts';
import { ReportPoster } from './reports/report-poster.ts';
import type { PostCounts } from './reports/webhook-poster.ts';
import { restore, type Restored } from './truth/restore.ts';
import { SandboxError } from './sandbox-error.ts';
import { SendDesk, type SendCounts } from './api/send-desk.ts';
import { listen, type Handler, type Listening } from './api/server.ts';
import type { TruthEntry } from './truth/truth-entry.ts';
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
export interface Sandbox extends AsyncDisposable {
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
 * Starts the stand-in for the provider (API document 4.1 to 4.4) and continues an existing truth log. Throws a SandboxError
 * for wrong options, a wrong script, an unusable log or a port in use.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = settingsOf(options);
  const faults = faultsOf(settings);
  const failure = Promise.withResolvers<SandboxError>();
  // Opened before `restore` reads it, because opening cuts off a half-written last line.
  const truth = new TruthLog(settings.truthFile, failure.resolve);
  try {
    const restored = await restore(settings, faults);
    const past = restored.begun
      ? restored
      : { ...restored, ...(await begin(settings, truth, failure.promise)) };
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
  past: Restored;
  failed: Promise<SandboxError>;
}

/** Begins a new log. A full disk fails here instead of at the first message. */
async function begin(
  settings: Settings,
  truth: TruthLog,
  failed: Promise<SandboxError>,
): Promise<Pick<Restored, 'begun' | 'firstSerial' | 'balanceMicro'>> {
  const at = Date.now();
  const serial = firstSerial(at);
  const { seed, startBalance: balance } = settings;
  const written = Promise.withResolvers<null>();
  truth.append({ event: 'start', at, seed, firstSerial: serial, balance }, () => written.resolve(null));
  const problem = await Promise.race([written.promise, failed]);
  if (problem !== null) throw problem;
  return { begun: true, firstSerial: serial, balanceMicro: readAmount(balance) ?? 0 };
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
  readonly #access: V2Access;
  readonly #desk: SendDesk;
  readonly #recent = new RecentMessages();
  readonly #handler: Handler;
  #listening: Listening | null = null;

  constructor(parts: RunningParts) {
    const { settings, faults, truth, past } = parts;
    this.failed = parts.failed;
    this.#settings = settings;
    this.#faults = faults;
    this.#truth = truth;
    this.#account = restoredAccount(settings, past);
    const account = this.#account;
    const record = (entry: TruthEntry) => {
      truth.append(entry);
    };
    this.#poster = new ReportPoster({
      settings,
      networkOf: (mobile) => account.networkOf(mobile)?.id ?? '',
      record,
    });
    this.#customers = new Customers({
      settings,
      past: past.customers,
      record,
    });
    this.#access = new V2Access(settings.apiToken, this.#account);
    this.#desk = new SendDesk({
      settings,
      faults,
      account,
      truth,
      poster: this.#poster,
      customers: this.#customers,
      recent: this.#recent,
    });
    Object.assign(this.#desk.counts, past.counts);
    for (const { message, done } of past.unreported.values())
      this.#poster.schedule(message, { firstNow: false, done });
    this.#handler = createEndpoints({
      settings,
      account,
      desk: this.#desk,
      customers: this.#customers,
      access: this.#access,
      admin: this.#adminOf(),
    });
  }

  get url(): string {
    return this.#listening?.url ?? '';
  }

  get port(): number {
    return this.#listening?.port ?? 0;
  }

  /** Starts to listen and to report. */
  async open(): Promise<void> {
    this.#listening = await listen(this.#settings, this.#handler);
    void this.failed.then(() => this.stop());
    this.#listening.server.on('connection', (socket) => {
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
    return new Promise((resolve) => {
      this.#topUp(amountMicro, resolve);
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
    const server = this.#listening?.server;
    if (server?.listening !== true) return;
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #topUp(amountMicro: number, recorded: () => void): void {
    this.#account.balanceMicro += amountMicro;
    const [amount, balance] = [writeAmount(amountMicro), writeAmount(this.#account.balanceMicro)];
    this.#truth.append({ event: 'topup', at: Date.now(), amount, balance }, recorded);
  }

  #adminOf(): Admin {
    return {
      state: () => this.stats(),
      recent: this.#recent,
      topUp: (amountMicro, recorded) => {
        this.#topUp(amountMicro, recorded);
      },
      setWebhook: (url) => {
        this.setWebhook(url);
      },
      write: (facts) => {
        this.#customers.write(facts);
      },
      setReplyRate: (rate) => {
        this.#customers.replyRate = rate;
      },
      setToken: (token) => {
        this.#access.token = token;
      },
      redirectFollowed: () => {
        this.#truth.append({ event: 'redirect_followed', at: Date.now() });
      },
    };
  }
}

function restoredAccount(settings: Settings, past: Restored): Account {
  const account = new Account(settings, { balanceMicro: past.balanceMicro, serial: past.firstSerial });
  account.chargedMicro = past.chargedMicro;
  if (past.lastSerial !== null) account.noteSerial(past.lastSerial);
  return account;
}
