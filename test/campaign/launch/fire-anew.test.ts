import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type AnewEnv, fireAnew, type FiringAnew } from '../../../src/campaign/launch/fire-anew.ts';
import { lookAtFiles } from '../../../src/campaign/launch/still-files.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { makeTempDir } from '../../support/temp-home.ts';

it.each(['job.yaml', 't.txt', 'c.csv'])(
  'plans the bytes of the second look: what stands in %s only between two looks is not sent',
  async (name) => {
    const folder = makeTempDir();
    const path = (of: string) => join(folder, of);
    const job =
      'name: rent\nkind: transactional\nsender: D\ntemplate: t.txt\ncontacts: c.csv\nevery: { cron: "0 9 * * *" }\n';
    writeFileSync(path('job.yaml'), job);
    writeFileSync(path('t.txt'), 'Hi');
    writeFileSync(path('c.csv'), 'phone\n254700000001\n');
    const reread = { job: path('job.yaml'), contacts: null, countries: ['KE'] };
    const seen = await lookAtFiles(reread);
    expect([...seen.contents.keys()].toSorted()).toEqual(['c.csv', 'job.yaml', 't.txt'].map(path));
    // Both looks saw other bytes than those that are there while the plan reads.
    const other = createHash('sha256').update('other').digest('hex');
    const contents = new Map(seen.contents).set(path(name), other);
    const asked: string[] = [];
    const ledger = new Proxy({}, { get: (_, verb) => async () => void asked.push(String(verb)) });
    const firing = { reread, look: seen.look, name: 'rent 2026', now: 0 } as unknown as FiringAnew;
    const schedule = { name: 'rent', kind: 'transactional', settings: { every: { cron: '0 9 * * *' } } };
    const look = async () => ({ look: seen.look, contents });
    const env = { ledger, copies: folder, lookAtFiles: look } as unknown as AnewEnv;
    expect(await fireAnew(env, schedule as unknown as Campaign, firing)).toEqual({ look: seen.look });
    expect(asked).toEqual([]);
  },
);
