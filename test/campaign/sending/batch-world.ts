import { noNote } from '../../support/no-note.ts';
import { Registration } from '../../../src/campaign/sending/registration.ts';
import { SendingWorker } from '../../../src/campaign/sending/sending-worker.ts';
import type { ClaimRequest, Release } from '../../../src/ledger/contracts/sending.ts';
import type { BalanceResult } from '../../../src/provider/provider.ts';
import { sendBatch } from '../../../src/campaign/sending/send-batch.ts';

/** Of a campaign that its template and columns are read by. */
export const SETTINGS = {
  zone: 'Africa/Nairobi',
  window: null as object | null,
  retry: { attempts: 3, firstMs: 100, mostMs: 100 },
  header: ['Phone', 'First name'],
  columns: { name: 'First name' },
  gsmSafe: true,
};
const SLICE_MS = 5_000;
const CAMPAIGN = {
  n: 1,
  id: 'a',
  name: 'a',
  kind: 'promotional',
  account: 'A',
  sender: 'DUKA',
  budgetMicro: null,
};
export const KNOWN = { outcome: 'balance', clientId: 'A', creditMicro: 1_000_000 } as BalanceResult;
export const UNKNOWN = { outcome: 'unknown', words: 'no answer' } as BalanceResult;

/** One batch that is sent again and again, on a clock that stands still; the ledger and the service do what they are told. */
export class BatchWorld {
  now = 1_000_000;
  balance: () => Promise<BalanceResult> = async () => KNOWN;
  messages: object[] = [];
  claim: (asked: ClaimRequest) => Promise<object> = async () => ({
    messages: this.messages.splice(0),
    stop: 'empty',
    rated: false,
  });
  release: () => Promise<Release> = async () => ({ settled: false, epoch: 8, dueAt: 0 });
  settings = SETTINGS;
  /** What the service answers beside what is usual. */
  answer: object = {};
  /** Messages that were answered. */
  answered = 0;
  /** Messages that another process has under way. */
  elsewhere = 0;
  /** What was slept, each at once. */
  readonly slept: number[] = [];
  /** Each ends a slice of time. */
  readonly sliceEnds: (() => void)[] = [];
  readonly did: string[] = [];
  readonly sent: string[] = [];
  readonly rests: number[] = [];
  readonly jobs: object[] = [];
  readonly stopping = new AbortController();
  readonly worker: SendingWorker;

  constructor() {
    const ledger = {
      leaseBatch: async ({ leaseMs }: { leaseMs: number }) => {
        this.did.push(`lease ${leaseMs}`);
        const campaign = { ...CAMPAIGN, template: 'Hi {{name}}', settings: this.settings };
        return { campaign, batch: 3, epoch: 7, firstSeq: 1, lastSeq: 9 };
      },
      claim: async (asked: ClaimRequest) => {
        this.did.push('claim');
        return this.claim(asked);
      },
      releaseBatch: async ({ restUntil }: { restUntil: number }) => {
        this.rests.push(restUntil - this.now);
        return this.release();
      },
      pause: async (_: number, { reason }: { reason: string }) => this.did.push(`pause ${reason}`) > 0,
      beginReading: async () => ({ spentMicro: 0, inFlight: this.elsewhere }),
      recordReading: async () => ({ releasedMicro: 0, moved: false }),
      recordOutcomes: async ({ outcomes }: { outcomes: object[] }) => outcomes.map(() => 'recorded'),
    };
    const clock = {
      now: () => this.now,
      monotonic: () => this.now,
      // All but the end of a slice, which would come at once.
      sleep: async (ms: number) => {
        if (ms === SLICE_MS) return new Promise<void>((end) => this.sliceEnds.push(end));
        this.slept.push(ms);
      },
    };
    const provider = {
      balance: async () => this.balance(),
      send: async ({ message }: { message: string }) => {
        this.sent.push(message);
        // Not before whoever does not wait for it has gone on.
        await new Promise((resolve) => void setImmediate(resolve));
        this.answered += 1;
        return {
          outcome: 'accepted',
          httpStatus: 200,
          code: '200',
          words: '',
          raw: null,
          messageId: 'm',
          costMicro: 1,
          network: null,
          flags: [],
          ...this.answer,
        };
      },
    };
    const queue = { add: async (jobs: object[]) => void this.jobs.push(...jobs) };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const env = { clock, ledger, provider, queue, log, random: () => 0 } as never;
    this.worker = new SendingWorker(env, {
      registration: new Registration(env, noNote(5)),
      stopping: this.stopping.signal,
      options: { concurrency: 4, claimLimit: 8, accountRate: null, prices: [] },
    });
  }

  /** Whether campaigns of the account would go on with so much credit. */
  async goesOnWith(creditMicro: number): Promise<boolean> {
    let goesOn = false;
    await this.worker.credit.goOnIfRisen('A', { creditMicro, now: this.now }, async () => {
      goesOn = true;
    });
    return goesOn;
  }

  /** The accounts that may have been charged since they were read last. */
  async charged(): Promise<string[]> {
    const accounts: string[] = [];
    await this.worker.credit.readCharged(async (account) => void accounts.push(account));
    return accounts;
  }

  /** Takes the batch once; answers what was done between lease and release. */
  async take(signal = new AbortController().signal): Promise<string[]> {
    await sendBatch(this.worker, { batch: 3, epoch: 7, signal });
    return this.did.splice(0);
  }

  /** Takes it so often, each time when everything may be sent again; answers what paused it, and for how long it rested. */
  async fails(times: number): Promise<[(string | undefined)[], number[]]> {
    const pauses: (string | undefined)[] = [];
    for (let time = 0; time < times; time++) {
      this.now += Math.max(0, this.worker.health.waitMs());
      pauses.push((await this.take()).find((did) => did.startsWith('pause')));
    }
    return [pauses, this.rests.splice(0)];
  }
}
