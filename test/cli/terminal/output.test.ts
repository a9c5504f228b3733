import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { confirmCampaign } from '../../../src/cli/terminal/confirm.ts';
import { createOutput } from '../../../src/cli/terminal/output.ts';
import { progressLine } from '../../../src/cli/terminal/progress.ts';
import { paceOf } from '../../../src/reports/campaign-pace.ts';
import { displayWidth, renderTable } from '../../../src/cli/text/table.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';

function harness(options: { tty?: boolean; columns?: number; json?: boolean; showNumbers?: boolean } = {}) {
  const { tty = false, columns = 80, json = false, showNumbers = false } = options;
  const marks = tty ? { isTTY: true, columns } : {};
  const stdin = Object.assign(new PassThrough(), marks);
  const stdout = Object.assign(new PassThrough(), marks);
  const stderr = Object.assign(new PassThrough(), marks);
  const output = createOutput({ stdin, stdout, stderr }, { json, showNumbers });
  const text = (stream: PassThrough) => String(stream.read() ?? '');
  return { output, stdin, stdout, stderr, out: () => text(stdout), err: () => text(stderr) };
}

function overview(
  changes: Partial<Omit<CampaignOverview, 'messages'>> & {
    messages?: Partial<CampaignOverview['messages']>;
  } = {},
): CampaignOverview {
  const none = {
    queued: 0,
    sending: 0,
    sent: 0,
    rejected: 0,
    uncertain: 0,
    skipped: 0,
    canceled: 0,
    written_off: 0,
  };
  const campaign = { name: 'black-friday', settings: { currency: 'KES' } } as CampaignOverview['campaign'];
  const rest = {
    campaign,
    state: 'running',
    reason: null,
    takenBack: 0,
    startedAt: 0,
    finishedAt: null,
    budgetMicro: null,
  } as const;
  const counts = { sentLast10s: 500, lastSentAt: 99_000, spentMicro: 3_856_800_000 };
  return {
    ...rest,
    ...counts,
    ...changes,
    messages: { ...none, queued: 43_000, sent: 4_821, rejected: 12, ...changes.messages },
  };
}

describe('what goes where', () => {
  it('prints the answer on stdout and everything else on stderr', () => {
    const { output, out, err } = harness();
    output.note('by the way');
    output.progress('1 of 2');
    output.result({ a: 1 }, () => 'the answer');
    expect(out()).toBe('the answer\n');
    expect(err()).toBe('by the way\n1 of 2\n');
  });

  it('with --json prints one document on one line, and no word beside it', () => {
    const { output, out, err } = harness({ json: true, tty: true });
    output.note('by the way');
    output.progress('1 of 2');
    output.result({ text: 'two\nlines' }, () => 'never');
    expect(out()).toBe('{"text":"two\\nlines"}\n');
    expect(err()).toBe('');
    expect(output).toMatchObject({ terminal: false, interactive: false, liveProgress: false });
  });

  it('takes back as many lines of progress as it has shown', () => {
    const { output, err } = harness({ tty: true });
    const [clear, up] = ['\r\u001b[2K', '\u001b[1A'];
    output.progress('one\ntwo');
    output.note('a word above');
    output.progress('three');
    output.progress(null);
    const both = `${clear}${up}${clear}`;
    expect(err()).toBe(`${clear}one\ntwo${both}a word above\none\ntwo${both}three${clear}`);
  });

  it('masks numbers unless they are asked for', () => {
    expect(harness().output.number('254712345678')).toBe('2547****5678');
    expect(harness({ showNumbers: true }).output.number('254712345678')).toBe('254712345678');
  });

  it('escapes in JSON what could control the terminal, so that it is read as it was [X35]', () => {
    const { output, out, err } = harness({ json: true, tty: true });
    const word = 'a\u001b]0;x\u0007\u009b2J\u202eb\u007f';
    output.result({ word }, () => 'never');
    output.error(JSON.stringify({ word }));
    for (const text of [out(), err()]) {
      expect(JSON.parse(text)).toEqual({ word });
      expect(text.trimEnd()).toMatch(/^[ -~]+$/);
    }
  });

  it('shows a terminal no control of a CSV, and gives a program every byte [X35]', () => {
    const [seen, piped] = [harness({ tty: true }), harness()];
    for (const { output } of [seen, piped]) output.data('a,"\u001b[2J"\n');
    expect([seen.out(), piped.out()]).toEqual(['a,"\ufffd[2J"\n', 'a,"\u001b[2J"\n']);
  });

  it('lets nothing control the terminal [X35]', () => {
    const { output, out, err } = harness({ tty: true });
    output.note('a\u001b]0;title\u0007b\rc\u202ed');
    output.error('x\u001b[2Jy');
    output.result(null, () => 'p\u001b[1mq\u001b[22m\u009b2J');
    expect(err()).toBe('a\ufffd]0;title\ufffdb\ufffdc\ufffdd\nx\ufffd[2Jy\n');
    expect(out()).toBe('p\u001b[1mq\u001b[22m\ufffd2J\n');
  });

  it('prints a log line above the progress line, which stays the last', () => {
    const { output, err } = harness({ tty: true });
    output.progress('50 %');
    output.logLine('12:00:00 warn  slow\n');
    output.progress(null);
    expect(err()).toBe('\r\u001b[2K50 %\r\u001b[2K12:00:00 warn  slow\n50 %\r\u001b[2K');
  });

  it('without a terminal shows progress every ten seconds, not every look', () => {
    const { output, err } = harness();
    for (let i = 0; i < 50; i++) output.progress(`${i}`);
    expect(err()).toBe('0\n');
  });
});

describe('a confirmation', () => {
  const facts = { name: 'promo', summary: 'Send 3 messages for KES 2.40?', yes: false };
  const signal = new AbortController().signal;

  /** Types each answer when it is asked for; null: the input ends. */
  async function typed(...answers: (string | null)[]): Promise<{ outcome: string; err: string }> {
    const { output, stdin, err } = harness({ tty: true });
    const asked = confirmCampaign({ ...facts, output, signal }).then(
      () => 'confirmed',
      (error: { code: string }) => error.code,
    );
    let shown = '';
    for (const [at, answer] of answers.entries()) {
      await waitFor(() => (shown += err()).split('to send: ').length > at + 1, { what: 'the question' });
      if (answer === null) stdin.end();
      else stdin.write(answer);
    }
    return { outcome: await asked, err: shown + err() };
  }

  it('is the name of the campaign, typed under its cost', async () => {
    const { outcome, err } = await typed('promo\n');
    expect(outcome).toBe('confirmed');
    expect(err.indexOf('KES 2.40')).toBeLessThan(err.indexOf("Type the campaign's name (promo)"));
  });

  it.each([[['yes\n', '\n']], [['\n']], [['promo2\n', 'Promo\n', 'promo 2\n']], [[null]]])(
    'is nothing else: %j',
    async (answers) => {
      expect((await typed(...answers)).outcome).toBe('declined');
    },
  );

  it('is asked for again when it is mistyped', async () => {
    const { outcome, err } = await typed('promo2\n', 'promo\n');
    expect(outcome).toBe('confirmed');
    expect(err).toContain('What was typed is not the name: promo.');
  });

  it('is given up by Ctrl-C', async () => {
    const { output } = harness({ tty: true });
    const stopping = new AbortController();
    const asked = confirmCampaign({ ...facts, output, signal: stopping.signal });
    stopping.abort('SIGINT');
    await expect(asked).rejects.toMatchObject({ code: 'declined' });
  });

  it('without a terminal needs --yes, and with it asks nobody [X36]', async () => {
    const { output } = harness();
    await expect(confirmCampaign({ ...facts, output, signal })).rejects.toMatchObject({
      code: 'declined',
      exitCode: 2,
    });
    await confirmCampaign({ ...facts, output, signal, yes: true });
  });
});

describe('the progress line', () => {
  const NOW = 100_000;
  const LOOK = { now: NOW, accountRate: null };
  const after = (ms: number) => ({ ...LOOK, now: NOW + ms });

  it('has bar, settled of total, rejected, rate, spent and time left', () => {
    const line = progressLine(harness({ tty: true, columns: 140 }).output, overview(), LOOK);
    expect(stripVTControlCharacters(line).replace(/[█░]+/, 'BAR')).toBe(
      'black-friday BAR 4,833/47,833 10.1 % · 12 rejected · 50.0/s · KES 3,856.80 · 14 min 20 s left',
    );
  });

  it.each([[200], [140], [100], [80], [60], [40]])(
    'is never wider than %i columns, for a line that wraps cannot be taken back',
    (columns) => {
      const line = progressLine(harness({ tty: true, columns }).output, overview(), LOOK);
      expect(displayWidth(line)).toBeLessThan(columns);
    },
  );

  it('shortens a long name, and no number', () => {
    const campaign = { ...overview().campaign, name: 'mkutano-wa-wazazi-wa-shule-ya-msingi-november-2026' };
    const at = (columns: number, text: string) =>
      expect(progressLine(harness({ tty: true, columns }).output, { ...overview(), campaign }, LOOK)).toBe(
        text,
      );
    at(75, 'mkutano-wa-waza… 4,833/47,833 10.1 % · 12 rejected · 50.0/s · KES 3,856.80');
    at(60, 'mkutano-wa-waza… 4,833/47,833 10.1 % · 12 rejected · 50.0/s');
    // A short one takes no room from the facts.
    campaign.name = 'a';
    at(60, 'a 4,833/47,833 10.1 % · 12 rejected · 50.0/s · KES 3,856.80');
  });

  it('is as wide as usual on a terminal that does not know its size, and ends where there is no room', () => {
    const at = (columns: number) => progressLine(harness({ tty: true, columns }).output, overview(), LOOK);
    expect(at(0)).toBe(at(100));
    expect(at(1)).toBe('');
  });

  it('is plain words without a terminal', () => {
    expect(progressLine(harness().output, overview({ messages: { uncertain: 3 } }), LOOK)).toBe(
      'black-friday: 4,836 of 47,836 settled (10.1 %), 12 rejected, 3 uncertain, 50.0/s, KES 3,856.80, 14 min 20 s left',
    );
  });

  it('has no rate where nothing is left, and never tells the end in milliseconds', () => {
    const line = (queued: number) =>
      progressLine(harness().output, overview({ messages: { queued, sending: 0 } }), LOOK);
    expect(line(0)).not.toMatch(/\/s| left/);
    expect(line(1)).toMatch(/, less than 1 s left$/);
  });

  it('does not call nothing what nobody knows', () => {
    expect(progressLine(harness().output, overview({ spentMicro: 0, unpriced: 2 }), LOOK)).toContain(
      ', 50.0/s, cost not known, ',
    );
  });

  it('says why nothing moves instead of a rate of long ago', () => {
    expect(progressLine(harness().output, overview({ state: 'paused', reason: 'balance' }), LOOK)).toMatch(
      /KES 3,856\.80, paused: not enough credit$/,
    );
    expect(paceOf(overview(), after(60_000))).toEqual({ perSecond: 0, leftMs: null });
    expect(paceOf(overview(), { ...LOOK, workers: 0 })).toEqual({ perSecond: 0, leftMs: null });
    expect(paceOf(overview({ startedAt: null, lastSentAt: null }), LOOK)).toEqual({
      perSecond: null,
      leftMs: null,
    });
  });

  it('does not call the first seconds slow', () => {
    expect(paceOf(overview({ startedAt: NOW - 2_000, sentLast10s: 100 }), LOOK).perSecond).toBe(50);
  });

  it('never promises more than the rate of the campaign, and waits as long as that takes between two messages', () => {
    const slow = overview({ startedAt: NOW - 2_000, sentLast10s: 1 });
    slow.campaign.settings.ratePerSecond = 0.01;
    expect(paceOf(slow, LOOK).perSecond).toBe(0.01);
    expect(paceOf(slow, after(150_000)).perSecond).toBe(0.01);
    expect(paceOf(slow, after(250_000)).perSecond).toBe(0);
  });

  it('never promises more than the account has beside the campaign', () => {
    const quick = overview({ startedAt: NOW - 2_000, sentLast10s: 1 });
    quick.campaign.settings.ratePerSecond = null;
    const slow = (ms: number) => ({ now: NOW + ms, accountRate: 0.01 });
    expect(paceOf(quick, slow(0)).perSecond).toBe(0.01);
    expect(paceOf(quick, slow(150_000)).perSecond).toBe(0.01);
    expect(paceOf(quick, slow(250_000)).perSecond).toBe(0);
    const both = overview({ startedAt: NOW - 1_000, sentLast10s: 50 });
    both.campaign.settings.ratePerSecond = 40;
    expect(paceOf(both, { ...LOOK, accountRate: 50 }).perSecond).toBeCloseTo(39.2, 1);
  });

  it('of reminders knows no time left: most of them wait for their days', () => {
    const month = overview({ startedAt: NOW - 60_000, sentLast10s: 100 });
    expect(paceOf(month, LOOK).leftMs).not.toBeNull();
    month.campaign.settings.remind = { column: 'due', offsetMs: 0, at: null } as never;
    expect(paceOf(month, LOOK)).toEqual({ perSecond: 10, leftMs: null });
  });
});

describe('whoever read it went away', () => {
  it.each([
    ['stdout', false, true],
    ['stderr', false, true],
    ['stdout', true, true],
    ['stderr', true, false],
  ] as const)('at %s, JSON %s: unread %s', (stream, json, unread) => {
    const { output, [stream]: gone } = harness({ json });
    expect(output.unread).toBe(false);
    gone.emit('error', new Error('EPIPE'));
    expect(output.unread).toBe(unread);
  });
});

describe('a table', () => {
  const columns = [{ heading: 'name' }, { heading: 'sent', numeric: true }];

  it('is padded for a terminal and tab-separated for a program', () => {
    const rows = [
      ['promo', '5'],
      ['日本', '12345'],
    ];
    expect(renderTable(columns, rows, { padded: true })).toBe('name    sent\npromo      5\n日本   12345');
    expect(renderTable(columns, rows, { padded: false })).toBe('name\tsent\npromo\t5\n日本\t12345');
  });

  it('keeps a row on its line and a cell in its column, whatever is in it', () => {
    expect(renderTable(columns, [['a\tb\nc\u001b[31m', '1']], { padded: false })).toBe(
      'name\tsent\na b c\ufffd[31m\t1',
    );
  });
});
