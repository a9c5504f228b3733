import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { putInPlace } from '../../src/contacts/rejects-place.ts';
import { freshPath } from './reading.ts';

let folder: string;
beforeEach(() => {
  folder = freshPath('place');
  mkdirSync(folder);
});

const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
/** A whole file under a temporary name. */
function whole(text: string): string {
  writeFileSync(at(`${text}.tmp`), text);
  return at(`${text}.tmp`);
}

test('a taken name goes to nobody else: the next number is taken, past folders and links that lead nowhere', () => {
  writeFileSync(at('rejects.csv'), 'mine');
  mkdirSync(at('rejects-2.csv'));
  symlinkSync('nowhere.csv', at('rejects-3.csv'));
  const place = { path: at('rejects.csv'), ifTaken: 'number' } as const;
  expect(putInPlace(whole('one'), place)).toBe(at('rejects-4.csv'));
  expect(putInPlace(whole('two'), place)).toBe(at('rejects-5.csv'));
  expect([read('rejects.csv'), read('rejects-4.csv'), read('rejects-5.csv')]).toEqual(['mine', 'one', 'two']);
  expect(existsSync(at('nowhere.csv'))).toBe(false);
});

test('a name that was given is refused where it is taken, an empty file included, and written over only by `replace`', () => {
  for (const text of ['mine', '']) {
    writeFileSync(at('left.csv'), text);
    expect(() => putInPlace(whole('one'), { path: at('left.csv'), ifTaken: 'refuse' })).toThrow(
      expect.objectContaining({ code: 'usage', advice: { action: 'name_rejects', overwrite: true } }),
    );
    expect(read('left.csv')).toBe(text);
  }
  expect(putInPlace(whole('one'), { path: at('left.csv'), ifTaken: 'replace' })).toBe(at('left.csv'));
  expect(read('left.csv')).toBe('one');
});

test('a file system without hard links gives the next free name, too', () => {
  writeFileSync(at('rejects.csv'), 'mine');
  const source = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const [temporary, path] = process.argv.slice(1);
    fs.linkSync = (_, name) => {
      throw Object.assign(new Error('link'), { code: fs.existsSync(name) ? 'EEXIST' : 'EPERM' });
    };
    syncBuiltinESMExports();
    const { putInPlace } = await import(${JSON.stringify(new URL('../../src/contacts/rejects-place.ts', import.meta.url).href)});
    console.log(putInPlace(temporary, { path, ifTaken: 'number' }));`;
  const out = execFileSync(
    process.execPath,
    ['--input-type=module', '-e', source, whole('one'), at('rejects.csv')],
    { encoding: 'utf8' },
  );
  expect(out.trim()).toBe(at('rejects-2.csv'));
  expect(readdirSync(dirname(at('x'))).sort()).toEqual(['rejects-2.csv', 'rejects.csv']);
  expect([read('rejects.csv'), read('rejects-2.csv')]).toEqual(['mine', 'one']);
});

test('the same file again keeps its name, and no other is taken for it', () => {
  const place = { path: at('rejects.csv'), ifTaken: 'number' } as const;
  expect(putInPlace(whole('one'), place)).toBe(at('rejects.csv'));
  expect(putInPlace(whole('two'), place)).toBe(at('rejects-2.csv'));
  for (let again = 0; again < 2; again++) {
    expect(putInPlace(whole('one'), place)).toBe(at('rejects.csv'));
    expect(putInPlace(whole('two'), place)).toBe(at('rejects-2.csv'));
  }
  // Mended since: the same size, other bytes.
  writeFileSync(at('other.csv'), 'own');
  const mended = { path: at('other.csv'), ifTaken: 'number' } as const;
  expect(putInPlace(whole('one'), mended)).toBe(at('other-2.csv'));
  expect(read('other.csv')).toBe('own');
  symlinkSync('other-2.csv', at('link.csv'));
  expect(putInPlace(whole('one'), { path: at('link.csv'), ifTaken: 'number' })).toBe(at('link-2.csv'));
  const large = 'x'.repeat(200_000);
  writeFileSync(at('large.csv'), `${large}y`);
  writeFileSync(at('large.tmp'), `${large}z`);
  const inLarge = { path: at('large.csv'), ifTaken: 'number' } as const;
  expect(putInPlace(at('large.tmp'), inLarge)).toBe(at('large-2.csv'));
  writeFileSync(at('large.tmp'), `${large}y`);
  expect(putInPlace(at('large.tmp'), inLarge)).toBe(at('large.csv'));
});
