import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_MEDIA } from '../../src/sandbox/api/sample-media.ts';
import { give, ID, startV2Sandbox, startV2Server, TOKEN } from '../provider/account/v2-support.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';
import { postTo } from './posted.ts';
import { connectV2Env, failure } from './v2-command-line.ts';

const PDF = Buffer.from('%PDF-1.4 a file');

describe('media', () => {
  it('downloads the file of a message into a folder, named by its id, or into a file', async () => {
    const sandbox = await startV2Sandbox();
    const wrote = await fetch(`${sandbox.url}/sandbox/inbound`, {
      method: 'POST',
      body: JSON.stringify({
        event: 'whatsapp.message.received',
        mobile: '254712345678',
        media: 'photo.jpg',
      }),
    });
    const { id } = (await wrote.json()) as { id: string };
    const out = makeTempDir();
    const env = connectV2Env(sandbox.url);
    const ran = await tuma(['media', id, '--out', out, '--json'], { env });
    const { bytes } = SAMPLE_MEDIA['photo.jpg'];
    const file = join(out, `${id}.jpg`);
    expect(JSON.parse(ran.stdout)).toEqual({ id, file, bytes: bytes.length, mime_type: 'image/jpeg' });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    const named = join(out, 'picture');
    expect((await tuma(['media', id, '--out', named], { env })).stdout).toBe(
      `${named}  (image/jpeg, ${bytes.length} bytes)\n`,
    );
    expect(statSync(named).mode & 0o777).toBe(0o600);
    const again = ['media', id, '--out', named];
    expect(await tuma(again, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add --force'),
    });
    expect(await tuma([...again, '--force'], { env })).toMatchObject({ code: 0 });
  });

  it.each([
    [
      give({ message: 'Media not found' }, { status: 404 }),
      2,
      'not_found',
      /no file for this message: Media not found/,
    ],
    [
      give({ message: 'Invalid API key or secret' }, { status: 401 }),
      4,
      'credentials',
      /Invalid API key or secret/,
    ],
    [give(PDF, { status: 302, headers: { location: '/' } }), 1, 'provider_answer', /redirect/],
    [give('<html>', { headers: { 'content-type': 'text/html' } }), 1, 'provider_answer', /web page/],
    [give('', { headers: { 'content-length': '130000000' } }), 1, 'provider_answer', /larger than 100 MB/],
  ])('that the service does not give leaves nothing: case %#', async (answer, exit, code, message) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    const shown = failure(
      await tuma(['media', ID, '--out', out, '--json'], { env: connectV2Env(server.url) }),
    );
    expect(shown).toMatchObject({ exit, code });
    expect(shown['message']).toMatch(message);
    expect(readdirSync(out)).toEqual([]);
  });

  it('replaces no file of that name in a folder without --force, and reads no more of the new one', async () => {
    const server = await startV2Server((response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' });
      response.write(Buffer.alloc(100_000, 1));
      if (server.requests.length > 1) response.end();
    });
    const env = connectV2Env(server.url);
    const out = makeTempDir();
    const file = join(out, `${ID}.pdf`);
    const get = (...flags: string[]) => tuma(['media', ID, '--out', out, ...flags, '--json'], { env });
    for (const make of [() => writeFileSync(file, 'mine'), () => symlinkSync('elsewhere', file)]) {
      make();
      expect(failure(await get())).toMatchObject({
        exit: 2,
        code: 'usage',
        hint: expect.stringContaining('add --force') as string,
      });
      expect(readdirSync(out)).toEqual([`${ID}.pdf`]);
      rmSync(file);
    }
    writeFileSync(file, 'mine');
    expect(await get('--force')).toMatchObject({ code: 0 });
    expect(statSync(file).size).toBe(100_000);
    expect(readdirSync(out)).toEqual([`${ID}.pdf`]);
  });

  it('takes a file of the size that TUMA_MEDIA_LIMIT allows, and names the setting for a larger one', async () => {
    const server = await startV2Server((response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      for (let part = 0; part < 30; part += 1) response.write(Buffer.alloc(1_000_000, part));
      response.end();
    });
    const out = makeTempDir();
    const get = (limit: string) =>
      tuma(['media', ID, '--out', out, '--json'], {
        env: connectV2Env(server.url, { TUMA_MEDIA_LIMIT: limit }),
      });
    expect(failure(await get('29MB'))).toMatchObject({
      exit: 1,
      code: 'provider_answer',
      message: 'The file is larger than 29 MB and was not kept.',
      hint: expect.stringContaining('TUMA_MEDIA_LIMIT') as string,
    });
    expect(readdirSync(out)).toEqual([]);
    expect(JSON.parse((await get('30MB')).stdout)).toMatchObject({ bytes: 30_000_000 });
    const kept = readFileSync(join(out, `${ID}.mp4`));
    expect([kept.length, kept[0], kept[29_999_999]]).toEqual([30_000_000, 0, 29]);
  });

  it.each([
    [give(''), /empty file/, /ask the person to send it again/],
    [
      give(JSON.stringify({ status: 'error', message: 'Media of 254712345678 expired' })),
      /no file but words: Media of 2547\*+5678 expired/,
      /tuma inbox/,
    ],
    [
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 200_000 });
        response.write(Buffer.alloc(100_000), () => response.socket?.resetAndDestroy());
      },
      /did not come whole, and nothing of it was kept/,
      /same command again/,
    ],
  ])('says what to do about an answer without a whole file: case %#', async (answer, message, hint) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    const shown = failure(
      await tuma(['media', ID, '--out', out, '--json'], { env: connectV2Env(server.url) }),
    );
    expect(shown).toMatchObject({ exit: 1, code: 'provider_answer' });
    expect(shown['message']).toMatch(message);
    expect(shown['hint']).toMatch(hint);
    expect(JSON.stringify(shown)).not.toMatch(/portal|254712345678/);
    expect(readdirSync(out)).toEqual([]);
  });

  it('asks the ledger for the ending that the webhook told, until that webhook is taken back', async () => {
    const server = await startV2Server(give(PDF));
    const story = await LedgerStory.begin();
    await postTo(story, {
      event: 'whatsapp.message.received',
      id: ID,
      from: '254712345678@c.us',
      media_type: 'document',
      file_name: '../../etc/price list.pdf',
      mime_type: 'application/octet-stream',
    });
    await story.end();
    const out = makeTempDir();
    const env = connectV2Env(server.url, { TUMA_HOME: story.directory });
    const ran = await tuma(['media', ID.toUpperCase(), '--out', out, '--json'], { env });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      file: join(out, `${ID}.pdf`),
      mime_type: 'application/pdf',
    });
    const voided = ['webhooks', 'void', '--from', '127.0.0.1', '--yes'];
    expect(await tuma(voided, { env })).toMatchObject({ code: 0 });
    await tuma(['media', ID, '--out', out], { env });
    expect(readdirSync(out).toSorted()).toEqual([`${ID}.bin`, `${ID}.pdf`]);
  });

  it('takes an id and nothing else: an address of a webhook is refused, and nobody is asked', async () => {
    const server = await startV2Server(give(PDF));
    const env = connectV2Env(server.url);
    for (const id of [`${server.url}/x`, `/api/v2/messages/whatsapp/${ID}/media`, `../${ID}`, ''])
      expect(failure(await tuma(['media', id, '--out', '/', '--json'], { env }))).toMatchObject({
        exit: 2,
        code: 'usage',
        hint: expect.stringContaining('not its media_url') as string,
      });
    expect(server.connections).toBe(0);
  });

  it('needs to be told where to', async () => {
    const ran = await tuma(['media', ID, '--json'], { env: connectV2Env('http://127.0.0.1:1') });
    expect(failure(ran)).toMatchObject({ exit: 2, code: 'usage' });
  });

  it('says that a place cannot be written', async () => {
    const server = await startV2Server(give(PDF));
    const out = join(makeTempDir(), 'no', 'such');
    const ran = await tuma(['media', ID, '--out', join(out, 'x.pdf'), '--json'], {
      env: connectV2Env(server.url),
    });
    expect(failure(ran)).toMatchObject({ exit: 1, code: 'file_unwritable', where: join(out, 'x.pdf') });
  });

  it('leaves nothing behind when it is interrupted in the middle', async () => {
    const stop = new AbortController();
    const server = await startV2Server((response) => {
      response.write('half', () => stop.abort('SIGINT'));
    });
    const out = makeTempDir();
    const env = connectV2Env(server.url, { TUMA_V2_AUTH: 'query' });
    const { code, stdout, stderr } = await tuma(['media', ID, '--out', out], { env, signal: stop.signal });
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).not.toContain(TOKEN);
    expect(readdirSync(out)).toEqual([]);
  });
});
