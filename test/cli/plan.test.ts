import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tuma } from './command-line.ts';
import { type LaunchingHome, openLaunchingHome } from './launching-home.ts';

let launching: LaunchingHome;
const before = process.cwd();
beforeAll(async () => {
  launching = await openLaunchingHome();
  // Rejects are written where a person stands.
  process.chdir(launching.home);
});
afterAll(async () => {
  process.chdir(before);
  await launching.close();
});

const run = (...args: string[]) => tuma(args, { env: launching.env });

/** Writes a file into the home and answers its path. */
function write(name: string, text: string): string {
  const path = join(launching.home, name);
  writeFileSync(path, text);
  return path;
}

it('a plan is printed once: also of corrected contacts that bring nothing new, and of those that nobody can be sent to', async () => {
  const job = write(
    'remind.yaml',
    'name: remind\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nmessage: Hi [due]\nremind: { column: due, offset: 0d }\n',
  );
  write('c.csv', 'phone,due\n254700000001,2099-01-05\n254700000002,2099-01-05\n');
  const said = '\n! the text says [due] as it stands, to everybody: a field is written <<due>>\n';
  const first = await run('launch', job, '--yes');
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  write('c.csv', 'phone,due\n254700000002,2099-01-05\n254700000001,2099-01-05\n');
  const same = await run('plan', job);
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('0 new, 2 unchanged') });
  expect(same.stdout.match(/^remind \(/gm)).toHaveLength(1);
  expect(same.stdout).not.toContain('refused');

  // Contacts that only cancel send nothing: what a launch says of them is told all the same.
  write('c.csv', 'phone,due\n254700000002,2099-01-05\n');
  expect((await run('plan', job)).stdout).toContain(
    '\n! a launch is refused: These contacts leave out 1 of 2 open reminders, which would be canceled. If that is right, add --cancel-missing; ',
  );

  const none = write('none.csv', 'phone,due\nnobody,2099-01-05\n');
  const rejects = ['--rejects', join(launching.home, 'none-rejects.csv'), '--force'];
  const nobody = await run('plan', job, '--contacts', none, ...rejects);
  expect(nobody).toMatchObject({ code: 6, stderr: expect.stringContaining('not a number (line 2)') });
  expect(nobody.stdout.match(/^remind \(/gm)).toHaveLength(1);
  const asJson = await run('plan', job, '--contacts', none, ...rejects, '--json');
  expect(asJson).toMatchObject({ code: 6, stdout: '' });
});

it('a budget with a currency is refused at its place, because it is in TUMA_CURRENCY', async () => {
  const job = write(
    'budget.yaml',
    'name: budget\nkind: transactional\nsender: DUKA\ncontacts: ./b.csv\nmessage: Hi\nbudget: KES 5,000\n',
  );
  write('b.csv', 'phone\n254700000001\n');
  const refused = await run('plan', job);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toContain('error: `budget` must be an amount such as 20000 or 1,250.50');
  expect(refused.stderr).toContain('budget.yaml:6:9');
});

it('a plan leaves no home where none was, for the campaigns of the folders below would go there', async () => {
  const job = write(
    'first.yaml',
    'name: f\nkind: transactional\nsender: D\ncontacts: ./b.csv\nmessage: Hi\n',
  );
  write('b.csv', 'phone\n254700000001\n');
  const TUMA_HOME = join(launching.home, 'first', 'deep');
  expect(await tuma(['plan', job], { env: { ...launching.env, TUMA_HOME } })).toMatchObject({ code: 0 });
  expect(existsSync(join(launching.home, 'first'))).toBe(false);
});

it('a list in windows-1252 with the header Simu and three countries is planned, and each guess is said', async () => {
  const csv = 'Jina,Simu\r\nJos\xe9,0712345678\r\nAsha,+255712345678\r\nOpio,+256772123456\r\n';
  writeFileSync(join(launching.home, 'wateja.csv'), csv, 'latin1');
  const job = write(
    'wateja.yaml',
    'name: wateja\nkind: transactional\nsender: DUKA\ncontacts: ./wateja.csv\nmessage: Hi <<Jina>>\ncountries: [TZ]\n',
  );
  const rejects = ['--rejects', join(launching.home, 'wateja-rejects.csv')];
  const { code, stdout } = await run('plan', job, '--price', '0.80', ...rejects);
  expect(code).toBe(0);
  for (const line of [
    'mobile     Simu (by its name; 2 of 3 cells are numbers)',
    'encoding   windows-1252, because the file is not UTF-8; check these names: José',
    'rows       3 read, 2 to send, 1 not',
    '        1  abroad: UG (line 4)',
    'cost       cost unknown for 1 message to TZ (set TUMA_PRICE=…,TZ=…); KES 0.80 for the others',
  ])
    expect(stdout.split('\n')).toContain(line);
  const priced = await run('plan', job, '--price', '*=0.80,TZ=1.50', ...rejects, '--force');
  expect(priced.stdout).toContain('cost       KES 2.30 (price configured)');
});

it('a column that the job names and the file lacks is refused at the job file’s line, with the name that was meant', async () => {
  write('lacks.csv', 'Jina,Simu\nAnn,0712345678\n');
  const job = write(
    'lacks.yaml',
    'name: lacks\nkind: transactional\nsender: DUKA\ncontacts: ./lacks.csv\nmessage: Hi\ncolumns:\n  mobile: Smu\n',
  );
  const refused = await run('plan', job);
  expect(refused).toMatchObject({ code: 6, stdout: '' });
  expect(refused.stderr).toContain(`${job}:7:11`);
  expect(refused.stderr).toContain('Did you mean Simu?');
});

it('contacts and a message are a campaign: the job is written beside them, and launched as the same again', async () => {
  const csv = write('duka.csv', 'Jina,Simu\nAnn,0712345678\n');
  const quick = [
    csv,
    '--message',
    'Hi <<Jina>>, "leo" 20% off',
    '--sender',
    'DUKA',
    '--kind',
    'transactional',
  ];
  const plan = await run('plan', ...quick);
  expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('Hi Ann, "leo" 20% off') });
  const job = join(launching.home, 'duka.yaml');
  expect(plan.stderr).toContain(`Written: ${job}. It is the same campaign from now on.`);
  expect(readFileSync(job, 'utf8')).toBe(
    'name: "duka"\nkind: transactional\nsender: "DUKA"\ncontacts: "./duka.csv"\nmessage: "Hi <<Jina>>, \\"leo\\" 20% off"\n',
  );
  const launched = await run('launch', ...quick, '--yes');
  expect(launched).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Written:') });
  const again = await run('launch', job, '--yes');
  expect(again.stderr).toContain('of these files is open already: going on with it.');

  const other = await run('plan', csv, '--message', 'Another text', '--sender', 'DUKA');
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is there already, with another job.'),
  });
  const silent = await run('plan', csv);
  expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining('a campaign needs a text, too.') });
  const both = await run('plan', job, '--message', 'x');
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--message goes with contacts') });
});

it('a plan or launch of contacts and a message that fails writes no job, so that the next message can be right', async () => {
  const csv = write('typo.csv', 'name,phone\nAnn,0712345679\n');
  const job = join(launching.home, 'typo.yaml');
  const quick = (message: string) => [csv, '--message', message, '--sender', 'D', '--kind', 'transactional'];
  for (const failing of [
    ['plan', ...quick('Hi <<nam>>')],
    ['launch', ...quick('Hi <<nam>>'), '--yes'],
    ['launch', ...quick('Hi <<name>>')],
    ['plan', ...quick('Hi <<name>>'), '--contacts', 'nowhere.csv'],
  ]) {
    const failed = await run(...failing);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).not.toContain('Written');
    expect(failed.stderr).not.toContain('typo.yaml');
    expect(existsSync(job)).toBe(false);
  }
  const typo = await run('plan', ...quick('Hi <<nam>>'));
  expect(typo).toMatchObject({ code: 6, stderr: expect.stringContaining('Did you mean "name"?') });
  expect(typo.stderr).toContain('--message');
  expect(await run('plan', ...quick('Hi <<name>>'))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`Written: ${job}.`),
  });
  // A job that was there before stays.
  expect((await run('plan', ...quick('Hi <<name>>'), '--contacts', 'nowhere.csv')).code).not.toBe(0);
  expect(existsSync(job)).toBe(true);
});

it('a plan shows the longest text, and with --line that of any row', async () => {
  const job = write(
    'longest.yaml',
    'name: longest\nkind: transactional\nsender: DUKA\ncontacts: ./l.csv\nmessage: Hi <<name>>\n',
  );
  const names = ['Ann', 'Bob', 'Cy', 'Di', 'Evangeline', 'Fay'];
  const rows = names.map((name, at) => `25470000001${at},${name}\n`);
  write('l.csv', `phone,name\n${rows.join('')}nobody,Gil\n`);
  const { stdout } = await run('plan', job, '--line', '7');
  expect(stdout.match(/^ {2}line \d+ \(.*$/gm)).toEqual([
    '  line 2 (1 segment): Hi Ann',
    '  line 3 (1 segment): Hi Bob',
    '  line 4 (1 segment): Hi Cy',
    '  line 6 (1 segment, the longest): Hi Evangeline',
    '  line 7 (1 segment): Hi Fay',
  ]);
  const none = await run('plan', job, '--line', '8');
  expect(none.stderr).toContain('No message is made of that line');
  const asJson = JSON.parse((await run('plan', job, '--line', '7', '--json')).stdout) as object;
  expect(asJson).toMatchObject({ longest: { line: 6 }, asked: { line: 7, text: 'Hi Fay' } });
});

it('errors of a spreadsheet are missing cells, and words for nothing and lost letters are said', async () => {
  const list = [
    'name,phone,balance',
    'Amina,0712500001,#N/A',
    'Ben,0712500002,#REF!',
    'Cate,0712500003,#VALUE!',
    'Fay,0712500006,########',
    'Gus,0712500007,NULL',
    'Joy,0712500010,1200',
    '#N/A,0712500011,5',
    'M?TURI,0712500012,None',
    'Hal,########,5',
  ];
  write('errors.csv', `${list.join('\n')}\n`);
  const job = (name: string, message: string) =>
    write(
      `${name}.yaml`,
      `name: ${name}\nkind: transactional\nsender: D\ncontacts: ./errors.csv\nmessage: ${message}\n`,
    );
  const rejects = join(launching.home, 'errors-rejects.csv');
  const owing = job('errors', 'Hi <<name>>, you owe <<balance>>');
  const { code, stdout } = await run('plan', owing, '--rejects', rejects);
  expect(code).toBe(0);
  for (const line of [
    'rows       9 read, 3 to send, 6 not',
    '        4  missing balance (line 2, 3, 4, 5)',
    '        1  missing name (line 8)',
    '        1  no number (line 10)',
    '! the cell of "balance" is a program\'s word for nothing in 2 rows, such as "NULL" (line 6, 9): a person would read it, so blank such cells',
    '! a letter of "name" is lost in 1 row, as in "M?TURI" (line 9): correct it, or export the list again as UTF-8',
  ])
    expect(stdout.split('\n')).toContain(line);
  expect(readFileSync(rejects, 'utf8')).toContain('#REF!');

  const filled = await run(
    'plan',
    job('filled', 'Hi <<name | you>>, you owe <<balance | nothing>>'),
    '--json',
  );
  const plan = JSON.parse(filled.stdout) as { rows: object; examples: { text: string }[] };
  expect(plan.rows).toMatchObject({ read: 9, planned: 8 });
  expect(plan.examples[0]?.text).toBe('Hi Amina, you owe nothing');

  const unused = await run('plan', job('unused', 'Hi <<name | you>>'), '--json');
  expect(JSON.parse(unused.stdout)).toMatchObject({
    rows: { planned: 8 },
    warnings: [{ code: 'cell_letter', text: expect.stringContaining('M?TURI') }],
  });
});

it('a name in letters and accents is planned, counted and kept in composed letters', async () => {
  write(
    'composed.csv',
    'name,phone,ref\nJose\u0301 Rene\u0301,0712300001,Jose\u0301\nJosé,0712300001,José\n',
  );
  const job = write(
    'composed.yaml',
    'name: composed\nkind: transactional\nsender: D\ncontacts: ./composed.csv\nkey: ref\nmessage: Cafe\u0301 <<name>>\n',
  );
  const { stdout } = await run('plan', job, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    // The keys are the same letters, so the second row is a duplicate.
    rows: { planned: 1, duplicate: 1 },
    encoding: { gsm7: 1, ucs2: 0 },
    examples: [{ text: 'Café José René' }],
  });
});
