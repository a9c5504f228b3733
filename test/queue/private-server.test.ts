import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { START_SCRIPT } from '../../src/queue/private-server.ts';
import { makeTempDir } from '../support/temp-home.ts';

/** Runs the script with a server of the test's own, which only keeps what it is configured with. */
async function start(settings: string): Promise<{ code: number | null; read: string | null }> {
  const folder = makeTempDir();
  const [server, kept] = [join(folder, 'server'), join(folder, 'kept')];
  writeFileSync(server, `#!/bin/sh\n[ "$1" = - ] && cat > '${kept}'\n`);
  chmodSync(server, 0o700);
  const child = spawn('/bin/sh', ['-c', START_SCRIPT, server], { stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(settings);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, read: existsSync(kept) ? readFileSync(kept, 'utf8') : null };
}

it('a server whose configuration is cut off, because whoever starts it was killed, does not start', async () => {
  for (const cut of ['', 'port 0\n', 'port 0\nbind 127.0.0.1\n# en'])
    expect(await start(cut), cut).toEqual({ code: 1, read: null });
});

it('reads its configuration as it was written, and nothing of it is taken for words of the shell', async () => {
  const odd = `port 0\nunixsocket "/tmp/a $HOME \\\\ \`id\` 'b'/s"\nsave ""\n# end`;
  expect(await start(odd)).toEqual({ code: 0, read: `${odd}\n` });
});
