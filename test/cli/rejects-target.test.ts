import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { rejectsTarget } from '../../src/cli/rejects-target.ts';
import { stamp, summed } from '../../src/contacts/rejects-stamp.ts';
import { migrate, shippedMigrations } from '../../src/ledger/sqlite/migrate.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { type Ran, tumaProcess } from './command-line.ts';

const OURS = ',tuma_line,tuma_reason,tuma_detail';

let folder: string;
beforeEach(() => {
  folder = makeTempDir();
  const keys = ['name: promo', 'kind: promotional', 'sender: DUKA', 'contacts: ./c.csv'];
  write('job.yaml', `${keys.join('\n')}\nmessage: Hi\n`);
  write('c.csv', 'phone,name\n0712345678,Ann\nnobody,Bob\nnothing,Cy\n');
});

const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(path(name), text);
const read = (name: string) => readFileSync(path(name), 'utf8');
/** The program itself, for the default is a file of the working directory. */
const tuma = (...args: string[]): Promise<Ran> =>
  tumaProcess(args, { TUMA_HOME: join(folder, 'home'), XDG_STATE_HOME: folder }, folder);
const mend = (name: string, wrong: string) => write(name, read(name).replace(wrong, '0712345679'));

describe('rejects that were mended where they stand', () => {
  it('are planned and launched as they are, and what is left of them goes beside', async () => {
    expect(await tuma('plan', 'job.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all of them with their reasons: ./rejects.csv\n'),
    });
    mend('rejects.csv', 'nobody');
    const mended = read('rejects.csv');
    // The list that they came from, planned again, must not undo what was mended.
    expect(await tuma('plan', 'job.yaml')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('./rejects-2.csv\n'),
    });
    expect(read('rejects.csv')).toBe(mended);
    for (let times = 0; times < 2; times += 1)
      expect(await tuma('plan', 'job.yaml', '--contacts', 'rejects.csv')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('all of them with their reasons: ./rejects-2.csv\n'),
      });
    expect(read('rejects.csv')).toBe(mended);
    expect(read('rejects-2.csv')).toBe(
      `phone,name${OURS}\nnothing,Cy,3,not a number,"This is more than a phone number, or none."\n`,
    );

    mend('rejects-2.csv', 'nothing');
    expect(await tuma('plan', 'job.yaml', '--contacts', 'rejects-2.csv')).toMatchObject({ code: 0 });
    expect(existsSync(path('rejects-3.csv'))).toBe(false);
  });

  it('are imported as they are, too, and those of an import have a name that no plan writes', async () => {
    expect(await tuma('optouts', 'import', 'c.csv')).toMatchObject({ code: 0 });
    mend('optouts-rejects.csv', 'nobody');
    const again = await tuma('optouts', 'import', 'optouts-rejects.csv', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      read: 2,
      added: 1,
      invalid: 1,
      rejects: './optouts-rejects-2.csv',
    });
  });

  it('write over nothing that is no older rejects', async () => {
    write('rejects.csv', `phone,name${OURS}\nnobody,Bob,3,not a number,x\n0712345678,Ann,2,landline,x\n`);
    write('rejects-2.csv', 'my own list\n');
    mkdirSync(path('rejects-3.csv'));
    const { code, stdout } = await tuma('plan', 'job.yaml', '--contacts', 'rejects.csv');
    expect([code, stdout]).toEqual([0, expect.stringContaining('./rejects-4.csv')]);
    expect(read('rejects-2.csv')).toBe('my own list\n');
  });

  it('are refused where they are named to be written over', async () => {
    write('rejects.csv', `phone,name${OURS}\n0712345678,Ann,2,landline,x\n`);
    const named = ['plan', 'job.yaml', '--contacts', 'rejects.csv', '--rejects', 'rejects.csv'];
    expect(await tuma(...named)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('rejects.csv is not overwritten: it is read by this command'),
    });
  });
});

it('go over none that a campaign was launched with as they were', async () => {
  const first = path('rejects.csv');
  const config = { home: folder, ledgerFile: path('c.csv'), profileFile: null, stateFolder: null };
  const rejects = 'phone,tuma_reason\n0712345678,opted out\n';
  write('rejects.csv', rejects);
  const file = openSync(first, 'r+');
  stamp(file, summed(0, rejects));
  closeSync(file);
  const targetAfter = async (launched: string) => {
    const contacts = createHash('sha256').update(launched).digest('hex');
    const reader = { find: () => Promise.resolve([{ id: 'k7', hashes: { contacts } }]) };
    const ledger = () => Promise.resolve();
    const context = { config, ledger, reader: () => Promise.resolve(reader) } as unknown as Context;
    return rejectsTarget(context, { file: null, reads: [], otherwise: first });
  };
  expect(await targetAfter('others')).toBe(first);
  expect(await targetAfter(rejects)).toBe(path('rejects-2.csv'));
});
