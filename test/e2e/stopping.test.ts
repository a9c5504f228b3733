import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { noTerminal, openPlace } from './harness.ts';

/* Ctrl-C tells the truth: whether this process sends, or only watches another one that does. */

const CTRL_C = '\u0003';
const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
const missing = noTerminal();
if (missing !== null) console.log(`the tests on a terminal are left out: ${missing}`);
/** The line of progress. */
const WATCHING = /0\/3 /;

const ON_THE_WIRE = 3;

test.skipIf(missing !== null)(
  'a launch that sends itself says at once what it waits for, and loses nothing',
  async () => {
    const { env, held, release } = await place().holdAnswers();
    const { code, screen } = await place().onTerminal(['launch', 'job.yaml', '--yes', '--wait'], {
      env,
      typed: [
        { after: WATCHING, when: () => held() === ON_THE_WIRE, type: CTRL_C },
        { after: /Stopping: [^]*uncertain/, when: () => (release(), true), type: '' },
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
    const { env, held, release } = await place().holdAnswers();
    const serve = place().start(['serve'], { env });
    await serve.printed(/serving/);
    const launched = await place().tuma(['launch', 'job.yaml', '--yes', '--again']);
    const [{ id } = { id: '' }] = place().campaigns().slice(-1);
    expect(launched.stderr).toContain(`serve is sending it now: tuma status ${id} --watch`);
    const watched = await place().onTerminal(['launch', 'job.yaml', '--yes', '--wait'], {
      typed: [{ after: WATCHING, when: () => held() === ON_THE_WIRE, type: CTRL_C }],
    });
    expect(watched.code).toBe(130);
    expect(watched.screen).toContain('error: Stopped watching; serve goes on sending.');
    expect(watched.screen).toContain(`To stop it: tuma pause ${id}.`);
    expect(watched.screen).not.toContain('Stopping:');
    release();
    const messages = async () => (await place().json(['report', id])).messages;
    await waitFor(async () => (await messages())['sent'] === 3, { what: 'serve to go on sending' });
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
