import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { type Ran, tuma as tumaHere } from './command-line.ts';
import { openLaunchingHome } from './launching-home.ts';

interface Planned {
  rejects: { path: string };
}

const OURS = ',tuma_line,tuma_reason,tuma_detail';

let folder: string;
const before = process.cwd();
beforeEach(() => {
  folder = makeTempDir();
  // The default is a file of the working directory.
  process.chdir(folder);
  const keys = ['name: promo', 'kind: promotional', 'sender: DUKA', 'contacts: ./c.csv'];
  write('job.yaml', `${keys.join('\n')}\nmessage: Hi\n`);
  write('c.csv', 'phone,name\n0712345678,Ann\nnobody,Bob\nnothing,Cy\n');
});

afterEach(() => process.chdir(before));

const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(path(name), text);
const read = (name: string) => readFileSync(path(name), 'utf8');
const tuma = (...args: string[]): Promise<Ran> =>
  tumaHere(args, { env: { TUMA_HOME: join(folder, 'home'), XDG_STATE_HOME: folder }, cwd: folder });
const mend = (name: string, wrong: string) => write(name, read(name).replace(wrong, '0712345679'));

describe('rejects without a name of their own', () => {
  it('of the same plan again are one file, also of several at once, and another plan has another', async () => {
    for (let plan = 0; plan < 2; plan++)
      expect(await tuma('plan', 'job.yaml')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('all of them with their reasons: ./rejects.csv\n'),
      });
    const plans = await Promise.all([1, 2, 3].map(() => tuma('plan', 'job.yaml', '--json')));
    const paths = plans.map(({ stdout }) => (JSON.parse(stdout) as Planned).rejects.path);
    expect(paths).toEqual(['./rejects.csv', './rejects.csv', './rejects.csv']);
    expect(read('rejects.csv')).toContain('nobody,Bob,3');

    write('c.csv', 'phone,name\n0712345678,Ann\nnobody,Bob\n');
    for (let plan = 0; plan < 2; plan++)
      expect(await tuma('plan', 'job.yaml')).toMatchObject({
        stdout: expect.stringContaining('all of them with their reasons: ./rejects-2.csv\n'),
      });
    const files = readdirSync(folder).filter((name) => name.includes('rejects'));
    expect(files.toSorted()).toEqual(['rejects-2.csv', 'rejects.csv']);
  });

  it('come back from a spreadsheet with the same numbers, keys and dates', async () => {
    write(
      'job.yaml',
      'name: ids\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nkey: member\nmessage: Hi <<name>> <<member>>\n',
    );
    write('c.csv', 'phone,name,member\n071234567,Müri,00043\n0712345,Bob,1E5\n0712345678,Ann,00044\n');
    await tuma('plan', 'job.yaml');
    const rejects = read('rejects.csv');
    expect(rejects).toBe(
      `\uFEFFphone,name,member${OURS}\n` +
        '"=""071234567""",Müri,"=""00043""",2,invalid number,No such number of 9 digits exists in KE (+254).\n' +
        '"=""0712345""",Bob,"=""1E5""",3,invalid number,No such number of 7 digits exists in KE (+254).\n',
    );
    write('rejects.csv', rejects.replace('071234567', '0712345671').replace('=""0712345"', '=""0712345672"'));
    const again = await tuma('plan', 'job.yaml', '--contacts', 'rejects.csv', '--json', '--show-numbers');
    expect(JSON.parse(again.stdout)).toMatchObject({
      rows: { read: 2, planned: 2 },
      rejects: null,
      examples: [{ text: 'Hi Müri 00043' }, { text: 'Hi Bob 1E5' }],
    });
  });

  it('leave those that a person has mended as they are, and are planned where they stand', async () => {
    await tuma('plan', 'job.yaml');
    mend('rejects.csv', 'nobody');
    const mended = read('rejects.csv');
    // The list that they came from, planned again, must not undo what was mended.
    expect(await tuma('plan', 'job.yaml')).toMatchObject({ code: 0 });
    expect(await tuma('plan', 'job.yaml', '--contacts', 'rejects.csv')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all of them with their reasons: ./rejects-3.csv\n'),
    });
    expect(read('rejects.csv')).toBe(mended);
    expect(read('rejects-3.csv')).toBe(
      `\uFEFFphone,name${OURS}\nnothing,Cy,3,not a number,"This is more than a phone number, or none."\n`,
    );

    mend('rejects-3.csv', 'nothing');
    expect(await tuma('plan', 'job.yaml', '--contacts', 'rejects-3.csv')).toMatchObject({ code: 0 });
    expect(existsSync(path('rejects-4.csv'))).toBe(false);
  });

  it('of an import have a name that no plan writes, and are imported where they stand', async () => {
    expect(await tuma('optouts', 'import', 'c.csv')).toMatchObject({ code: 0 });
    mend('optouts-rejects.csv', 'nobody');
    const again = await tuma('optouts', 'import', 'optouts-rejects.csv', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      read: 2,
      added: 1,
      invalid: 1,
      rejects: './optouts-rejects-2.csv',
    });
    expect(existsSync(path('rejects.csv'))).toBe(false);
  });

  it('are none where the plan fails, and no temporary file either', async () => {
    const duplicates = '0712345678,Ann\n'.repeat(20_000);
    write('c.csv', `phone,name\nnobody,Bob\n${duplicates}0712345678,\0\n`);
    expect(await tuma('plan', 'job.yaml')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('c.csv:20003:'),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('rejects'))).toEqual([]);
  });
});

it('a launch names the rejects that it wrote, goes on with them there, and a new launch refuses their file', async () => {
  const launching = await openLaunchingHome();
  const { env } = launching;
  const launch = (job: string, ...flags: string[]) =>
    tumaHere(['launch', path(job), '--yes', '--rejects', path('left.csv'), ...flags], { env });
  write('other.yaml', read('job.yaml').replace('name: promo', 'name: other'));
  try {
    expect(await launch('job.yaml')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`all of them with their reasons: ${path('left.csv')}`),
    });
    const left = read('left.csv');
    expect(await launch('job.yaml')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is open already: going on with it'),
    });
    expect(await launch('other.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('left.csv is not written: it exists'),
    });
    expect(read('left.csv')).toBe(left);
    expect((await tumaHere(['status'], { env })).stdout).not.toContain('other');
    expect(await launch('other.yaml', '--force')).toMatchObject({ code: 0 });
  } finally {
    await launching.close();
  }
});
