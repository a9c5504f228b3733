import { expect, test } from 'vitest';
import { loseLedger } from './lost-ledger.ts';

test('a ledger that is removed while it is in use loses nothing, and sends nothing twice [D18]', async () => {
  expect(await loseLedger('removed')).toMatchObject({ double: 0, lost: 0, uncertain: 0 });
});
