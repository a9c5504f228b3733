import { expect, test } from 'vitest';
import { LOSSES, loseLedger } from './lost-ledger.ts';
import { addRun } from './summary.ts';

test.each(Object.keys(LOSSES))(
  'a ledger that is %s while it is in use loses nothing, and sends nothing twice [D18]',
  async (how) => {
    const findings = await loseLedger(how);
    expect(findings).toMatchObject({ double: 0, lost: 0, uncertain: 0 });
    addRun('ledger removed or replaced in use', findings);
  },
);
