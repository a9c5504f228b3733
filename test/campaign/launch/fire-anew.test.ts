import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type AnewEnv, fireAnew, type FiringAnew } from '../../../src/campaign/launch/fire-anew.ts';
import * as stillFiles from '../../../src/campaign/launch/still-files.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { makeTempDir } from '../../support/temp-home.ts';

vi.mock(import('../../../src/campaign/launch/still-files.ts'), async (original) => {
  const actual = await original();
  return { ...actual, lookAtFiles: vi.fn(actual.lookAtFiles) };
});

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
    vi.mocked(stillFiles.lookAtFiles).mockReset();
    const seen = await stillFiles.lookAtFiles(reread);
    expect([...seen.contents.keys()].toSorted()).toEqual(['c.csv', 'job.yaml', 't.txt'].map(path));
    // Both looks saw other bytes than those that are there while the plan reads.
    const other = createHash('sha256').update('other').digest('hex');
    const contents = new Map(seen.contents).set(path(name), other);
    vi.mocked(stillFiles.lookAtFiles).mockResolvedValue({ look: seen.look, contents });
    const asked: string[] = [];
    const ledger = new Proxy({}, { get: (_, verb) => async () => void asked.push(String(verb)) });
    const firing = { reread, look: seen.look, name: 'rent 2026', now: 0 } as unknown as FiringAnew;
    const schedule = { name: 'rent', kind: 'transactional', settings: { every: { cron: '0 9 * * *' } } };
    const env = { ledger, copies: folder } as unknown as AnewEnv;
    expect(await fireAnew(env, schedule as unknown as Campaign, firing)).toEqual({ look: seen.look });
    expect(asked).toEqual([]);
  },
);
