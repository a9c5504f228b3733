import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeOutFile } from '../../../src/cli/files/out-file.ts';
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
    ['export bf-1'],
    ['export bf-1', '--format', 'ndjson'],
    ['report bf-1', '--format', 'csv'],
    ['report bf-1', '--format', 'json'],
    ['inbox'],
    ['optouts export'],
  ])('overwrites what the same command wrote before: %s %s %s', async (command, ...flags) => {
    const out = [...command.split(' '), ...flags, '--out', at('out')];
    expect(await run(...out)).toMatchObject({ code: 0 });
    appendFileSync(at('out'), 'of before');
    expect(await run(...out)).toMatchObject({ code: 0 });
    expect(readFileSync(at('out'), 'utf8')).not.toContain('of before');
  });

  it('overwrites one format of a command with another one, and an empty file', async () => {
    writeFileSync(at('out'), '');
    for (const format of ['csv', 'ndjson', 'csv'])
      expect(await exportTo(at('out'), '--format', format)).toMatchObject({ code: 0 });
  });

  it.each([
    'export bf-1',
    'export bf-1 --format ndjson',
    'export bf-1 --as contacts --state queued',
    'report bf-1',
    'report bf-1 --format csv',
    'report bf-1 --format json',
    'inbox',
    'optouts export',
    MEDIA,
  ])('and every other output overwrites no file of somebody else without --force: %s', async (command) => {
    const others = ['mobile,name\n0712345678,Ann\n', '{"campaign":{"id":"x"}}\n', '\0\u0001', ' '];
    for (const other of others) {
      writeFileSync(at('list.csv'), other);
      const { code, stderr } = await run(...command.split(' '), '--out', at('list.csv'));
      expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file, or add --force.')]);
      expect(readFileSync(at('list.csv'), 'utf8')).toBe(other);
    }
    if (command === MEDIA) return;
    expect(await run(...command.split(' '), '--out', at('list.csv'), '--force')).toMatchObject({ code: 0 });
    expect(others).not.toContain(readFileSync(at('list.csv'), 'utf8'));
  });

  it.each(['export bf-1 --as contacts --state queued', 'report bf-1'])(
    'that begins with anything is not known again: %s',
    async (command) => {
      const out = [...command.split(' '), '--out', at('out')];
      expect(await run(...out)).toMatchObject({ code: 0 });
      expect(await run(...out)).toMatchObject({ code: 2 });
      expect(await run(...out, '--force')).toMatchObject({ code: 0 });
    },
  );

  it('overwrites no output of another command without --force', async () => {
    expect(await run('inbox', '--out', at('answers.csv'))).toMatchObject({ code: 0 });
    expect(await exportTo(at('answers.csv'))).toMatchObject({ code: 2 });
  });

  it.each(['ledger.db', 'ledger.db-wal', 'webhook-token', 'redis.json', 'sandbox/truth.ndjson'])(
    'never overwrites %s of the home',
    async (name) => {
      const file = join(story.directory, name);
      if (!existsSync(file)) {
        mkdirSync(join(file, '..'), { recursive: true });
        writeFileSync(file, 'kept');
      }
      const before = readFileSync(file);
      for (const command of ['export bf-1', 'report bf-1', 'inbox', 'optouts export', MEDIA]) {
        const { code, stderr } = await run(...command.split(' '), '--out', file, '--force');
        expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file: --out FILE.')]);
      }
      expect(readFileSync(file).equals(before)).toBe(true);
      expect(await run('verify')).toMatchObject({ code: 0 });
    },
  );

  it('writes into the home where it is the folder that a person works in', async () => {
    for (const name of ['report.json', 'ledger-may.json', 'media.json', 'redis.csv', 'tmp.json']) {
      const file = join(story.directory, name);
      for (let times = 0; times < 2; times += 1)
        expect(await run('report', 'bf-1', '--format', 'json', '--out', file)).toMatchObject({ code: 0 });
    }
  });

  it.each(['ledger.db-journal', 'redis.lock', 'webhook-token', 'sandbox.json'])(
    'never takes the place of %s, which is still to come, nor through a link',
    async (name) => {
      const file = join(story.directory, name);
      symlinkSync(file, at('first.csv'));
      symlinkSync('first.csv', at('link.csv'));
      for (const out of [file, at('link.csv')]) {
        rmSync(file, { force: true });
        const { code, stderr } = await exportTo(out, '--force');
        expect([code, stderr]).toEqual([2, expect.stringContaining('Name another file: --out FILE.')]);
        expect(existsSync(file)).toBe(false);
      }
    },
  );

  it('follows no link without --force, with it also where nothing is yet', async () => {
    symlinkSync('new.csv', at('link.csv'));
    for (const command of ['export bf-1', 'report bf-1', 'inbox', 'optouts export', MEDIA])
      expect(await run(...command.split(' '), '--out', at('link.csv'))).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/it is a symbolic link\.\s+Name another file, or add --force\./),
      });
    expect(existsSync(at('new.csv'))).toBe(false);
    expect(await exportTo(at('link.csv'), '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(at('new.csv'), 'utf8')).toContain('254700000001');
    expect(lstatSync(at('link.csv')).isSymbolicLink()).toBe(true);
    symlinkSync('round.csv', at('round.csv'));
    expect((await exportTo(at('round.csv'), '--force')).code).toBeLessThan(2);
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

  it('takes `..` behind a link as the system does', async () => {
    mkdirSync(join(story.directory, 'media'), { recursive: true });
    symlinkSync(join(story.directory, 'media'), at('l'));
    for (const name of ['webhook-token', 'redis.json']) {
      const { code, stderr } = await run('export', 'bf-1', '--out', `${directory}/l/../${name}`);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Tuma keeps it')]);
    }
    symlinkSync(story.directory, at('h'));
    symlinkSync('h/../' + basename(story.directory) + '/redis.lock', at('rel'));
    expect(await exportTo(at('rel'))).toMatchObject({ code: 2 });
  });

  it('never takes the place of the notes of ledger and home, and writes beside them', async () => {
    const state = join(story.directory, 'state');
    const env = { TUMA_HOME: story.directory, XDG_STATE_HOME: state };
    expect(await tuma(['optouts', 'add', '0712345678'], { env })).toMatchObject({ code: 0 });
    const notes = readdirSync(join(state, 'tuma')).map((name) => join(state, 'tuma', name));
    expect(notes).toHaveLength(2);
    for (const [file, there] of notes.flatMap((each) => [true, false].map((is) => [each, is] as const))) {
      if (!there) rmSync(file);
      expect(await tuma(['export', 'bf-1', '--out', file], { env })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Tuma keeps it'),
      });
      expect(existsSync(file)).toBe(there);
    }
    expect(await tuma(['export', 'bf-1', '--out', join(state, 'tuma', 'list.csv')], { env })).toMatchObject({
      code: 0,
    });
  });

  it('and rejects are written into a home that is the state folder, too', async () => {
    const home = join(directory, 'tuma');
    mkdirSync(home);
    const env = { TUMA_HOME: home, XDG_STATE_HOME: directory };
    const job = writeJob();
    const rejects = join(home, 'rejects.csv');
    const planned = await tuma(['plan', job, '--rejects', rejects], { env });
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining(rejects) });
    expect(readFileSync(rejects, 'utf8')).toContain('nobody');
    expect(await tuma(['plan', job, '--rejects', join(home, 'webhook-token')], { env })).toMatchObject({
      code: 2,
    });
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
      stderr: expect.stringContaining('it is read by this command'),
    });
    expect(readFileSync(at('profile.csv'), 'utf8')).toContain('name: X');
  });

  it('never overwrites a job, settings, or a database, wherever they are', async () => {
    execFileSync('cp', [join(story.directory, 'ledger.db'), at('copy')]);
    for (const name of ['promo.yaml', 'x.YML', '.env', '.env.local']) writeFileSync(at(name), 'kept');
    for (const name of ['promo.yaml', 'x.YML', '.env', '.env.local', 'copy']) {
      const before = readFileSync(at(name));
      expect(await exportTo(at(name), '--force')).toMatchObject({ code: 2 });
      expect(readFileSync(at(name)).equals(before)).toBe(true);
    }
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
        stderr: expect.stringContaining('no regular file'),
      });
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
    for (const none of ['-', ''])
      expect(await exportTo(none)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('needs the name of a file'),
      });
  });
});

describe('the rejects of a plan or an import', () => {
  it.each(['promo.yaml', 'promo.txt', 'list.csv'])('never overwrite %s that they are of', async (name) => {
    const job = writeJob();
    const before = readFileSync(at(name), 'utf8');
    const { code, stderr } = await run('plan', job, '--rejects', at(name));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not overwritten')]);
    linkSync(at(name), at('other.csv'));
    writeFileSync(at('.env'), 'kept');
    const kept = [at(name), at('other.csv'), at('.env'), join(story.directory, 'ledger.db')];
    for (const file of kept)
      expect(await run('plan', job, '--rejects', file, '--force')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Name another file: --rejects FILE.'),
      });
    expect([readFileSync(at(name), 'utf8'), readFileSync(at('.env'), 'utf8')]).toEqual([before, 'kept']);
    const imported = ['optouts', 'import', at('list.csv'), '--rejects', at('list.csv'), '--force'];
    expect(await run(...imported)).toMatchObject({ code: 2 });
    expect(await run('verify')).toMatchObject({ code: 0 });
  });

  it.each(['plan', 'optouts import'])(
    'of %s write over no file that exists, whatever it holds, without --force',
    async (command) => {
      const job = writeJob();
      const read = command === 'plan' ? job : at('list.csv');
      const rejects = (...flags: string[]) =>
        run(...command.split(' '), read, '--rejects', at('rejects.csv'), ...flags);
      expect(await rejects()).toMatchObject({ code: 0 });
      for (const there of [readFileSync(at('rejects.csv'), 'utf8'), 'mine', '']) {
        writeFileSync(at('rejects.csv'), there);
        const { code, stdout, stderr } = await rejects();
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toContain('rejects.csv is not overwritten: it exists.');
        expect(stderr).toContain('add --force');
        expect(readFileSync(at('rejects.csv'), 'utf8')).toBe(there);
      }
      expect(await rejects('--force')).toMatchObject({ code: 0 });
      expect(readFileSync(at('rejects.csv'), 'utf8')).toContain('nobody');
    },
  );

  it('follow a link only with --force, also one that leads nowhere yet', async () => {
    const job = writeJob();
    symlinkSync('real.csv', at('rejects.csv'));
    for (const there of [null, 'old']) {
      if (there !== null) writeFileSync(at('real.csv'), there);
      const { code, stderr } = await run('plan', job, '--rejects', at('rejects.csv'));
      expect([code, stderr]).toEqual([2, expect.stringContaining('it is a symbolic link')]);
      expect(existsSync(at('real.csv')) ? readFileSync(at('real.csv'), 'utf8') : null).toBe(there);
      expect(await run('plan', job, '--rejects', at('rejects.csv'), '--force')).toMatchObject({ code: 0 });
      expect(readlinkSync(at('rejects.csv'))).toBe('real.csv');
      expect(readFileSync(at('real.csv'), 'utf8')).toContain('nobody');
    }
    symlinkSync('promo.yaml', at('hidden.csv'));
    expect(await run('plan', job, '--rejects', at('hidden.csv'), '--force')).toMatchObject({ code: 2 });
  });

  it('take the place of no device and of no folder', async () => {
    const job = writeJob();
    for (const file of ['/dev/null', directory])
      expect(await run('plan', job, '--rejects', file, '--force')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no regular file'),
      });
  });
});
