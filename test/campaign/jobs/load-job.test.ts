import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobJsonSchema } from '../../../src/campaign/jobs/job-schema.ts';
import { loadJob, MAX_JOB_BYTES } from '../../../src/campaign/jobs/load-job.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { compileTemplate } from '../../../src/domain/text/template.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tuma-load-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function write(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

async function load(yaml: string) {
  return loadJob(await write('job.yaml', yaml));
}

/** The error of a job file, with the temporary directory taken out of its places. */
async function refusal(path: string): Promise<TumaError & { lines: string[] }> {
  const error = await loadJob(path).then(
    () => expect.unreachable('the job was accepted'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(TumaError);
  const lines = (error as TumaError).message.replaceAll(`${directory}/`, '').split('\n');
  return Object.assign(error as TumaError, { lines });
}

async function problems(yaml: string): Promise<string[]> {
  const error = await refusal(await write('job.yaml', yaml));
  expect(error.code).toBe('job_invalid');
  expect(error.exitCode).toBe(6);
  const where = (error.where ?? '').replace(`${directory}/`, '');
  return error.lines.length === 1
    ? [`${where} ${error.lines[0]}`]
    : error.lines.slice(1).map((line) => line.trim());
}

const SMALLEST = 'name: x\nkind: promotional\nmessage: Hi\n';

describe('a job file', () => {
  it('has defaults for all it may leave out', async () => {
    const { job, contactsPath, file } = await load(SMALLEST);
    expect(job).toEqual({
      name: 'x',
      kind: 'promotional',
      sender: null,
      template: { message: 'Hi' },
      language: 'en',
      contacts: null,
      sheet: null,
      gsmSafe: false,
      columns: {},
      countries: null,
      otherMobiles: [],
      key: [],
      start: null,
      startDeadlineMs: 7_200_000,
      window: { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6, 7], marginMinutes: 10 },
      remind: null,
      every: null,
      ratePerSecond: null,
      batchSize: 500,
      budgetMicro: null,
      canary: null,
      guard: { sameTextMs: 86_400_000, most: null, perMs: 604_800_000 },
      retry: { attempts: 5, firstMs: 30_000, mostMs: 600_000 },
    });
    expect(contactsPath).toBeNull();
    expect(file).toBe(join(directory, 'job.yaml'));
  });

  it('goes out at any hour when it is transactional and says nothing else', async () => {
    expect((await load('name: x\nkind: transactional\nmessage: Hi')).job.window).toBeNull();
  });

  it('is read in every key', async () => {
    await write('texts/promo.txt', 'Hi <<name>>');
    const path = await write(
      'jobs/all.yaml',
      `name: black-friday
kind: transactional
sender: DUKA
template: ../texts/promo.txt
language: sw
contacts: ./promo.csv
sheet: Wateja
gsm: true
columns: { mobile: Phone, name: First name }
countries: [KE, TZ]
key: invoice
start: 2026-11-27T09:00
start_deadline: 90m
window: { from: 8:00, to: "17:30", days: mon-sat }
rate: 600/min
batch: 250
budget: 20000
retry: { attempts: 3, first: 1s, most: 1m }
`,
    );
    const { job, contactsPath, template } = await loadJob(path);
    expect(job).toEqual({
      name: 'black-friday',
      kind: 'transactional',
      sender: 'DUKA',
      template: { file: '../texts/promo.txt' },
      language: 'sw',
      contacts: './promo.csv',
      sheet: 'Wateja',
      gsmSafe: true,
      columns: { mobile: 'Phone', name: 'First name' },
      countries: ['KE', 'TZ'],
      otherMobiles: [],
      key: ['invoice'],
      start: '2026-11-27T09:00',
      startDeadlineMs: 5_400_000,
      window: { fromMinute: 480, toMinute: 1050, days: [1, 2, 3, 4, 5, 6], marginMinutes: 10 },
      remind: null,
      every: null,
      ratePerSecond: 10,
      batchSize: 250,
      budgetMicro: 20_000_000_000,
      canary: null,
      guard: { sameTextMs: null, most: null, perMs: 604_800_000 },
      retry: { attempts: 3, firstMs: 1000, mostMs: 60_000 },
    });
    expect(contactsPath).toBe(join(directory, 'jobs/promo.csv'));
    expect(template).toEqual({ source: 'Hi <<name>>', file: join(directory, 'texts/promo.txt') });
  });

  it('keeps the zeros of a sender and the decimals of a budget, which YAML would take for numbers', async () => {
    const { job } = await load(`${SMALLEST}sender: 00123\nbudget: 1250.10\n`);
    expect(job.sender).toBe('00123');
    expect(job.budgetMicro).toBe(1_250_100_000);
  });

  it('takes words for what they are: a name may be null, yes or 2026', async () => {
    for (const name of ['null', 'yes', '2026']) {
      expect((await load(`name: ${name}\nkind: promotional\nmessage: Hi`)).job.name).toBe(name);
    }
  });

  it('has no window with `always` and no rate of its own with `unlimited`', async () => {
    const { job } = await load(`${SMALLEST}window: always\nrate: unlimited\n`);
    expect(job.window).toBeNull();
    expect(job.ratePerSecond).toBeNull();
  });

  it('may send until midnight, on days and ranges of days', async () => {
    const { job } = await load(`${SMALLEST}window: { from: "08:00", to: "24:00", days: "mon,fri-sun" }\n`);
    expect(job.window).toEqual({ fromMinute: 480, toMinute: 1440, days: [1, 5, 6, 7], marginMinutes: 10 });
  });

  it('may name columns after parts of JavaScript without touching them', async () => {
    const { job } = await load(`${SMALLEST}columns: { constructor: A, toString: B }\n`);
    expect(Object.entries(job.columns)).toEqual([
      ['constructor', 'A'],
      ['toString', 'B'],
    ]);
  });

  it('may stand behind a byte order mark and have Windows line ends', async () => {
    const path = await write('job.yaml', `\u{feff}${SMALLEST.replaceAll('\n', '\r\n')}`);
    expect((await loadJob(path)).job.name).toBe('x');
  });
});

describe('the identity of a job', () => {
  it('is the sha256 of the file as it is and of the message text', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const inline = await load(SMALLEST);
    expect(inline.hashes).toEqual({ job: sha256(SMALLEST), template: sha256('Hi') });
    await write('a.txt', 'Karibu <<name>>\n');
    const filed = await load('name: x\nkind: promotional\ntemplate: a.txt\n');
    expect(filed.hashes.template).toBe(sha256('Karibu <<name>>\n'));
  });

  it('changes with a comment in the job file and with a letter of the template', async () => {
    await write('a.txt', 'Hi');
    const before = (await load('name: x\nkind: promotional\ntemplate: a.txt\n')).hashes;
    await write('a.txt', 'Ho');
    const after = (await load('name: x\nkind: promotional\ntemplate: a.txt # new\n')).hashes;
    expect(after.job).not.toBe(before.job);
    expect(after.template).not.toBe(before.template);
  });
});

describe('a wrong job file', () => {
  it('without a text is refused, alone and beside what else is wrong with it', async () => {
    const missing = 'job.yaml:1:1 The job needs a `template` (a file), or a `message` (the text itself)';
    expect(await problems('name: x\nkind: promotional\n')).toEqual([missing]);
    expect(
      await problems('name: x\nkind: promotional\nstart: 2026-11-27T09:00\nevery: { cron: "0 9 * * mon" }'),
    ).toEqual([missing, 'job.yaml:4:8 `every` is given beside `start`; keep one']);
  });

  it('is refused for a canary of reminders, and for a cap on what a transactional message says', async () => {
    expect(await problems(`${SMALLEST}remind: { column: due }\ncanary: { first: 5 }\n`)).toEqual([
      'job.yaml:5:9 `canary` does not go with `remind`, because reminders are sent on many days',
    ]);
    const transactional = SMALLEST.replace('promotional', 'transactional');
    expect(await problems(`${transactional}guard: { most: 3 }\n`)).toEqual([
      'job.yaml:4:16 `guard.most` is only for promotional jobs',
    ]);
    expect((await load(`${transactional}guard: { same_text: 1h }\n`)).job.guard).toBeDefined();
  });

  it('is told all its problems at once, each with its place', async () => {
    const yaml = `name: x
kind: promo
sendr: DUKA
window: { form: "08:00", to: 18:00, days: mon-zat }
retry: { first: 3, atempts: 4 }
batch: 0
budget: "1,50"
rate: fast
start: 2026-02-30T09:00
start_deadline: 0s
message: ""
`;
    expect(await problems(yaml)).toEqual([
      'job.yaml:2:7 `kind` must be promotional or transactional',
      'job.yaml:3:1 `sendr` is unknown; did you mean `sender`?',
      'job.yaml:4:9 `window.from` is missing',
      'job.yaml:4:11 `window.form` is unknown; did you mean `from`?',
      'job.yaml:4:43 `window.days` must be days such as mon-sat, or mon,wed,fri',
      'job.yaml:5:17 `retry.first` must be a time span such as 30s, 15m or 2h',
      'job.yaml:5:20 `retry.atempts` is unknown; did you mean `attempts`?',
      'job.yaml:6:8 `batch` must be a whole number from 1 to 5000',
      'job.yaml:7:9 `budget` must be an amount such as 20000 or 1,250.50',
      'job.yaml:8:7 `rate` must be a rate such as 50/s, 600/min or unlimited',
      'job.yaml:9:8 `start` must be a time such as 2026-11-27T09:00',
      'job.yaml:10:17 `start_deadline` must be a time span such as 30s, 15m or 2h',
      'job.yaml:11:10 `message` must not be empty',
    ]);
  });

  it.each([
    [
      'window: sometimes',
      'job.yaml:4:9 `window` must be `always`, or hours such as { from: "08:00", to: "18:00", days: mon-sat }',
    ],
    [
      'window: { from: "20:00", to: "06:00" }',
      'job.yaml:4:30 `window.to` must be more than 10 minutes after `from`, on the same day; a window over midnight is not supported',
    ],
    [
      'window: { from: "08:00", to: "08:00" }',
      'job.yaml:4:30 `window.to` must be more than 10 minutes after `from`, on the same day; a window over midnight is not supported',
    ],
    ['window: { from: "08:00", to: "24:01" }', 'job.yaml:4:30 `window.to` must be a time such as "18:00"'],
    ['canary: { delivered: 0% }', 'job.yaml:4:22 `canary.delivered` must be a share such as 80%'],
    ['canary: { delivered: 101% }', 'job.yaml:4:22 `canary.delivered` must be a share such as 80%'],
    ['canary: { delivered: 0.8 }', 'job.yaml:4:22 `canary.delivered` must be a share such as 80%'],
    ['canary: { first: 0 }', 'job.yaml:4:18 `canary.first` must be a whole number from 1 to 5000'],
    ['canary: { delivered: about 80% }', 'job.yaml:4:22 `canary.delivered` must be a share such as 80%'],
    ['canary: { delivered: 80% or so }', 'job.yaml:4:22 `canary.delivered` must be a share such as 80%'],
    [
      'window: { from: "08:00", to: "08:10" }',
      'job.yaml:4:30 `window.to` must be more than 10 minutes after `from`, on the same day; a window over midnight is not supported',
    ],
    [
      'window: { from: "08:00", to: "18:00", days: [] }',
      /^job\.yaml:4:\d+ `window.days` must be days such as /,
    ],
    [
      'remind: { column: due, at: "24:00" }',
      'job.yaml:4:28 `remind.at` must be a time such as "09:00", or { column: appointment } for a column with times',
    ],
    ['remind: { offset: -2d }', 'job.yaml:4:9 `remind.column` is missing'],
    [
      'every: { cron: "0 9 30 2 *" }',
      /^job\.yaml:4:16 `every.cron` must be five fields that come at some time/,
    ],
    ['batch: 5.5', 'job.yaml:4:8 `batch` must be a whole number from 1 to 5000'],
    ['batch: 1e3', 'job.yaml:4:8 `batch` must be a whole number from 1 to 5000'],
    ['batch: 0x10', 'job.yaml:4:8 `batch` must be a whole number from 1 to 5000'],
    ['recipients: ./c.csv', /^job\.yaml:4:1 `recipients` is unknown; known are: name, .*contacts, /],
    [
      'window: { from: "08:00", to: "18:00", days: [mon] }',
      /^job\.yaml:4:\d+ `window.days` must be days such as /,
    ],
    ['canary: { frist: 9 }', 'job.yaml:4:11 `canary.frist` is unknown; did you mean `first`?'],
    ['retry: 5', 'job.yaml:4:8 `retry` must be a map such as { attempts: 5, first: 30s, most: 10m }'],
    ['canary: 50', 'job.yaml:4:9 `canary` must be a map such as { first: 50, wait: 15m, delivered: 80% }'],
    [
      'guard: 24h',
      'job.yaml:4:8 `guard` must be a map such as { same_text: 24h, most: 3, per: 7d }, or { same_text: off } for no guard',
    ],
    ['guard: off', /^job\.yaml:4:8 `guard` must be .*\{ same_text: off \} for no guard$/],
    ['budget: KES 5,000', /^job\.yaml:4:9 `budget` must be an amount /],
    ['budget: 5,00', /^job\.yaml:4:9 `budget` must be an amount /],
    ['every: daily', 'job.yaml:4:8 `every` must be a map such as { cron: "0 9 * * mon" }'],
    ['remind: due', 'job.yaml:4:9 `remind` must be a map such as { column: due, offset: -2d, at: "09:00" }'],
    ['guard: { per: 7d }', 'job.yaml:4:8 `guard.most` is missing: `per` is its span'],
    ['guard: { most: 0 }', 'job.yaml:4:16 `guard.most` must be a whole number from 1 to 1000'],
    [
      'guard: { same_text: never }',
      'job.yaml:4:21 `guard.same_text` must be a time span such as 24h, or off',
    ],
    ['guard: { same_txt: 1h }', 'job.yaml:4:10 `guard.same_txt` is unknown; did you mean `same_text`?'],
    ['retry: { first: 1h, most: 1m }', 'job.yaml:4:27 `retry.most` must not be shorter than `first`'],
    ['key:', 'job.yaml:4:5 `key` must not be empty'],
    ['key: [a, A]', 'job.yaml:4:6 `key` names the same column twice'],
    ['key: []', 'job.yaml:4:6 `key` must not be empty'],
    ['key: { a: b }', 'job.yaml:4:6 `key` must be a column such as invoice, or a list such as [pupil, date]'],
    ['columns: { mobile: [A, a] }', 'job.yaml:4:20 `columns.mobile` names the same column twice'],
    ['columns: { mobile: [] }', 'job.yaml:4:20 `columns.mobile` must not be empty'],
    [
      'columns: { name: [A, B] }',
      'job.yaml:4:18 `columns.name` must be one header name; only `mobile` may have several',
    ],
    [
      'remind: { column: due, offset: -2h }',
      'job.yaml:4:32 `remind.offset` counts hours from the time of the event: say which column has it, as `at: { column: Time }`',
    ],
    [
      'remind: { column: due, offsets: [-1d, -2h], at: "09:00" }',
      'job.yaml:4:39 `remind.offsets.1` counts hours from the time of the event: say which column has it, as `at: { column: Time }`',
    ],
    [
      'remind: { column: due, offsets: [-1d, -24h], at: { column: hour } }',
      'job.yaml:4:33 `remind.offsets` names the same moment twice',
    ],
    ['columns: [a, b]', 'job.yaml:4:10 `columns` must be a map of our name to a header name'],
    ['batch: 5001', 'job.yaml:4:8 `batch` must be a whole number from 1 to 5000'],
    ['budget: 0', 'job.yaml:4:9 `budget` must be an amount such as 20000 or 1,250.50'],
    ['budget: 1e3', 'job.yaml:4:9 `budget` must be an amount such as 20000 or 1,250.50'],
    ['sender: "A\\nB"', 'job.yaml:4:9 `sender` must be one line of text'],
    ['contacts: { file: a.csv }', 'job.yaml:4:11 `contacts` must be text'],
    ['template: a.txt', 'job.yaml:3:10 `message` is given beside `template`; keep one'],
    ['constructor: a', /^job\.yaml:4:1 `constructor` is unknown; known are: name, kind, /],
    [
      'sender: Duka: Nairobi',
      /^job\.yaml:4:9 YAML: .*; text with `: ` in it needs straight quotation marks$/,
    ],
    ['name: y', 'job.yaml:4:1 YAML: Map keys must be unique'],
    ['key: *k', 'job.yaml:4:6 YAML aliases (`*name`) are not allowed in a job file'],
  ])('with %s is refused at its place', async (line, expected) => {
    const told = await problems(`${SMALLEST}${line}\n`);
    expect(told).toHaveLength(1);
    if (typeof expected === 'string') expect(told[0]).toBe(expected);
    else expect(told[0]).toMatch(expected);
  });

  it.each([
    ['Acc #45, <<name>>', '3:14'],
    ['Hi <<name>>,\n  order # 12', '4:9'],
  ])('is refused when YAML takes the rest of its message for a comment: %s', async (message, at) => {
    const told = await problems(`name: x\nkind: promotional\nmessage: ${message}\nbatch: 5\n`);
    expect(told).toEqual([expect.stringMatching(`^job.yaml:${at} \`message\` ends before this \`#\``)]);
  });

  it('is refused in our words only where its message begins with a field', async () => {
    const warned = vi.spyOn(process, 'emitWarning');
    expect(await problems('name: x\nkind: promotional\nmessage: {{name}}\n')).toEqual([
      'job.yaml:3:10 `message` must be text',
    ]);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  it.each(['Acc#45', 'Hi\n# by Ann', 'Hi\n  # by Ann', '"Acc #45" # short', '|  # short\n  Acc #45'])(
    'may have comments where they cut nothing: %j',
    async (message) => {
      expect((await load(`name: x\nkind: promotional\nmessage: ${message}\nbatch: 5\n`)).job.batchSize).toBe(
        5,
      );
    },
  );

  it('takes a budget with commas between thousands', async () => {
    expect((await load(`${SMALLEST}budget: 5,000.50\n`)).job.budgetMicro).toBe(5_000_500_000);
  });

  it('is refused when it is empty, a list or a word', async () => {
    expect(await problems('')).toContain('job.yaml:1:1 `kind` is missing');
    for (const yaml of ['- a\n- b\n', 'hello']) {
      expect(await problems(yaml)).toEqual([
        'job.yaml:1:1 The job must be a map of keys, such as `name: black-friday`',
      ]);
    }
  });

  it('is refused when it is broken YAML, several documents, or uses aliases', async () => {
    expect(await problems('name: [x\nkind: "promotional')).not.toHaveLength(0);
    expect((await problems('name: x\n---\nname: y\n'))[0]).toContain('multiple documents');
    expect(await problems('name: &n x\nkind: *n\nmessage: Hi\n')).toEqual([
      'job.yaml:2:7 YAML aliases (`*name`) are not allowed in a job file',
    ]);
  });

  it('shows at most twenty problems and counts the others', async () => {
    const yaml = SMALLEST + Array.from({ length: 30 }, (_, index) => `unknown${index}: 1\n`).join('');
    const told = await problems(yaml);
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('and 10 more');
  });

  it('is refused when it names a template that is not there, at that line', async () => {
    expect(await problems('name: x\nkind: promotional\ntemplate: no/such.txt\n')).toEqual([
      'job.yaml:3:11 `template` names no/such.txt, which does not exist',
    ]);
  });
});

describe('an error in a message that is written in the job file', () => {
  it.each([
    ['message: Hi <<nmae>>', '3:10'],
    ['message:   "Hi <<nmae>>" # double', '3:12'],
    ['message: |\n  Dear\n  Hi <<nmae>>\n', '3:10'],
  ])('is where the message begins: %j', async (line, place) => {
    const { template, file } = await load(`name: x\nkind: promotional\n${line}\n`);
    const compile = () => compileTemplate({ ...template, header: ['name'], columns: {} });
    expect(compile).toThrow(expect.objectContaining({ where: `${file}:${place}` }));
  });
});

describe('a file that cannot be read', () => {
  it('is not found, exit 2, when there is no job file of that name', async () => {
    const error = await refusal(join(directory, 'promo.yml'));
    expect([error.code, error.exitCode]).toEqual(['not_found', 2]);
    expect(error.message).toContain('promo.yml does not exist');
    await write('sacco.yaml', SMALLEST);
    const { hint } = await refusal(join(directory, 'sacco'));
    expect(hint).toBe(`Did you mean ${join(directory, 'sacco.yaml')}?`);
  });

  it('is refused when it is a directory, a pipe, too large, or not UTF-8', async () => {
    const pipe = join(directory, 'pipe.yaml');
    execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
    const large = await write('large.yaml', `${SMALLEST}#${'x'.repeat(MAX_JOB_BYTES)}`);
    const latin1 = await write('latin1.yaml', Buffer.from('name: caf\xe9\n', 'latin1'));
    const answers = [directory, pipe, large, latin1].map(async (path) => (await refusal(path)).lines[0]);
    const told = await Promise.all(answers);
    expect(told[0]).toContain('is not a regular file');
    expect(told[1]).toContain('is not a regular file');
    expect(told[2]).toContain('is larger than 65536 bytes');
    expect(told[3]).toContain('is not UTF-8 text');
  });

  it('does not wait for ever on a template that is a device', async () => {
    await symlink('/dev/zero', join(directory, 'a.txt'));
    const path = await write('job.yaml', 'name: x\nkind: promotional\ntemplate: a.txt\n');
    const error = await refusal(path);
    expect(error.code).toBe('template_invalid');
    expect(error.where).toBe(`${path}:3:11`);
  });
});

describe('jobs/schema.json', () => {
  it('is what editors are told of the schema that reads job files (npx vitest run -u writes it anew)', async () => {
    await expect(`${JSON.stringify(jobJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      '../../../jobs/schema.json',
    );
  });
});
