import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { TruthLog } from '../../src/sandbox/truth/truth-log.ts';
import { ROOT, startNode, startProcess, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { failure } from '../cli/v2-command-line.ts';
import { newTruthFile, script, start } from '../sandbox/start.ts';
import { creditOf, KEY, SECRET, send } from '../sandbox/wire.ts';

const HOUR_MS = 3_600_000;
const PROGRAM = join(ROOT, 'test/sandbox/sandbox-process.ts');
const MAIN = join(ROOT, 'src/cli/main.ts');
const limits = spawnSync('prlimit', ['--version']).status === 0;

let hook: Server | null = null;

afterEach(() => {
  hook?.close();
  hook?.closeAllConnections();
  hook = null;
});

async function spawned(options: Partial<SandboxOptions>): Promise<{ process: TestProcess; url: string }> {
  const file = join(makeTempDir(), 'options.json');
  writeFileSync(file, JSON.stringify({ apiKey: KEY, apiSecret: SECRET, ...options }), { mode: 0o600 });
  const process = startNode(PROGRAM, [file]);
  await process.printed(/"url"/);
  return { process, url: (JSON.parse(process.stdout()) as { url: string }).url };
}

/** Sends until the sandbox is gone; the ids of the messages whose success came back. */
async function sendUntilGone(url: string, lane: number): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 100_000; count += 1) {
    const mobile = `2547${lane}${String(count).padStart(7, '0')}`;
    const reply = await send(url, { mobile }).catch(() => null);
    if (reply === null) return ids;
    if (reply.body.responsecode === '200') ids.push(String(reply.body.messageid));
  }
  return ids;
}

describe('a sandbox that is killed', () => {
  it('has in its log every message that it answered, and goes on with that balance', async () => {
    const truthFile = newTruthFile();
    const first = await spawned({ truthFile, startBalance: '50000.00' });
    const lanes = [0, 1, 2, 9].map((lane) => sendUntilGone(first.url, lane));
    await waitFor(() => readFileSync(truthFile, 'utf8').split('\n').length > 200, { what: '200 entries' });
    await first.process.stop('SIGKILL');
    const answered = (await Promise.all(lanes)).flat();
    expect(answered.length).toBeGreaterThan(100);

    const second = await spawned({ truthFile, startBalance: '1.00' });
    const truth = await readTruth(truthFile);
    for (const id of answered) expect(truth.messages.get(id)).toHaveLength(1);
    const charged = truth.acceptedCount * 800_000;
    expect(truth.chargedMicro).toBe(charged);
    expect(await creditOf(second.url)).toBe(((50_000_000_000 - charged) / 1e6).toFixed(2));

    const next = String((await send(second.url)).body.messageid);
    expect(truth.messages.has(next)).toBe(false);
    await second.process.stop('SIGKILL');
  });

  it('posts the reports that were still to come, and none that were taken', async () => {
    const got: string[] = [];
    hook = createServer((request, response) => {
      request.on('data', (chunk) => got.push((JSON.parse(String(chunk)) as { messageid: string }).messageid));
      request.on('end', () => response.end('OK'));
    });
    await new Promise<void>((resolve) => hook?.listen(0, '127.0.0.1', resolve));
    const webhookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
    const truthFile = newTruthFile();
    const reportMix = { delivered: 1, undelivered: 0, absent: 0, never: 0 };
    const first = await spawned({ truthFile, webhookUrl, reportMix, reportDelayMs: { min: 1, max: 2 } });
    const taken = String((await send(first.url, { mobile: '254700000001' })).body.messageid);
    await waitFor(async () => (await readTruth(truthFile)).reports.length === 1, {
      what: 'the first report',
    });
    await first.process.stop('SIGKILL');

    const slow = await spawned({
      truthFile,
      webhookUrl,
      reportMix,
      reportDelayMs: { min: HOUR_MS, max: HOUR_MS },
    });
    const open = String((await send(slow.url, { mobile: '254700000002' })).body.messageid);
    await slow.process.stop('SIGKILL');
    expect(got).toEqual([taken]);

    const third = await spawned({ truthFile, webhookUrl, reportMix, reportDelayMs: { min: 1, max: 2 } });
    await waitFor(() => got.length === 2, { what: 'the report that was open' });
    expect(got).toEqual([taken, open]);
    await third.process.stop();
    expect((await readTruth(truthFile)).reports).toHaveLength(2);
  });

  it('forgets a half-written line, because its answer never went out', async () => {
    const first = await start();
    await send(first.url);
    await first.stop();
    const line = readFileSync(first.truthFile, 'utf8').trim().split('\n').at(-1) ?? '';
    const whole = line.replace(/"serial":(\d+)/, (_, serial: string) => `"serial":${Number(serial) + 1}`);
    for (const torn of [whole, whole.slice(0, 40)]) {
      appendFileSync(first.truthFile, torn);
      const second = await start({ truthFile: first.truthFile });
      expect(second.stats()).toMatchObject({ accepted: 1, charged: '0.80', credit: '9999.20' });
      await second.stop();
      expect((await readTruth(first.truthFile)).acceptedCount).toBe(1);
    }
  });

  it('still knows the top-ups and the counts', async () => {
    const faults = { script: script('- { mobile: 0712345678, answer: 500, times: 1, accepted: false }') };
    const first = await start({ faults });
    await first.topUp('7.00');
    expect((await send(first.url)).status).toBe(500);
    await first.stop();
    const second = await start({ truthFile: first.truthFile });
    expect((await send(second.url)).status).toBe(200);
    expect(second.stats()).toMatchObject({ received: 2, accepted: 1, ignored: 1, credit: '10006.20' });
  });
});

describe('the sandbox as a process', () => {
  it('says in one line what is wrong and exits with 1', async () => {
    const file = join(makeTempDir(), 'options.json');
    const faults = { script: script('- answer: nothing') };
    writeFileSync(
      file,
      JSON.stringify({ apiKey: KEY, apiSecret: SECRET, truthFile: newTruthFile(), faults }),
    );
    const process = startNode(PROGRAM, [file]);
    expect(await process.exited).toEqual({ code: 1, signal: null });
    expect(process.stdout()).toBe('');
    expect(JSON.parse(process.stderr())).toMatchObject({
      error: { code: 'script_invalid', where: `${faults.script}:1:11` },
    });
  });

  it('stops in order by a signal, hanging connections and all', async () => {
    const truthFile = newTruthFile();
    const { process, url } = await spawned({ truthFile, faults: { script: script('- answer: hang') } });
    const hanging = send(url).catch(() => 'cut');
    await waitFor(() => readFileSync(truthFile, 'utf8').split('\n').length > 2, { what: 'the request' });
    await process.stop('SIGTERM');
    expect(await process.exited).toEqual({ code: 0, signal: null });
    expect(await hanging).toBe('cut');
  });

  it('does not answer what it cannot record', async () => {
    const full = join(makeTempDir(), 'truth.ndjson');
    symlinkSync('/dev/full', full);
    const failures: unknown[] = [];
    const log = new TruthLog(full, (failure) => failures.push(failure));
    let written = false;
    log.append({ event: 'topup', at: 0, amount: '1.00', balance: '1.00' }, () => {
      written = true;
    });
    await waitFor(() => failures.length === 1, { what: 'the failure' });
    expect(failures[0]).toMatchObject({
      code: 'truth_unwritable',
      message: "The sandbox's truth log cannot be written: the disk is full.",
      cause: { code: 'ENOSPC' },
    });
    expect(written).toBe(false);
  });
});

it('a sandbox that cannot write its truth log any more ends with one message and exit code 1', async () => {
  const home = makeTempDir();
  // A kilobyte or two is as much as a file may hold for this process.
  const limited = ['-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, MAIN, 'sandbox', '--json'];
  const child = startProcess('sh', limited, { env: { TUMA_HOME: home } });
  await child.printed(/api_key/);
  const told = JSON.parse(child.stdout()) as { url: string; api_key: string; api_secret: string };
  const credentials = { apikey: told.api_key, apisecret: told.api_secret };
  const answers = [];
  for (let index = 0; index < 20; index += 1) {
    const mobile = `2547000000${index + 10}`;
    answers.push(await send(told.url, { ...credentials, mobile }).catch(() => null));
  }
  expect(await child.exited).toEqual({ code: 1, signal: null });
  expect(answers.map((answer) => answer?.status ?? null)).toEqual(
    expect.arrayContaining([200, null]) as (number | null)[],
  );
  const lines = child.stderr().trimEnd().split('\n');
  expect(lines.filter((line) => line.includes('"error"'))).toHaveLength(1);
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
    error: {
      code: 'file_unwritable',
      message: "The sandbox's truth log cannot be written: EFBIG.",
      where: join(home, 'sandbox', 'truth.ndjson'),
    },
  });
});

it.skipIf(!limits)('a sandbox that cannot write the first line of its truth log never begins', async () => {
  const home = makeTempDir();
  const env = { TUMA_HOME: home, TUMA_WEBHOOK_TOKEN: 'abcdefghijklmnopqrstuvwx' };
  // Less room than one line takes.
  const limited = ['--fsize=16', process.execPath, MAIN, 'sandbox', '--json'];
  const child = startProcess('prlimit', limited, { env });
  const { code } = await child.exited;
  const ran = { code, stdout: child.stdout(), stderr: child.stderr() };
  expect(failure(ran)).toMatchObject({ exit: 1, code: 'file_unwritable' });
});
