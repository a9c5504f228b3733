import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage } from './support/markdown.ts';
import { makeTempDir } from './support/temp-home.ts';

const [, UNIT = ''] = /```ini\n([^`]*)```/.exec(readPage('docs/operations.md')) ?? [];
const analyses = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!analyses) console.log('the unit is not analysed: there is no systemd-analyze');

test('the service of docs/operations.md is no root, gains no rights and writes to its own folders only [X34]', () => {
  for (const line of [
    'User=tuma',
    'UMask=0077',
    'NoNewPrivileges=true',
    'ProtectSystem=strict',
    'ReadWritePaths=/srv/tuma',
    // Without these the guard against an older ledger has no place to note claims.
    'StateDirectory=tuma',
    'Environment=XDG_STATE_HOME=/var/lib',
    'PrivateTmp=true',
    'CapabilityBoundingSet=',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  ])
    expect(UNIT.split('\n')).toContain(line);
  // Node writes machine code of its own.
  expect(UNIT).not.toContain('MemoryDenyWriteExecute');
});

test.skipIf(!analyses)('systemd calls its exposure at most 3.0 [X34]', () => {
  const file = join(makeTempDir(), 'tuma.service');
  writeFileSync(file, UNIT);
  const { stdout, stderr } = spawnSync('systemd-analyze', ['security', '--offline=true', file], {
    encoding: 'utf8',
  });
  const exposure = /exposure level for tuma\.service: (\d+\.\d+)/.exec(stdout)?.[1];
  expect(Number(exposure), stderr).toBeLessThanOrEqual(3);
});
