import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryFileLock } from '../../src/system/file-lock.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';
import { failure } from './v2-command-line.ts';

const STOPPED = AbortSignal.abort('SIGTERM');

/** A home whose sandbox has this truth log. */
function homeWith(truth: string | null): { home: string; truthFile: string } {
  const home = makeTempDir();
  const truthFile = join(home, 'sandbox', 'truth.ndjson');
  mkdirSync(join(home, 'sandbox'));
  if (truth !== null) writeFileSync(truthFile, truth);
  return { home, truthFile };
}

async function refused(env: Record<string, string>, args: string[] = []) {
  return failure(await tuma(['sandbox', ...args, '--json'], { env }));
}

describe('a sandbox that cannot start says why, in one message and with the code of it', () => {
  it('a damaged truth log', async () => {
    const { home, truthFile } = homeWith('{"event":"start"}\nbroken\n{"event":"topup"}\n');
    expect(await refused({ TUMA_HOME: home })).toMatchObject({
      exit: 1,
      code: 'truth_invalid',
      where: `${truthFile}:2`,
    });
  });

  it.each(['', ' '])('faults that are none: "%s"', async (faults) => {
    expect(await refused({ TUMA_HOME: makeTempDir() }, ['--faults', faults])).toMatchObject({
      exit: 2,
      code: 'usage',
      message: `"${faults}" is no rate of faults.`,
      where: '--faults',
    });
  });

  it('a truth log that another sandbox writes', async () => {
    const { home, truthFile } = homeWith(null);
    const other = tryFileLock(`${truthFile}.lock`);
    onTestFinished(() => other?.release());
    expect(await refused({ TUMA_HOME: home })).toMatchObject({
      exit: 1,
      code: 'truth_in_use',
      where: truthFile,
    });
  });

  it('a truth log that cannot be written', async () => {
    const { home, truthFile } = homeWith(null);
    mkdirSync(truthFile);
    expect(await refused({ TUMA_HOME: home })).toMatchObject({
      exit: 1,
      code: 'file_unwritable',
      message: "The sandbox's truth log cannot be written: EISDIR.",
      where: truthFile,
    });
  });

  it('a script of faults that is not there, or wrong; and a host that is none', async () => {
    const env = { TUMA_HOME: makeTempDir() };
    const script = join(makeTempDir(), 'faults.yaml');
    expect(await refused(env, ['--faults', script])).toMatchObject({ exit: 2, code: 'not_found' });
    writeFileSync(script, '- answer: nothing\n');
    const wrong = { exit: 2, code: 'usage', where: `${script}:1:11` };
    expect(await refused(env, ['--faults', script])).toMatchObject(wrong);
    expect(await refused({ ...env, TUMA_HOST: 'ab:cd' })).toMatchObject({ exit: 2, code: 'config_invalid' });
  });
});

describe('where the reports of a sandbox go', () => {
  const told = async (env: Record<string, string>) =>
    (await tuma(['sandbox'], { env: { TUMA_HOME: makeTempDir(), ...env }, signal: STOPPED })).stderr;

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:9999.'],
    ['::1', 'http://[::1]:9999.'],
    ['0.0.0.0', 'http://127.0.0.1:9999.'],
    ['::', 'http://[::1]:9999.'],
  ])('is the collector at %s, as this machine reaches it', async (host, words) => {
    expect(await told({ TUMA_HOST: host, TUMA_PORT: '9999' })).toContain(words);
  });

  it('is not known while the collector may take any port, and is said to be so', async () => {
    const words = await told({ TUMA_PORT: '0' });
    expect(words).toMatch(/TUMA_PORT is 0, .* delivery reports wait/);
    expect(words).not.toContain(':0');
  });
});
