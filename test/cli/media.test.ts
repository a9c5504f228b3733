import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_MEDIA } from '../../src/sandbox/api/sample-media.ts';
import { give, ID, startV2Sandbox, startV2Server, TOKEN } from '../provider/account/v2-support.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';
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
    expect(await tuma(['media', id, '--out', out], { env })).toMatchObject({ code: 0 });
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
    [give('', { headers: { 'content-length': '30000000' } }), 1, 'provider_answer', /larger than 25 MB/],
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
