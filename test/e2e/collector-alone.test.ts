import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { ROOT, startNode } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';

const MAIN = join(ROOT, 'src/cli/main.ts');
const TOKEN = 'CANARYtoken_12cd34ef56gh78';
const OLD = 'CANARYold_token_12cd34ef56';

test('a collector runs without credentials, lets two tokens in, and no report of a crash tells its environment [X1 X10 X11]', async () => {
  const home = makeTempDir();
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    TUMA_HOME: home,
    TUMA_PORT: String(port),
    TUMA_WEBHOOK_TOKEN: TOKEN,
    TUMA_WEBHOOK_TOKEN_OLD: OLD,
    TUMA_DASHBOARD_TOKEN: 'CANARYdashboard',
  };
  const report = ['--report-on-signal', `--report-directory=${home}`, '--report-filename=crash.json'];
  const child = startNode(report[0] ?? '', [...report.slice(1), MAIN, 'serve', '--role', 'collector'], {
    env,
  });
  const post = async (token: string) => {
    const url = `http://127.0.0.1:${port}/webhooks/${token}`;
    return (await fetch(url, { method: 'POST', body: '{}' })).status;
  };
  const statuses = await waitFor(
    () => Promise.all([post(TOKEN), post(OLD), post('CANARYother_token_12cd34e')]),
    {
      what: 'the collector',
    },
  );
  expect(statuses).toEqual([200, 200, 404]);
  process.kill(child.pid, 'SIGUSR2');
  const crash = await waitFor(() => JSON.parse(readFileSync(join(home, 'crash.json'), 'utf8')) as object, {
    what: 'the report',
  });
  expect(crash).toHaveProperty('javascriptHeap');
  const argv = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
  await child.stop();
  for (const text of [JSON.stringify(crash), argv, child.stdout(), child.stderr()])
    expect(text).not.toContain('CANARY');
});
