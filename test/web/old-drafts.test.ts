import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEPT_MS } from '../../src/campaign/prepare/preparations.ts';
import { SqlBehind } from '../support/sql-behind.ts';
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

test('a removal of a person that was broken off an hour ago is finished when the pages are served', async () => {
  const web = await WebHere.open(makeTempDir());
  await web.services.ledger();
  const behind = new SqlBehind(web.services.config.ledgerFile);
  const at = web.services.clock.now() - 3_600_001;
  await behind.run('INSERT INTO erasing (mobile, at) VALUES (?, ?)', '254700000001', at);
  await web.listen();
  await waitFor(async () => (await behind.run('SELECT mobile FROM erasing')).length === 0, {
    what: 'the number to go from its order',
  });
  behind.close();
});
