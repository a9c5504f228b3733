import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contacts, errorOf, jobFile, openPlace } from './harness.ts';

/* A wrong job file, template, CSV, flag or setting: one clear message with its place, the right exit code, nothing launched. */

const place = openPlace();

interface Case {
  what: string;
  /** Files that differ from the good ones, by name. */
  files?: Record<string, string | Uint8Array>;
  args?: string[];
  env?: Record<string, string>;
  exit: number;
  code: string;
  message: RegExp;
  hint?: RegExp;
  where?: RegExp;
}

const UTF16 = Buffer.from('\uFEFFphone,name\n0700000001,A\n', 'utf16le').subarray(0, -1);

const CASES: Case[] = [
  {
    what: 'no job file of that name',
    args: ['nothing.yaml'],
    exit: 2,
    code: 'not_found',
    message: /nothing\.yaml/,
    hint: /YAML/,
  },
  {
    what: 'a job file that is not YAML',
    files: { 'job.yaml': 'name: [promo\n' },
    exit: 6,
    code: 'job_invalid',
    message: /YAML/,
    where: /^job\.yaml:\d+:\d+$/,
  },
  {
    what: 'a key of the job file that is mistyped',
    files: { 'job.yaml': jobFile({ sender: null, sendr: 'DUKA' }) },
    exit: 6,
    code: 'job_invalid',
    message: /`sendr` is unknown; did you mean `sender`/,
    where: /^job\.yaml:\d+:1$/,
  },
  {
    what: 'a job file with two mistakes',
    files: { 'job.yaml': jobFile({ rate: 'fast', batch: 'many' }) },
    exit: 6,
    code: 'job_invalid',
    message: /2 problems:\n {2}job\.yaml:7:7 .*rate.*\n {2}job\.yaml:8:8 .*batch/,
  },
  {
    what: 'a template that is not there',
    files: { 'job.yaml': jobFile({ message: null, template: 'hello.txt' }) },
    exit: 6,
    code: 'job_invalid',
    message: /hello\.txt/,
    where: /^job\.yaml:6:11$/,
  },
  {
    what: 'a field that the CSV does not have',
    files: { 'job.yaml': jobFile({ message: null, template: 'hello.txt' }), 'hello.txt': 'Hi,\n<<nmae>>!' },
    exit: 6,
    code: 'template_invalid',
    message: /no field "nmae"/,
    hint: /Did you mean "name"/,
    where: /^hello\.txt:2:1$/,
  },
  {
    what: 'a field that is not closed',
    files: { 'job.yaml': jobFile({ message: '"Hi <<name, come."' }) },
    exit: 6,
    code: 'template_invalid',
    message: /not closed/,
    where: /^job\.yaml:4:10$/,
  },
  {
    what: 'a key column that is not there',
    files: { 'job.yaml': jobFile({ key: 'nam' }) },
    exit: 6,
    code: 'job_invalid',
    message: /`key: nam` is no column/,
    where: /^job\.yaml:7:6$/,
    hint: /Did you mean name/,
  },
  {
    what: 'no sender at all',
    files: { 'job.yaml': jobFile({ sender: null }) },
    exit: 6,
    code: 'job_invalid',
    message: /No sender/,
    hint: /sender: /,
  },
  {
    what: 'contacts of the job file that are not there',
    files: { 'job.yaml': jobFile({ contacts: './people.csv' }) },
    exit: 6,
    code: 'job_invalid',
    message: /people\.csv/,
    where: /^job\.yaml:5:11$/,
  },
  {
    what: 'contacts of the flag that are not there',
    args: ['job.yaml', '--contacts', 'people.csv'],
    exit: 2,
    code: 'not_found',
    message: /people\.csv/,
  },
  {
    what: 'an empty CSV',
    files: { 'contacts.csv': '' },
    exit: 6,
    code: 'contacts_invalid',
    message: /empty/,
    where: /contacts\.csv:1:1$/,
  },
  {
    what: 'a CSV of only a header',
    files: { 'contacts.csv': 'phone,name\n' },
    exit: 6,
    code: 'no_usable_row',
    message: /header and no row/,
    where: /contacts\.csv$/,
  },
  {
    what: 'a CSV without a column of numbers',
    files: { 'contacts.csv': 'fone,name\nnone,A\n' },
    exit: 6,
    code: 'contacts_invalid',
    message: /No column is known to hold the numbers/,
    hint: /header is: fone, name/,
    where: /contacts\.csv:1:1$/,
  },
  {
    what: 'a CSV in UTF-16 that is cut in the middle of a character',
    files: { 'contacts.csv': UTF16 },
    exit: 6,
    code: 'contacts_invalid',
    message: /UTF-16|character/,
    where: /contacts\.csv/,
  },
  {
    what: 'a spreadsheet that is not whole',
    files: { 'contacts.csv': Buffer.from('PK\u0003\u0004............', 'latin1') },
    exit: 6,
    code: 'contacts_invalid',
    message: /This workbook is not whole/,
    hint: /^Save it as an Excel workbook/,
  },
  {
    what: 'a CSV with a quote that is never closed',
    files: { 'contacts.csv': `phone,name\n0700000001,"A\n${'x'.repeat(70_000)}` },
    exit: 6,
    code: 'no_usable_row',
    message: /bad quoting/,
    where: /contacts\.csv$/,
  },
  {
    what: 'a CSV in which nobody can be sent to',
    files: { 'contacts.csv': 'phone,name\n07,A\n0700000001,\n' },
    exit: 6,
    code: 'no_usable_row',
    message: /1 too short \(line 2\); 1 missing name \(line 3\)/,
    hint: /rejects\.csv/,
    where: /contacts\.csv$/,
  },
  {
    what: 'rejects that cannot be written',
    files: { 'contacts.csv': `${contacts(1)}07,A\n` },
    args: ['job.yaml', '--rejects', 'no/such/folder/r.csv'],
    exit: 1,
    code: 'file_unwritable',
    message: /rejects file/,
    where: /r\.csv$/,
  },
  {
    what: 'no job file given',
    args: [],
    exit: 2,
    code: 'usage',
    message: /JOB\.yaml/,
  },
  {
    what: 'a flag that does not exist',
    args: ['job.yaml', '--contcats', 'x.csv'],
    exit: 2,
    code: 'usage',
    message: /--contcats/,
    hint: /--contacts/,
  },
  {
    what: 'a setting that does not exist',
    env: { TUMA_RAET: '3/s' },
    exit: 2,
    code: 'config_invalid',
    message: /TUMA_RAET \(environment\).*did you mean TUMA_RATE/,
  },
  {
    what: 'an address of the service that is none',
    env: { TUMA_MESSAGING_URL: 'ftp://files' },
    exit: 2,
    code: 'config_invalid',
    message: /"ftp:\/\/files" is not an http/,
    where: /^TUMA_MESSAGING_URL$/,
  },
];

const GOOD = { 'job.yaml': jobFile(), 'contacts.csv': contacts(3) };

async function refused(command: string, given: Case): Promise<void> {
  const cwd = place().folder({ ...GOOD, ...given.files });
  const args = [command, ...(given.args ?? ['job.yaml']), ...(command === 'launch' ? ['--yes'] : [])];
  const told = await place().tuma([...args, '--json'], { cwd, env: given.env ?? {} });
  expect(told.stdout).toBe('');
  const error = errorOf(told);
  expect({ exit: told.code, code: error.code }).toEqual({ exit: given.exit, code: given.code });
  expect(error.message).toMatch(given.message);
  if (given.hint !== undefined) expect(error.hint).toMatch(given.hint);
  if (given.where !== undefined) expect(error.where).toMatch(given.where);
}

describe('a launch', () => {
  test.for(CASES)('refuses $what, at its place', (given) => refused('launch', given));
});

describe('a plan', () => {
  const alike = ['job_invalid', 'template_invalid', 'no_usable_row', 'file_unwritable'];
  const one = alike.flatMap((code) => CASES.findLast((given) => given.code === code) ?? []);
  test.for(one)('refuses $what, with the same words', (given) => refused('plan', given));
});

test('none of these left a campaign or a draft behind', () => {
  expect(place().campaigns()).toEqual([]);
});

test('the same is told to people: what, where, and what to do, last', async () => {
  const cwd = place().folder({
    'contacts.csv': contacts(3),
    'typo.yaml': jobFile({ sender: null, sendr: 'DUKA' }),
    'field.yaml': jobFile({ message: '"Hi <<nmae>>"' }),
    'nobody.yaml': jobFile({ contacts: 'nobody.csv' }),
    'nobody.csv': 'phone,name\n07,A\n',
  });
  const jobs = ['typo.yaml', 'field.yaml', 'nobody.yaml'];
  const ends = await Promise.all(jobs.map((job) => place().tuma(['launch', job, '--yes'], { cwd })));
  expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(jobs.map(() => [6, '']));
  expect(ends.map(({ stderr }) => stderr.trimEnd().split('\n'))).toEqual([
    [
      'error: `sendr` is unknown; did you mean `sender`?',
      '  at typo.yaml:6:1',
      '  jobs/promo.yaml is a job file that works; jobs/schema.json describes every key.',
    ],
    [
      'error: There is no field "nmae" in the CSV',
      '  at field.yaml:4:10',
      '  Did you mean "name"? The fields are: phone, name.',
    ],
    [
      'error: No row of the contacts can be sent to: 1 too short (line 2).',
      `  at ${join(cwd, 'nobody.csv')}`,
      '  ./rejects.csv holds each row with its reason.',
    ],
  ]);
});

test('a pipe, a folder and a device are no contacts, and nobody waits for them', async () => {
  const cwd = place().folder({ 'job.yaml': jobFile() });
  execFileSync('mkfifo', [join(cwd, 'pipe.csv')]);
  const ends = await Promise.all(
    ['pipe.csv', '.', '/dev/zero'].map((file) =>
      place().tuma(['plan', 'job.yaml', '--contacts', file, '--json'], { cwd }),
    ),
  );
  for (const ended of ends)
    expect([ended.code, errorOf(ended).code, errorOf(ended).message]).toEqual([
      6,
      'contacts_invalid',
      'This is not a regular file.',
    ]);
});

test('a command that does not exist is answered with the one that was meant', async () => {
  const [wrong, none] = await Promise.all([place().tuma(['lunch', 'job.yaml']), place().tuma([])]);
  expect(wrong).toEqual({
    code: 2,
    stdout: '',
    stderr: "error: Unknown command 'lunch'.\n  Did you mean launch?\n",
  });
  expect(none).toMatchObject({ code: 0, stderr: '' });
  expect(none.stdout).toContain('Exit codes:');
});
