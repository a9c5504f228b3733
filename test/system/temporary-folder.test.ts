import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeLeftovers, TemporaryFolder, unfinishedName } from '../../src/system/temporary-folder.ts';
import { makeTempDir } from '../support/temp-home.ts';

let parent: string;
let rejects: string;
const processes: ChildProcess[] = [];
beforeEach(() => {
  parent = join(makeTempDir(), 'home', 'tmp');
  rejects = join(makeTempDir(), 'rejects.csv');
});
afterEach(async () => {
  for (const child of processes.splice(0)) await killed(child);
});

test('the folder is for its owner only, names its process, and goes with all that was made for it', () => {
  const folder = new TemporaryFolder(parent);
  expect(existsSync(dirname(parent))).toBe(false);
  const { path } = folder;
  expect(folder.path).toBe(path);
  expect(basename(path)).toMatch(new RegExp(`^${process.pid}-`));
  expect(statSync(path).mode & 0o777).toBe(0o700);
  writeFileSync(join(path, 'contacts.csv'), '0712345678');
  folder.close();
  folder.close();
  expect(existsSync(dirname(parent))).toBe(false);
});

test('what a killed process left goes, with its unfinished files elsewhere, and what a living one has stays', async () => {
  const living = await holder(parent, unfinishedName(rejects));
  const dead = await holder(parent, unfinishedName(rejects));
  const own = new TemporaryFolder(parent);
  writeFileSync(join(own.path, 'mine.csv'), '0712345678');

  removeLeftovers(parent);
  expect([living, dead].map(({ path, unfinished }) => [existsSync(path), existsSync(unfinished)])).toEqual([
    [true, true],
    [true, true],
  ]);
  await killed(dead.child);
  expect(existsSync(join(dead.path, 'contacts.csv'))).toBe(true);
  removeLeftovers(parent);
  expect([existsSync(dead.path), existsSync(`${dead.path}.lock`), existsSync(dead.unfinished)]).toEqual([
    false,
    false,
    false,
  ]);
  expect([existsSync(living.path), existsSync(living.unfinished)]).toEqual([true, true]);
  expect(existsSync(join(own.path, 'mine.csv'))).toBe(true);
  own.close();
  expect(readdirSync(parent).toSorted()).toEqual([basename(living.path), `${basename(living.path)}.lock`]);
});

test('a person’s own things stay, and a link of a dead process removes only an unfinished file', async () => {
  mkdirSync(join(parent, 'plan-of-mine'), { recursive: true });
  writeFileSync(join(parent, 'notes.lock'), 'mine');
  writeFileSync(rejects, 'whole');
  const dead = await holder(parent, rejects);
  const outside = makeTempDir();
  writeFileSync(join(outside, 'kept.csv'), 'kept');
  symlinkSync(outside, join(dead.path, 'link'));
  await killed(dead.child);
  removeLeftovers(parent);
  expect(readdirSync(parent).toSorted()).toEqual(['notes.lock', 'plan-of-mine']);
  expect([existsSync(rejects), existsSync(join(outside, 'kept.csv'))]).toEqual([true, true]);
});

test('a note ends when its file is whole', () => {
  const folder = new TemporaryFolder(parent);
  const end = folder.noteUnfinished(unfinishedName(rejects));
  expect(readdirSync(folder.path)).toHaveLength(1);
  end();
  expect(readdirSync(folder.path)).toEqual([]);
  folder.close();
});

test('a folder that cannot be made is one clear error, and nothing below a missing one is no error', () => {
  writeFileSync(rejects, '');
  const folder = new TemporaryFolder(join(rejects, 'tmp'));
  expect(() => folder.path).toThrow(expect.objectContaining({ code: 'file_unwritable' }));
  folder.close();
  expect(() => removeLeftovers(join(rejects, 'tmp'))).not.toThrow();
});

/** Another process that holds a folder, a copy of contacts in it, and an unfinished file. */
async function holder(
  folder: string,
  unfinished: string,
): Promise<{ child: ChildProcess; path: string; unfinished: string }> {
  const source = `
    import { writeFileSync } from 'node:fs';
    import { TemporaryFolder } from ${JSON.stringify(new URL('../../src/system/temporary-folder.ts', import.meta.url).href)};
    const [parent, unfinished] = process.argv.slice(1);
    const folder = new TemporaryFolder(parent);
    writeFileSync(folder.path + '/contacts.csv', '0712345678');
    folder.noteUnfinished(unfinished);
    writeFileSync(unfinished, '0712345678');
    process.stdout.write(folder.path);
    setInterval(() => folder.path, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, folder, unfinished], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(child);
  const [path] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, path: String(path), unfinished };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
