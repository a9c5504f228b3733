import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepMedia } from '../../../src/provider/account/v2-media-file.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const place = (out: string) => ({ id: 'an-id', out, declared: '', maxBytes: 50_000_000 });

async function* pieces(count: number, between: () => void = () => {}): AsyncGenerator<Buffer> {
  for (let at = 0; at < count; at++) {
    yield Buffer.alloc(200_000, at);
    between();
  }
}

test('a file of many pieces keeps them all, in their order', async () => {
  const out = makeTempDir();
  const kept = await keepMedia(pieces(100), place(out));
  const file = join(out, 'an-id.bin');
  expect(kept).toEqual({ file, bytes: 20_000_000, mimeType: 'application/octet-stream' });
  const written = readFileSync(file);
  const wrong = Array.from({ length: 100 }, (_, at) => at).filter(
    (at) => !written.subarray(at * 200_000, (at + 1) * 200_000).equals(Buffer.alloc(200_000, at)),
  );
  expect([written.length, wrong]).toEqual([20_000_000, []]);
});

test('a place that a folder has taken meanwhile is one clear error, and nothing else stays', async () => {
  const folder = makeTempDir();
  const out = join(folder, 'photo');
  await expect(
    keepMedia(
      pieces(1, () => mkdirSync(out)),
      place(out),
    ),
  ).rejects.toMatchObject({
    code: 'file_unwritable',
    where: out,
  });
  expect(readdirSync(folder)).toEqual(['photo']);
});

test.each(['/', '\\'])('what ends with %s is a folder, and none is made where there is none', async (end) => {
  const folder = makeTempDir();
  await expect(keepMedia(pieces(1), place(join(folder, 'new') + end))).rejects.toMatchObject({
    code: 'file_unwritable',
  });
  expect(readdirSync(folder)).toEqual([]);
});
