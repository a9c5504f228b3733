import { describe, expect, test } from 'vitest';
import { noTerminal, openPlace } from './harness.ts';

/* A person at a terminal: the question under the cost, colours, a line that changes, Ctrl-C. */

const place = openPlace({ on: 'disk', env: { TUMA_RATE: 'unlimited' } });
const missing = noTerminal();
if (missing !== null) console.log(`the tests on a terminal are left out: ${missing}`);
const PROMPT = /Type the campaign's name \(promo\) to send: /;
const LAUNCH = ['launch', 'job.yaml'];
const ESCAPE = '\u001b';
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`, 'g');
/** Before a question, and before each new progress line. */
const ASIDE = `${ESCAPE}[1G${ESCAPE}[0J`;
const REDRAW = `\r${ESCAPE}[2K`;

describe.skipIf(missing !== null)('at a terminal', () => {
  test('another name than the campaign’s, nothing at all, or the end of the input send nothing', async () => {
    for (const type of ['promos\r', '\r', 'yes\r', '\u0004']) {
      const typed = [{ after: PROMPT, type }];
      // A name that is mistyped is asked for again.
      if (/[a-z]/.test(type))
        typed.push({ after: /What was typed is not the name: promo[^]*to send: /, type: '\r' });
      const { code, screen } = await place().onTerminal(LAUNCH, { typed });
      expect(code).toBe(2);
      expect(screen).toContain('error: Not launched; nothing was sent.');
      expect(screen.includes('What was typed is not the name: promo')).toBe(/[a-z]/.test(type));
    }
    expect(place().campaigns()).toEqual([]);
  });

  test('Ctrl-C at the question is the signal that it is everywhere: 130, and nothing launched', async () => {
    const { code, screen } = await place().onTerminal(LAUNCH, { typed: [{ after: PROMPT, type: '\u0003' }] });
    expect(screen).toContain('error: Stopped at the question; nothing was done.');
    expect(code).toBe(130);
    expect(place().campaigns()).toEqual([]);
  });

  test('the plan is coloured there, and not under NO_COLOR', async () => {
    const [coloured, plain] = await Promise.all([
      place().onTerminal(['plan', 'job.yaml']),
      place().onTerminal(['plan', 'job.yaml'], { env: { NO_COLOR: '1' } }),
    ]);
    expect(coloured.screen).toContain(`${ESCAPE}[1mpromo${ESCAPE}[22m (transactional, from DUKA)\r\n`);
    expect(plain.screen).toMatch(/^promo \(transactional/);
    expect(plain.screen).not.toContain(ESCAPE);
  });

  test('the name sends it: a line that changes, then the report, and no control character beside its own', async () => {
    const { code, screen } = await place().onTerminal([...LAUNCH, '--wait'], {
      columns: 72,
      typed: [{ after: PROMPT, type: 'promo\r' }],
    });
    expect(code).toBe(0);
    expect(screen).toContain(
      `Send 3 SMS (3 segments, about KES 2.40; balance 10,000.00)\r\n${ASIDE}Type the`,
    );
    expect(screen).toMatch(/Launched as \w{8}\.\r\n/);
    expect(screen).not.toContain('\ufffd');
    // A line that wrapped could not be taken back.
    const redrawn = screen
      .split(REDRAW)
      .slice(1)
      .map((line) => visible(line.split('\r\n')[0] ?? ''));
    expect(redrawn.some((line) => line.includes('3/3 100.0 % · KES 2.40'))).toBe(true);
    for (const line of redrawn) expect(line.length).toBeLessThan(72);
    expect(visible(screen)).toMatch(/promo {2}finished\r\n[^]*Delivered/);
  });

  test('Ctrl-C while it sends stops in order and says how to go on; then it goes on', async () => {
    // Ten seconds from message to message. On a starved machine one may miss its moment, and takes the next.
    const slow = { TUMA_RATE: '6/min' };
    const launch = [...LAUNCH, '--again', '--yes', '--wait'];
    const stopped = await place().onTerminal(launch, {
      env: slow,
      typed: [{ after: /1\/3 /, type: '\u0003' }],
    });
    expect(stopped.code).toBe(130);
    const id = place().campaigns().at(-1)?.id;
    expect(stopped.screen).toContain(`error: Stopped by SIGINT; nothing is lost.\r\n  at ${id}\r\n`);
    expect(stopped.screen).toContain('  Run the same command again, and campaign');
    const report = await place().json(['launch', 'job.yaml', '--wait']);
    expect(report).toMatchObject({ campaign: { id }, messages: { sent: 3, uncertain: 0 } });
    expect(place().sandbox.stats().accepted).toBe(6);
    expect(await place().json(['verify'])).toMatchObject({ violations: [] });
  });

  test.each([
    { home: 'found by the working directory', env: () => ({ TUMA_HOME: '' }) },
    { home: 'named by TUMA_HOME', env: () => ({ TUMA_HOME: place().path('another') }) },
  ])('a new ledger is asked about, in a home that is $home', async ({ env: envOf }) => {
    const env = envOf();
    const refused = await place().onTerminal([...LAUNCH, '--yes'], {
      env,
      asks: true,
      typed: [{ after: /Begin a new ledger there\? \[y\/N\] /, type: 'n\r' }],
    });
    expect(refused.code).toBe(2);
    expect(refused.screen).toContain('Nothing sent before is known here: this ledger is new.');
    const script = await place().tuma([...LAUNCH, '--yes'], { env, asks: true });
    expect([script.code, script.stdout]).toEqual([2, '']);
    expect(script.stderr).toContain('add --new-ledger');
    const begun = await place().onTerminal([...LAUNCH, '--yes'], {
      env,
      asks: true,
      typed: [{ after: /Begin a new ledger there\? \[y\/N\] /, type: 'y\r' }],
    });
    expect(begun.code).toBe(0);
    expect((await place().tuma([...LAUNCH, '--again', '--yes'], { env, asks: true })).code).toBe(0);
  });
});

/** Without the sequences that colour. */
function visible(text: string): string {
  return text.replaceAll(COLOUR, '');
}
