/* A process that claims and sends everything of one ledger, and prints what it claimed; run by processes.test.ts. */
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';

const [file = '', pid = '0'] = process.argv.slice(2);
const ledger = await openSqliteLedger({ file });
const identity = { bootId: 'b', pidNamespace: 'n', pid: Number(pid), startTicks: '1', roles: 'worker' };
const worker = await ledger.registerWorker(identity, Date.now());
console.log('ready');
for (;;) {
  const due = await ledger.dueBatches({ now: Date.now(), perCampaign: 4 });
  if (due.length === 0) break;
  for (const { batch, epoch } of due) await sendBatch(batch, epoch);
}
await ledger.retireWorker(worker, Date.now());
await ledger.close();

async function sendBatch(batch: number, epoch: number): Promise<void> {
  const lease = await ledger.leaseBatch({ batch, epoch, worker, now: Date.now(), leaseMs: 60_000 });
  if (lease === null) return;
  for (;;) {
    const claim = await ledger.claim({
      batch,
      epoch: lease.epoch,
      worker,
      limit: 7,
      fromSeq: lease.firstSeq,
      now: Date.now(),
      windowClosesAt: null,
      ceilingMicro: 1e15,
      priceMicro: 800_000,
      claimNumber: 1,
      accountRate: null,
    });
    if (claim.messages.length === 0) break;
    console.log(`claimed ${claim.messages.map(({ seq }) => seq).join(' ')}`);
    const outcomes = claim.messages.map(({ seq, attempt, segments }) => ({
      campaign: lease.campaign.n,
      seq,
      attempt,
      sendMs: 1,
      evidence: null,
      to: 'sent' as const,
      messageId: `${pid}-${seq}`,
      network: '1',
      costMicro: 800_000,
      segments,
      flags: [],
    }));
    await ledger.recordOutcomes({ worker, now: Date.now(), outcomes, pauses: [] });
  }
  await ledger.releaseBatch({ ...lease, now: Date.now() });
}
