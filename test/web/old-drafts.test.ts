import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEPT_MS } from '../../src/campaign/prepare/preparations.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { WebHere } from '../support/web-here.ts';

test('drafts that nobody has changed for seven days end when the pages are served, and newer ones stay', async () => {
  const home = makeTempDir();
  const web = await WebHere.open(home);
  const ledger = await web.services.ledger();
  const now = web.services.clock.now();
  const made = { by: 'mary', identities: ['mary'], job: '{}', request: null };
  await ledger.createPreparation({ ...made, id: 'old0old0', now: now - KEPT_MS - 60_000 });
  await ledger.createPreparation({ ...made, id: 'new0new0', now: now - KEPT_MS + 600_000 });
  mkdirSync(join(home, 'preparations', 'old0old0'), { recursive: true });
  await web.listen();
  await waitFor(async () => !existsSync(join(home, 'preparations', 'old0old0')), {
    what: 'the folder of the old draft to go',
  });
  const left = await (await web.services.preparations()).list();
  expect(left.map(({ id }) => id)).toEqual(['new0new0']);
});
