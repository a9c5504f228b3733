import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeOutFile } from '../../../src/cli/files/out-file.ts';
import { TemporaryFolder } from '../../../src/system/temporary-folder.ts';
import { LedgerStory } from '../../support/ledger-story.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { tuma } from '../command-line.ts';

let story: LedgerStory;
let directory: string;
beforeEach(async () => {
  story = await LedgerStory.begin();
  await story.launch({ messages: 2 });
  directory = makeTempDir();
});

const at = (name: string) => join(directory, name);
const run = (...args: string[]) => tuma(args, { env: { TUMA_HOME: story.directory } });
const exportTo = (file: string, ...flags: string[]) => run('export', 'bf-1', '--out', file, ...flags);

/** A job with its template and contacts, one of whose rows cannot be sent to. */
function writeJob(): string {
  writeFileSync(at('promo.txt'), 'Hi <<name>>');
  writeFileSync(at('list.csv'), 'name,mobile\nAnn,0712345678\nBob,nobody\n');
  writeFileSync(
    at('promo.yaml'),
    'name: promo\nkind: promotional\nsender: DUKA\ntemplate: promo.txt\ncontacts: list.csv\n',
  );
  return at('promo.yaml');
}

describe('an export', () => {
  const MEDIA = 'media 1f0e6dc0-7f9c-4a7e-9f57-000000000001';

  it.each([
    'export bf-1',
    'export bf-1 --format ndjson',
    'export bf-1 --as contacts --state queued',
    'report bf-1',
    'report bf-1 --format csv',
    'report bf-1 --format json',
    'inbox',
    'statement',
    'optouts export',
    MEDIA,
  ])('and every other output overwrites no file without --force: %s', async (command) => {
    const others = ['mobile,name\n0712345678,Ann\n', '{"campaign":{"id":"x"}}\n', '\0\u0001', ''];
    for (const other of others) {
      writeFileSync(at('list.csv'), other);
      const { code, stderr } = await run(...command.split(' '), '--out', at('list.csv'));
      expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file, or add --force')]);
      expect(readFileSync(at('list.csv'), 'utf8')).toBe(other);
    }
    if (command === MEDIA) return;
    expect(await run(...command.split(' '), '--out', at('list.csv'), '--force')).toMatchObject({ code: 0 });
    expect(others).not.toContain(readFileSync(at('list.csv'), 'utf8'));
  });

  it.each(['ledger.db', 'ledger.db-wal'])('never overwrites %s of the home', async (name) => {
    const file = join(story.directory, name);
    const before = readFileSync(file);
    for (const command of ['export bf-1', 'report bf-1', 'inbox', 'statement', 'optouts export', MEDIA]) {
      const { code, stderr } = await run(...command.split(' '), '--out', file, '--force');
      expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file: --out FILE.')]);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(await run('verify')).toMatchObject({ code: 0 });
  });

  it('never takes the place of a journal of the ledger that is still to come', async () => {
    const file = join(story.directory, 'ledger.db-journal');
    const { code, stderr } = await exportTo(file, '--force');
    expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file: --out FILE.')]);
    expect(existsSync(file)).toBe(false);
  });

  it('follows no link without --force, and none that leads nowhere', async () => {
    symlinkSync('new.csv', at('link.csv'));
    for (const command of ['export bf-1', 'report bf-1', 'inbox', 'statement', 'optouts export', MEDIA])
      expect(await run(...command.split(' '), '--out', at('link.csv'))).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/it is a symbolic link\.\s+Name another file, or add --force/),
      });
    expect(await exportTo(at('link.csv'), '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not a regular file'),
    });
    expect(existsSync(at('new.csv'))).toBe(false);
    expect(lstatSync(at('link.csv')).isSymbolicLink()).toBe(true);
  });

  it('replaces a link that comes after the look and does not follow it', async () => {
    writeFileSync(at('real.csv'), 'old');
    async function* pages() {
      await symlink('real.csv', at('out.csv'));
      yield 'new';
    }
    await writeOutFile(at('out.csv'), pages());
    expect(lstatSync(at('out.csv')).isFile()).toBe(true);
    expect(readFileSync(at('real.csv'), 'utf8')).toBe('old');
  });

  it.each(['-wal', '-shm', '-journal'])(
    'never takes the place of the %s of a ledger elsewhere',
    async (part) => {
      execFileSync('cp', [join(story.directory, 'ledger.db'), at('book')]);
      const env = { TUMA_HOME: makeTempDir(), TUMA_DATABASE_URL: `sqlite:${at('book')}` };
      rmSync(at(`book${part}`), { force: true });
      expect(await tuma(['export', 'bf-1', '--out', at(`book${part}`)], { env })).toMatchObject({
        stderr: expect.stringContaining('it is the ledger'),
      });
    },
  );

  it('never overwrites the profile', async () => {
    writeFileSync(at('profile.csv'), 'id: x\nname: X\n');
    const env = { TUMA_HOME: story.directory, TUMA_PROFILE: at('profile.csv') };
    expect(await tuma(['export', 'bf-1', '--out', at('profile.csv')], { env })).toMatchObject({
      stderr: expect.stringContaining('this command reads it'),
    });
    expect(readFileSync(at('profile.csv'), 'utf8')).toContain('name: X');
  });

  it('goes through a link with --force, and takes the place of no pipe and no folder', async () => {
    writeFileSync(at('real.csv'), 'old');
    symlinkSync('real.csv', at('link.csv'));
    expect(await exportTo(at('link.csv'))).toMatchObject({ code: 2 });
    expect(readFileSync(at('real.csv'), 'utf8')).toBe('old');
    expect(await exportTo(at('link.csv'), '--force')).toMatchObject({ code: 0 });
    expect(readlinkSync(at('link.csv'))).toBe('real.csv');
    expect(readFileSync(at('real.csv'), 'utf8')).toContain('254700000001');
    symlinkSync(join(story.directory, 'ledger.db'), at('hidden.csv'));
    expect(await exportTo(at('hidden.csv'), '--force')).toMatchObject({ code: 2 });

    execFileSync('mkfifo', [at('pipe')]);
    for (const file of [at('pipe'), directory])
      expect(await exportTo(file, '--force')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not a regular file'),
      });
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
    for (const none of ['-', ''])
      expect(await exportTo(none)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('needs the name of a file'),
      });
  });
});

describe('the rejects of a plan', () => {
  it.each(['promo.yaml', 'promo.txt', 'list.csv'])('never overwrite %s that they are of', async (name) => {
    const job = writeJob();
    const before = readFileSync(at(name), 'utf8');
    const { code, stderr } = await run('plan', job, '--rejects', at(name));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not written')]);
    for (const file of [at(name), join(story.directory, 'ledger.db')])
      expect(await run('plan', job, '--rejects', file, '--force')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Name another file: --rejects FILE.'),
      });
    expect(readFileSync(at(name), 'utf8')).toBe(before);
    expect(await run('verify')).toMatchObject({ code: 0 });
  });

  it('write over no file that exists, whatever it holds, without --force', async () => {
    const job = writeJob();
    const rejects = (...flags: string[]) => run('plan', job, '--rejects', at('rejects.csv'), ...flags);
    expect(await rejects()).toMatchObject({ code: 0 });
    for (const there of [readFileSync(at('rejects.csv'), 'utf8'), 'mine', '']) {
      writeFileSync(at('rejects.csv'), there);
      const { code, stdout, stderr } = await rejects();
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('rejects.csv is not written: it exists.');
      expect(stderr).toContain('add --force');
      expect(readFileSync(at('rejects.csv'), 'utf8')).toBe(there);
    }
    expect(await rejects('--force')).toMatchObject({ code: 0 });
    expect(readFileSync(at('rejects.csv'), 'utf8')).toContain('nobody');
  });

  it('follow a link only with --force', async () => {
    const job = writeJob();
    symlinkSync('real.csv', at('rejects.csv'));
    writeFileSync(at('real.csv'), 'old');
    const { code, stderr } = await run('plan', job, '--rejects', at('rejects.csv'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('it is a symbolic link')]);
    expect(readFileSync(at('real.csv'), 'utf8')).toBe('old');
    expect(await run('plan', job, '--rejects', at('rejects.csv'), '--force')).toMatchObject({ code: 0 });
    expect(readlinkSync(at('rejects.csv'))).toBe('real.csv');
    expect(readFileSync(at('real.csv'), 'utf8')).toContain('nobody');
    symlinkSync('promo.yaml', at('hidden.csv'));
    expect(await run('plan', job, '--rejects', at('hidden.csv'), '--force')).toMatchObject({ code: 2 });
  });

  it('take the place of no device and of no folder', async () => {
    const job = writeJob();
    for (const file of ['/dev/null', directory])
      expect(await run('plan', job, '--rejects', file, '--force')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not a regular file'),
      });
  });
});

it('a file that is not whole is noted until it is, so that the next command removes it after a kill', async () => {
  const directory = makeTempDir();
  const file = join(directory, 'out.csv');
  const temporary = new TemporaryFolder(join(directory, 'tmp'));
  const noted = () =>
    readdirSync(temporary.path)
      .filter((name) => name.startsWith('unfinished-'))
      .map((name) => readlinkSync(join(temporary.path, name)));
  let seen: string[] = [];
  async function* pages() {
    yield 'a';
    seen = noted();
    yield 'b';
  }
  await writeOutFile(file, pages(), { temporary });
  expect(seen).toEqual([expect.stringMatching(/\.out\.csv\.[\da-f]{12}\.tmp$/)]);
  expect(noted()).toEqual([]);
  expect(readdirSync(directory).toSorted()).toEqual(['out.csv', 'tmp']);
  temporary.close();
});
