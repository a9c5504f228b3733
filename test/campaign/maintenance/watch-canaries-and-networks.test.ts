import { expect, it } from 'vitest';
import { watchNetworks } from '../../../src/campaign/maintenance/watch.ts';
import { MemoryLog } from '../../collector/fake-store.ts';

it('networks are judged, and then what may go of those that are held is brought back', async () => {
  const did: string[] = [];
  const step = { id: 'c1', network: '1', step: 'held', why: 'nothing delivered' };
  const ledger = {
    watchNetworks: async (now: number) => {
      did.push(`judged at ${now}`);
      return [step];
    },
    bringBackHeld: async (now: number) => void did.push(`brought back at ${now}`),
  };
  const log = new MemoryLog();
  await watchNetworks({ ledger, log, clock: { now: () => 7 } } as never);
  expect(did).toEqual(['judged at 7', 'brought back at 7']);
  expect(log.lines).toHaveLength(1);
});
