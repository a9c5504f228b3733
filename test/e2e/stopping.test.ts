import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { noTerminal, openPlace } from './harness.ts';

/* Ctrl-C tells the truth: whether this process sends, or only watches another one that does. */

const CTRL_C = '\u0003';
/** Each message stays on the wire for a while, so that Ctrl-C meets all of them there. */
const script = join(makeTempDir(), 'slow.yaml');
writeFileSync(script, '- { answer: delay, ms: 4000, times: 1 }\n'.repeat(9));
const place = openPlace({ env: { TUMA_RATE: 'unlimited' }, sandbox: { faults: { script } } });
const missing = noTerminal();
if (missing !== null) console.log(`the tests on a terminal are left out: ${missing}`);
/** The line of progress. Drawn several times: the messages have left by then. */
const WATCHING = /0\/3 /;
const UNDER_WAY = /(?:0\/3 [^]*?){4}/;

test.skipIf(missing !== null)(
  'a launch that sends itself says at once what it waits for, and loses nothing',
  async () => {
    const { code, screen } = await place().onTerminal(['launch', 'job.yaml', '--yes', '--wait'], {
      typed: [{ after: UNDER_WAY, type: CTRL_C }],
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
    const serve = place().start(['serve']);
    await serve.printed(/serving/);
    const launched = await place().tuma(['launch', 'job.yaml', '--yes', '--again']);
    const [{ id } = { id: '' }] = place().campaigns().slice(-1);
    expect(launched.stderr).toContain(`serve is sending it now: tuma status ${id} --watch`);
    const watched = await place().onTerminal(['launch', 'job.yaml', '--yes', '--wait'], {
      typed: [{ after: WATCHING, type: CTRL_C }],
    });
    expect(watched.code).toBe(130);
    expect(watched.screen).toContain('error: Stopped watching; serve goes on sending.');
    expect(watched.screen).toContain(`To stop it: tuma pause ${id}.`);
    expect(watched.screen).not.toContain('Stopping:');
    await serve.stop();
    expect((await place().json(['report', id])).messages).toMatchObject({ sent: 3, uncertain: 0 });
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
