import type { Ledger } from '../../src/ledger/contracts/ledger.ts';
import type { Outcome } from '../../src/ledger/contracts/sending.ts';

const SETTINGS = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: null,
  ratePerSecond: null,
  retry: { attempts: 5, firstMs: 30_000, mostMs: 600_000 },
  batchSize: 5_000,
  header: ['mobile'],
  columns: {},
  gsmSafe: false,
  optOutText: '',
};

export interface ClaimedCampaign {
  n: number;
  /** Records that the provider accepted the message and gave it this id. */
  accept(seq: number, messageId: string): Promise<void>;
  /** Records that nobody knows what became of the message. */
  lose(seq: number): Promise<void>;
}

export const mobileOf = (seq: number) => `2547${String(seq).padStart(8, '0')}`;

/** Brings a campaign to where all of its messages are on the wire: numbers `mobileOf(1)` and so on. */
export async function claimCampaign(ledger: Ledger, count: number): Promise<ClaimedCampaign> {
  const now = Date.now();
  const hashes = { job: 'a', template: 'b', contacts: 'c' };
  const draft = { id: 'c1', name: 'promo', kind: 'transactional', sender: 'DUKA', template: 'Hi' } as const;
  const { n } = await ledger.createDraft({ ...draft, settings: SETTINGS, hashes, now });
  const rows = Array.from({ length: count }, (_, index) => ({
    line: index + 2,
    mobile: mobileOf(index + 1),
    key: '',
    occurrence: '',
    fields: [mobileOf(index + 1)],
    segments: 1,
  }));
  await ledger.addMessages(n, rows, { now });
  await ledger.activate({
    campaign: n,
    account: 'acc',
    budgetMicro: null,
    estimatedMicro: null,
    startAt: null,
    startDeadlineMs: 0,
    counts: { read: count, planned: count, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 },
    now,
    by: 'test',
  });
  const process = { bootId: 'b', pidNamespace: 'p', pid: 1, startTicks: '1', roles: 'worker' };
  const worker = await ledger.registerWorker(process, now);
  const [due] = await ledger.dueBatches({ now, perCampaign: 1 });
  if (due === undefined) throw new Error('no batch is due');
  const lease = await ledger.leaseBatch({ batch: due.batch, epoch: due.epoch, worker, now, leaseMs: 60_000 });
  if (lease === null) throw new Error('the batch was not leased');
  const claim = await ledger.claim({
    batch: lease.batch,
    epoch: lease.epoch,
    worker,
    limit: count,
    fromSeq: lease.firstSeq,
    now,
    windowClosesAt: null,
    ceilingMicro: 1e12,
    priceMicro: 800_000,
    claimNumber: 1,
    accountRate: null,
  });
  const attempts = new Map(claim.messages.map(({ seq, attempt }) => [seq, attempt]));
  if (attempts.size !== count) throw new Error(`${attempts.size} messages were claimed: ${claim.stop}`);

  const base = (seq: number) => ({
    campaign: n,
    seq,
    attempt: attempts.get(seq) ?? 0,
    sendMs: 5,
    evidence: null,
  });
  const record = async (outcome: Outcome) => {
    const results = await ledger.recordOutcomes({ worker, now: Date.now(), outcomes: [outcome], pauses: [] });
    if (results[0] !== 'recorded') throw new Error(`the outcome is ${results[0]}`);
  };
  const cost = { network: '1', costMicro: 800_000, segments: 1, flags: [] };
  return {
    n,
    accept: (seq, messageId) => record({ ...base(seq), ...cost, to: 'sent', messageId }),
    lose: (seq) => record({ ...base(seq), to: 'uncertain', reason: 'no answer in time' }),
  };
}
