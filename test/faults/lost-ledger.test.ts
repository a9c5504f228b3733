import { expect, test } from 'vitest';
import { loseLedger } from './lost-ledger.ts';

test.each(['removed', 'overwritten by an older copy of itself'])(
  'a ledger that is %s while it is in use loses nothing, and sends nothing twice [D18]',
  async (how) => {
    expect(await loseLedger(how)).toMatchObject({ double: 0, lost: 0, uncertain: 0 });
  },
);
