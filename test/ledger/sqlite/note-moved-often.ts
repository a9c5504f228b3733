import { workerData } from 'node:worker_threads';
import { noteMoved } from '../../../src/ledger/sqlite/move-mark.ts';

/* Notes again and again that a ledger was moved, as the one of two who move it at once. */

for (let times = 0; times < 100; times += 1)
  noteMoved(workerData as string, { ledgerId: 'some-ledger', to: 'db.example.org/sms, schema tuma' });
