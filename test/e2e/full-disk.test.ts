import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contacts, errorOf, openPlace, smallDisk } from './harness.ts';

/* A disk without room: nothing new is planned or sent, what is there stays, and space is all that is needed to go on. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
const disk = smallDisk(215);
if (disk === null) console.log('the tests of a full disk are left out: this user may not mount one');
/** Leaves less than Tuma wants to have in reserve. */
const FILLER_MB = 40;

describe.skipIf(disk === null)('on a full disk [D2]', () => {
  const home = join(disk?.path ?? '', 'home');
  const filler = join(disk?.path ?? '', 'filler');
  const env = { TUMA_HOME: home };

  async function ledgerInDoctor(): Promise<unknown> {
    const { stdout } = await place().tuma(['doctor', '--json'], { env });
    const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
    return checks.find(({ name }) => name === 'ledger');
  }

  test('a launch is refused in one message, and goes on when there is space', async () => {
    onTestFinished(() => rmSync(filler, { force: true }));
    fill(filler);
    for (const command of ['plan', 'launch']) {
      const refused = await place().tuma(
        [command, 'job.yaml', ...(command === 'launch' ? ['--yes'] : []), '--json'],
        {
          env,
        },
      );
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(errorOf(refused)).toMatchObject({
        code: 'ledger_full',
        hint: expect.stringMatching(/MB are free/),
      });
      expect(refused.stderr).not.toContain('"level":"error"');
    }
    expect(place().campaigns(home)).toEqual([]);
    expect(await ledgerInDoctor()).toMatchObject({
      state: 'fail',
      hint: expect.stringMatching(/MB are free/),
    });
    rmSync(filler);
    expect(await place().json(['launch', 'job.yaml', '--yes'], { env })).toMatchObject({
      campaign: { state: 'running' },
    });
  });

  test('an open campaign waits, says so once, fills nothing up, and goes on by itself', async () => {
    onTestFinished(() => rmSync(filler, { force: true }));
    fill(filler);
    const child = place().start(['launch', 'job.yaml', '--wait'], { env });
    await child.printed(/MB left\. Sending waits\./);
    // Each try to send would be a line of the log and a write.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(child.stderr().match(/"level":"(?:warn|error)"/g)?.length ?? 0).toBeLessThan(5);
    expect(place().sandbox.stats().accepted).toBe(0);
    const status = await place().tuma(['status'], { env });
    expect([status.code, status.stderr]).toEqual([
      0,
      expect.stringMatching(/MB left\. Sending waits\. It goes on when/),
    ]);
    expect(await ledgerInDoctor()).toMatchObject({
      state: 'fail',
      detail: expect.stringMatching(/MB left/),
    });
    rmSync(filler);
    expect(await ledgerInDoctor()).toMatchObject({ state: 'ok' });
    expect((await place().tuma(['status'], { env })).stderr).not.toContain('MB left');
    expect((await child.exited).code).toBe(0);
    expect(child.stdout()).toMatch(/^promo {2}finished/);
    expect(await place().json(['verify'], { env })).toMatchObject({ violations: [] });
    expect(place().sandbox.stats().accepted).toBe(3);
  });

  test('a sandbox says so at its start and while it runs, and goes on from there when there is space', async () => {
    const tiny = smallDisk(1)?.path ?? '';
    const rest = join(tiny, 'filler');
    const env = { TUMA_HOME: join(tiny, 'home') };
    const full = {
      code: 'file_unwritable',
      message: "The sandbox's truth log cannot be written: the disk is full.",
      where: join(tiny, 'home', 'sandbox', 'truth.ndjson'),
    };
    fillAll(rest);
    const refused = await place().tuma(['sandbox', '--json'], { env });
    expect([refused.code, refused.stdout, errorOf(refused)]).toMatchObject([1, '', full]);
    rmSync(rest);
    const child = place().start(['sandbox', '--json'], { env });
    await child.printed(/api_key/);
    const { url } = JSON.parse(child.stdout()) as { url: string };
    const topUp = () => fetch(`${url}/sandbox/topup`, { method: 'POST', body: '{"amount": "5.00"}' });
    expect((await topUp()).status).toBe(200);
    fillAll(rest);
    // What fits into the last block of the log is still taken.
    while ((await topUp().catch(() => null)) !== null);
    expect((await child.exited).code).toBe(1);
    const ended = { code: 1, stdout: '', stderr: child.stderr() };
    expect(errorOf(ended)).toMatchObject(full);
    rmSync(rest);
    const again = place().start(['sandbox', '--json'], { env });
    await again.printed(/api_key/);
    await again.stop();
    expect((await again.exited).code).toBe(0);
  });

  test('rejects and exports that do not fit leave what was there before', async () => {
    const tiny = smallDisk(1)?.path ?? '';
    writeFileSync(join(tiny, 'out.csv'), 'before');
    fillAll(join(tiny, 'filler'));
    const out = join(tiny, 'out.csv');
    const full = await place().tuma(['export', 'promo', '--out', out, '--force', '--json'], { env });
    expect([full.code, errorOf(full)]).toMatchObject([
      1,
      { code: 'file_unwritable', message: 'The disk is full.' },
    ]);
    place().write('dirty.csv', `${contacts(2)}07,Short\n`);
    expect(readFileSync(out, 'utf8')).toBe('before');
    const rejects = join(tiny, 'rejects.csv');
    const plan = ['plan', 'job.yaml', '--contacts', 'dirty.csv', '--rejects', rejects, '--json'];
    const planned = await place().tuma(plan);
    expect([planned.code, planned.stdout, errorOf(planned).code]).toEqual([1, '', 'file_unwritable']);
    expect(readdirSync(tiny).sort()).toEqual(['filler', 'out.csv']);
  });
});

/** Leaves not a byte. */
function fillAll(file: string): void {
  execFileSync('sh', ['-c', 'dd if=/dev/zero of="$0" bs=4k || true', file], { stdio: 'ignore' });
}

function fill(file: string): void {
  execFileSync('fallocate', ['-l', `${FILLER_MB}M`, file]);
}
