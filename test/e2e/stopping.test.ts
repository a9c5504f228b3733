import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { jobFile, noTerminal, openPlace } from './harness.ts';

/* Ctrl-C tells the truth: whether this process sends, or only watches another one that does. */

const CTRL_C = '\u0003';
const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
const missing = noTerminal();
if (missing !== null) console.log(`the tests on a terminal are left out: ${missing}`);

/** The sandbox behind a gate: messages wait there until it opens. */
async function openGate() {
  const opened = Promise.withResolvers<void>();
  let held = 0;
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray());
    if (request.url?.includes('sendsms') === true) {
      held += 1;
      await opened.promise;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${place().sandbox.url}${request.url}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  };
  const server = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1');
  await waitFor(() => server.listening, { what: 'the gate' });
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, held: () => held, open: async () => opened.resolve() };
}

test.skipIf(missing !== null)(
  'a launch that sends itself says at once what it waits for, and loses nothing',
  async () => {
    const gate = await openGate();
    const { code, screen } = await place().onTerminal(['launch', 'job.yaml', '--yes', '--wait'], {
      env: { TUMA_MESSAGING_URL: gate.url },
      typed: [
        { after: /0\/3 /, when: () => waitFor(() => gate.held() === 3, { what: 'requests' }), type: CTRL_C },
        { after: /Stopping: 3 messages/, when: gate.open, type: '' },
      ],
    });
    expect(code).toBe(130);
    expect(screen).toContain(
      'Stopping: 3 messages are still on the wire (up to 30s). Ctrl-C again to stop now; they would become uncertain.',
    );
    expect(screen).toContain('error: Stopped by SIGINT; nothing is lost.');
    const report = await place().json(['report', 'promo']);
    expect(report.messages).toMatchObject({ sent: 3, uncertain: 0 });
  },
);

test.skipIf(missing !== null)(
  'a launch beside serve says who sends, and its Ctrl-C only ends the watching',
  async () => {
    // One message leaves, and the others wait for minutes, however long the watcher takes to start.
    place().write('beside.yaml', jobFile({ name: 'beside', rate: '1/min' }));
    const serve = place().start(['serve']);
    await serve.printed(/serving/);
    const launched = await place().tuma(['launch', 'beside.yaml', '--yes']);
    const [{ id } = { id: '' }] = place().campaigns().slice(-1);
    expect(launched.stderr).toContain(`serve is sending it now: tuma status ${id} --watch`);
    const watched = await place().onTerminal(['launch', 'beside.yaml', '--yes', '--wait'], {
      typed: [{ after: /[01]\/3 /, type: CTRL_C }],
    });
    expect(watched.code).toBe(130);
    expect(watched.screen).toContain('error: Stopped watching; serve goes on sending.');
    expect(watched.screen).toContain(`To stop it: tuma pause ${id}.`);
    expect(watched.screen).not.toContain('Stopping:');
    await place().json(['rate', id, '600/min']);
    const messages = async () => (await place().json(['report', id])).messages;
    await waitFor(async () => (await messages())['sent'] === 3, { what: 'serve to send the rest' });
    await serve.stop();
    expect(await messages()).toMatchObject({ sent: 3, uncertain: 0 });
  },
);

test('a launch outside of its hours says when sending opens', async () => {
  const serve = place().start(['serve']);
  await serve.printed(/serving/);
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7] ?? 'sun';
  const job =
    'name: later\nkind: transactional\nsender: DUKA\ncontacts: ./contacts.csv\nmessage: Hi <<name>>\n';
  place().write('later.yaml', `${job}window: { from: "08:00", to: "09:00", days: "${day}" }\n`);
  const { code, stderr } = await place().tuma(['launch', 'later.yaml', '--yes']);
  expect(code).toBe(0);
  expect(stderr).toMatch(/Sending opens \w{3} \d+ \w+ 20\d\d, 08:00/);
  await serve.stop();
});

test.skipIf(missing !== null)('serve on a terminal shows each open campaign, until Ctrl-C', async () => {
  const job = 'kind: transactional\nsender: DUKA\ncontacts: ./contacts.csv\nmessage: Hello <<name>>\n';
  place().write('slow.yaml', `name: slow\n${job}rate: 1/min\n`);
  await place().tuma(['launch', 'slow.yaml', '--yes', '--again', '--at', '2099-01-04 09:00']);
  const { code, screen } = await place().onTerminal(['serve'], {
    typed: [{ after: /0\/3 0\.0 %/, type: CTRL_C }],
  });
  expect(code).toBe(0);
  expect(screen).toMatch(/slow .*0\/3 0\.0 %/);
  expect(screen).toContain('stopping: no new message is taken');
});
