import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startTuma, tumaProcess } from '../cli/command-line.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { ROOT, startProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* The program as a process: its streams, its signals and its exit codes. What it says is in test/cli. */

const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname;

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

it('says its version and its help on stdout, and what is wrong on stderr, with the exit code of it', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(await tumaProcess(['--version'])).toEqual({ code: 0, stdout: `tuma ${version}\n`, stderr: '' });
  const help = await tumaProcess(['--help']);
  expect(help).toEqual({
    code: 0,
    stdout: expect.stringMatching(/Exit codes:[^]*130/) as string,
    stderr: '',
  });
  const stderr = "error: Unknown command 'statsu'.\n  Did you mean status?\n";
  expect(await tumaProcess(['statsu'])).toEqual({ code: 2, stdout: '', stderr });
});

it('an answer that the disk had no space for does not end as one that was given', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--version', '--json'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'file_unwritable' } });
});

it('help loads no library, so that it starts about as fast as Node', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(name, context, next) { const found = next(name, context); if (found.url.includes('node_modules')) seen.push(name); return found; } });
    process.on('exit', () => console.error(JSON.stringify(seen)));
    process.argv.push('--help');
    await import(${JSON.stringify(MAIN)});`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, '--'], {
    encoding: 'utf8',
  });
  expect(lastLine(stderr)).toBe('[]');
});

it.each([
  ['all: done', '', 0],
  ['one that is not settled: interrupted', 'bf-1', 130],
])('ends when nobody reads its watching any more, of %s', async (_, which, code) => {
  const story = await LedgerStory.begin();
  await story.launch();
  const command = `( "$TUMA" status ${which} --watch --json; echo "code $?" >&2 ) | head -n 1`;
  const env = {
    PATH: process.env['PATH'],
    TUMA: join(ROOT, 'bin/tuma'),
    TUMA_HOME: story.directory,
  };
  const said = await promisify(execFile)('sh', ['-c', command], { env });
  expect(JSON.parse(said.stdout)).toMatchObject({ id: 'bf-1' });
  expect(said.stderr).toMatch(new RegExp(`code ${code}\n$`));
  if (code !== 0)
    expect(said.stderr).toContain('Nobody read this any more before campaign bf-1 was settled.');
});

describe('the process', () => {
  it('does not mind that nobody reads its output, as in tuma … | head', () => {
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `( "${process.execPath}" "${MAIN}" doctor; echo "code $?" >&2 ) | true`],
      {
        encoding: 'utf8',
        env: { TUMA_HOME: makeTempDir(), PATH: process.env['PATH'] },
      },
    );
    expect(status).toBe(0);
    expect(stderr).toMatch(/code [01]\n$/);
    expect(stderr).not.toContain('EPIPE');
  });

  it('ends a start of serve that fails, also when nobody reads its log, and leaves nothing running', async () => {
    const taken = createServer(() => {}).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const home = makeTempDir();
    const env = {
      TUMA_HOME: home,
      XDG_STATE_HOME: home,
      PATH: process.env['PATH'],
      TUMA_PORT: '0',
      TUMA_DASHBOARD_PORT: String((taken.address() as AddressInfo).port),
    };
    const command = `( "${process.execPath}" "${MAIN}" serve; echo "code $?" > "${home}/code" ) 2>&1 | true`;
    await promisify(execFile)('sh', ['-c', command], { env });
    taken.close();
    expect(readFileSync(join(home, 'code'), 'utf8')).toBe('code 1\n');
    expect(existsSync(join(home, 'redis.sock'))).toBe(false);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is stopped by %s with exit code %i, and says how to go on', async (signal, exitCode) => {
    const deaf = createServer(() => {}).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    const env = {
      TUMA_HOME: makeTempDir(),
      TUMA_MESSAGING_URL: `http://127.0.0.1:${port}`,
      TUMA_API_KEY: 'k',
      TUMA_API_SECRET: 's',
    };
    const asked = once(deaf, 'request');
    const child = startTuma(['balance', '--json'], env);
    await asked;
    await child.stop(signal);
    expect(await child.exited).toEqual({ code: exitCode, signal: null });
    expect(child.stdout()).toBe('');
    expect(JSON.parse(lastLine(child.stderr()))).toMatchObject({
      error: { code: 'interrupted', hint: expect.stringContaining('again') as string },
    });
    deaf.closeAllConnections();
    deaf.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'goes on at a hang-up where whoever started it had that ignored, as nohup does',
    async () => {
      const deaf = createServer(() => {}).listen(0, '127.0.0.1');
      await once(deaf, 'listening');
      const env = {
        TUMA_HOME: makeTempDir(),
        TUMA_MESSAGING_URL: `http://127.0.0.1:${(deaf.address() as AddressInfo).port}`,
        TUMA_API_KEY: 'k',
        TUMA_API_SECRET: 's',
        PATH: process.env['PATH'] ?? '',
      };
      const asked = once(deaf, 'request');
      const nohup = `trap '' HUP; exec "$0" balance`;
      const child = startProcess('sh', ['-c', nohup, join(ROOT, 'bin/tuma')], { env });
      await asked;
      process.kill(child.pid, 'SIGHUP');
      await child.stop('SIGTERM');
      expect(await child.exited).toEqual({ code: 143, signal: null });
      expect(child.stderr()).toContain('Stopped by SIGTERM');
      deaf.closeAllConnections();
      deaf.close();
    },
  );

  it('ends at once at the second signal', async () => {
    const deaf = createServer(() => {}).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    const env = {
      TUMA_HOME: makeTempDir(),
      TUMA_MESSAGING_URL: `http://127.0.0.1:${port}`,
      TUMA_API_KEY: 'k',
      TUMA_API_SECRET: 's',
    };
    const asked = once(deaf, 'request');
    const child = startTuma(['balance'], env);
    await asked;
    process.kill(child.pid, 'SIGINT');
    process.kill(child.pid, 'SIGTERM');
    const { code } = await child.exited;
    // Two signals that are delivered together may come in either order.
    expect([130, 143]).toContain(code);
    expect(child.stderr()).toBe('');
    deaf.closeAllConnections();
    deaf.close();
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'that runs until it is stopped is done at %s: exit code 0',
    async (signal) => {
      const child = startTuma(['sandbox'], { TUMA_HOME: makeTempDir() });
      await child.printed(/TUMA_MESSAGING_URL=http/);
      await child.stop(signal);
      expect(await child.exited).toEqual({ code: 0, signal: null });
    },
  );

  it('colours nothing when NO_COLOR is set or stdout is no terminal', async () => {
    const { stdout } = await tumaProcess(['doctor'], { TUMA_HOME: makeTempDir(), NO_COLOR: '1' });
    expect(stdout).not.toContain('\u001b');
  });
});
