import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openStage } from '../faults/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { waitFor } from '../support/wait-for.ts';
import { openPlace } from './harness.ts';

/* People are told by webhook and by mail, also when the process dies between the event and its delivery. */

const SECRET = `whsec_${Buffer.from('CANARY key of thirty-two bytes!!').toString('base64')}`;
const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
/** More than the minute for which a process may be delivering an alert. */
const NEXT_TRY_MS = 70_000;
const open: (() => void)[] = [];
afterAll(() => {
  for (const close of open) close();
});

async function hook(port: number, got: { id: string; type: string }[]): Promise<Server> {
  const checker = new Webhook(SECRET);
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const { type } = checker.verify(body, headers) as { type: string };
      got.push({ id: headers['webhook-id'] ?? '', type });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  open.push(() => server.close());
  return server;
}

test('a finished campaign is told once by each channel, although serve was killed before it could deliver', async () => {
  const [hookPort, mailPort] = [await freePort(), await freePort()];
  const env = {
    TUMA_ALERT_URL: `http://127.0.0.1:${hookPort}/hook?key=CANARY`,
    TUMA_ALERT_SECRET: SECRET,
    TUMA_ALERT_MAIL: 'ops@example.org',
    TUMA_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  };
  const stage = await openStage({ contacts: 3, env, from: Date.now() });
  await stage.tuma(['launch', 'job.yaml', '--yes']);
  // Nobody listens yet, so the first try of each channel fails and is logged.
  const first = stage.serve();
  await first.printed(/an alert was not delivered/);
  await first.stop('SIGKILL');

  const hooks: { id: string; type: string }[] = [];
  await hook(hookPort, hooks);
  const box = await openMailbox({ port: mailPort });
  open.push(() => void box.close());
  const { mails } = box;
  stage.clock.jumpTo(stage.clock.now() + NEXT_TRY_MS);
  const second = stage.serve();
  await waitFor(() => hooks.length > 0 && mails.length > 0, { what: 'both alerts' });
  expect(hooks).toEqual([{ id: 'alert_1', type: 'tuma.finished' }]);
  expect(mails).toHaveLength(1);
  expect(mails[0]).toContain('Subject: [Tuma] faults is finished');
  expect(mails[0]).toContain('Sent 3');
  await second.stop();
  for (const text of [
    first.stderr(),
    second.stderr(),
    readFileSync(join(stage.directory, 'job.yaml'), 'utf8'),
  ])
    expect(text).not.toContain('CANARY');
  expect(mails[0]).not.toMatch(/2547\d{8}/);
});

test('doctor --alert sends a test by each channel, and says which one failed', async () => {
  const [hookPort, mailPort] = [await freePort(), await freePort()];
  const hooks: { id: string; type: string }[] = [];
  await hook(hookPort, hooks);
  const env = {
    TUMA_ALERT_URL: `http://127.0.0.1:${hookPort}/`,
    TUMA_ALERT_SECRET: SECRET,
    TUMA_ALERT_MAIL: 'ops@example.org',
    TUMA_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
  };
  const ended = await place().tuma(['doctor', '--alert', '--json'], { env });
  const { checks } = JSON.parse(ended.stdout) as {
    checks: { name: string; state: string; detail: string }[];
  };
  const alerts = checks.filter(({ name }) => name === 'test alert');
  expect([ended.code, alerts.map(({ state }) => state)]).toEqual([1, ['ok', 'fail']]);
  expect(alerts[1]?.detail).toContain('ECONNREFUSED');
  expect(hooks.map(({ type }) => type)).toEqual(['tuma.test']);
});

test('notify: in tuma.yaml is the same as the settings of alerts', async () => {
  const folder = place().folder({
    'tuma.yaml': `notify:\n  url: https://hooks.example.org/x\n  secret: ${SECRET}\n  low_credit: 500\n`,
  });
  const ended = await place().tuma(['doctor', '--json'], { cwd: folder, env: { TUMA_HOME: '' } });
  const { settings } = JSON.parse(ended.stdout) as { settings: { name: string; value: string | null }[] };
  const valueOf = (name: string) => settings.find((each) => each.name === name)?.value;
  expect(valueOf('TUMA_ALERT_URL')).toBe('[secret]');
  expect(valueOf('TUMA_LOW_CREDIT')).toBe('500');
});

test('one channel without its other half is refused, with both settings named', async () => {
  const ended = await place().tuma(['status'], { env: { TUMA_ALERT_URL: 'https://hooks.example.org/x' } });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(
    'TUMA_ALERT_URL (environment), TUMA_ALERT_SECRET (not set): must be given together',
  );
});
