import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { TumaError } from '../../../src/domain/errors.ts';
import { MEDIA_NAMES, SAMPLE_MEDIA } from '../../../src/sandbox/api/sample-media.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { connectV2, give, ID, into, MEDIA_PATH, startV2Sandbox, startV2Server } from './v2-support.ts';

const PDF = Buffer.from('%PDF-1.4 a file');

/** Lets a customer of the sandbox send a file; the id of its record. */
async function sent(sandbox: Sandbox, media: string, fields: object = {}): Promise<string> {
  const body = { event: 'whatsapp.message.received', mobile: '254712345678', media, fields };
  const answer = await fetch(`${sandbox.url}/sandbox/inbound`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return ((await answer.json()) as { id: string }).id;
}

async function thrownBy(work: () => Promise<unknown>): Promise<TumaError> {
  try {
    await work();
  } catch (error) {
    return error as TumaError;
  }
  throw new Error('nothing was thrown');
}

describe('a file of a customer', () => {
  test.each(MEDIA_NAMES)(
    '%s is kept whole, only for us, under its id and its declared type',
    async (name) => {
      const sandbox = await startV2Sandbox();
      const id = await sent(sandbox, name);
      const out = makeTempDir();
      const result = await connectV2(sandbox.url).downloadMedia({ id, ...into(out) });
      const extension = name.slice(name.indexOf('.'));
      const { bytes, mimeType } = SAMPLE_MEDIA[name];
      expect(result).toEqual({
        outcome: 'saved',
        file: join(out, id + extension),
        bytes: bytes.length,
        mimeType: mimeType.split(';')[0],
      });
      expect(readFileSync(join(out, id + extension)).equals(bytes)).toBe(true);
      expect(statSync(join(out, id + extension)).mode & 0o777).toBe(0o600);
      expect(readdirSync(out)).toHaveLength(1);
    },
  );

  test('goes into the very file that was named, in place of what was there', async () => {
    const sandbox = await startV2Sandbox();
    const id = await sent(sandbox, 'invoice.pdf');
    const file = join(makeTempDir(), 'my file.pdf');
    for (const before of [null, 'old']) {
      if (before !== null) writeFileSync(file, before);
      const result = await connectV2(sandbox.url).downloadMedia({ id, ...into(file) });
      expect(result).toMatchObject({ outcome: 'saved', file });
      expect(readFileSync(file).equals(SAMPLE_MEDIA['invoice.pdf'].bytes)).toBe(true);
    }
  });

  test('replaces a link, and does not write through it', async () => {
    const server = await startV2Server(give(PDF));
    const folder = makeTempDir();
    const [target, link] = [join(folder, 'target'), join(folder, 'link')];
    writeFileSync(target, 'mine');
    symlinkSync(target, link);
    await connectV2(server.url).downloadMedia({ id: ID, ...into(link) });
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(readFileSync(link).equals(PDF)).toBe(true);
  });

  test('is not there under another id, and not to be had without credentials', async () => {
    const sandbox = await startV2Sandbox();
    const id = await sent(sandbox, 'photo.jpg');
    const out = makeTempDir();
    expect(await connectV2(sandbox.url).downloadMedia({ id: ID, ...into(out) })).toEqual({
      outcome: 'missing',
      words: 'Media not found',
    });
    expect(await connectV2(sandbox.url, { token: 'expired' }).downloadMedia({ id, ...into(out) })).toEqual({
      outcome: 'unauthorised',
      words: 'Invalid API key or secret',
    });
    expect(readdirSync(out)).toEqual([]);
  });
});

const typed = (body: string | Buffer, type: string) => give(body, { headers: { 'content-type': type } });

/** X18: names that a customer may give to a file. */
const FILE_NAMES = [
  '../../x',
  '/etc/passwd',
  String.raw`C:\x`,
  String.raw`..\..\x`,
  'a\0b.jpg',
  'x'.repeat(5_000),
  'CON',
  'nul.jpg',
  '\u202egpj.exe',
  '.bashrc',
  '-rf',
  '',
  'a\nb',
  '%2e%2e%2fx',
];

describe('a file that its sender called [X18]', () => {
  test.each(FILE_NAMES)('%j is kept under its id all the same', async (name) => {
    const sandbox = await startV2Sandbox();
    const id = await sent(sandbox, 'photo.jpg', { file_name: name, mime_type: 'text/html' });
    const parent = makeTempDir();
    const out = join(parent, 'a', 'b');
    mkdirSync(out, { recursive: true });
    await connectV2(sandbox.url).downloadMedia({ id, ...into(out) });
    expect(readdirSync(parent, { recursive: true }).map(String).toSorted()).toEqual([
      'a',
      'a/b',
      `a/b/${id}.jpg`,
    ]);
  });

  test.each(FILE_NAMES.filter((name) => !/[\n\0\u202e]/.test(name)))(
    '%j in a header of the answer is not looked at either',
    async (name) => {
      const headers = {
        'content-disposition': `attachment; filename="${name}"`,
        'content-type': 'image/png',
      };
      const server = await startV2Server(give(PDF, { headers }));
      const out = makeTempDir();
      await connectV2(server.url).downloadMedia({ id: ID.toUpperCase(), ...into(out) });
      expect(readdirSync(out)).toEqual([`${ID}.png`]);
    },
  );
});

test.each([
  ['application/pdf', '.pdf', 'application/pdf'],
  ['IMAGE/JPEG; name=x.exe', '.jpg', 'image/jpeg'],
  ['audio/ogg; codecs=opus', '.ogg', 'audio/ogg'],
  ['image/svg+xml', '.bin', 'application/octet-stream'],
  ['application/xml', '.bin', 'application/octet-stream'],
  ['text/javascript', '.bin', 'application/octet-stream'],
  ['application/x-msdownload', '.bin', 'application/octet-stream'],
  ['../../x', '.bin', 'application/octet-stream'],
  ['__proto__', '.bin', 'application/octet-stream'],
  ['constructor', '.bin', 'application/octet-stream'],
])(
  'what is declared as %j ends with %s, because only types of a list name a file [X18 X19]',
  async (declared, extension, mimeType) => {
    const server = await startV2Server(typed('<script>alert(1)</script>', declared));
    const out = makeTempDir();
    const result = await connectV2(server.url).downloadMedia({ id: ID, ...into(out) });
    expect(result).toMatchObject({ outcome: 'saved', mimeType });
    expect(readdirSync(out)).toEqual([ID + extension]);
  },
);

/** X17: what a hostile webhook may put where an id or an address belongs. */
const hostile = (elsewhere: string) => [
  elsewhere,
  `${elsewhere}/${ID}`,
  elsewhere.replace('http:', ''),
  elsewhere.replace('http://', '/\\'),
  elsewhere.replace('http://', 'http:/'),
  elsewhere.replace('http://', '@'),
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
  MEDIA_PATH,
  `${ID}/../../../account/credits`,
  `%2e%2e/%2e%2e/${ID}`,
  `../${ID}`,
  `${ID}?x=1`,
  `${ID}#x`,
  `${ID}\t`,
  `${ID}\n`,
  `${ID}\r\nHost: evil`,
  ` ${ID}`,
  `${ID}\0`,
  `${ID}${ID}`,
  ID.replaceAll('-', ''),
  `{${ID}}`,
  'ＡＢ2b8c1e-9d4a-4f6b-8a1c-0e5d7f9b2a34',
  '..',
  '',
];

describe('a media address of a webhook [X17]', () => {
  test('is never asked for: 0 connections, here or elsewhere, and nothing on the disk', async () => {
    const elsewhere = await startV2Server(give(PDF));
    const server = await startV2Server(give(PDF));
    const api = connectV2(server.url);
    const out = makeTempDir();
    const table = hostile(elsewhere.url);
    expect(table.length).toBeGreaterThan(20);
    for (const id of table) {
      const error = await thrownBy(() => api.downloadMedia({ id, ...into(out) }));
      expect([id, error.code, error.exitCode]).toEqual([id, 'usage', 2]);
      if (id.length > 2) expect(`${error.message}${error.hint}`).not.toContain(id);
    }
    expect([elsewhere.connections, server.connections]).toEqual([0, 0]);
    expect(readdirSync(out)).toEqual([]);
  });

  test('has no say when the id is good: the path is made of the id alone', async () => {
    const elsewhere = await startV2Server(give(PDF));
    const sandbox = await startV2Sandbox();
    for (const media_url of hostile(elsewhere.url)) {
      const id = await sent(sandbox, 'invoice.pdf', { media_url });
      expect(await connectV2(sandbox.url).downloadMedia({ id, ...into(makeTempDir()) })).toMatchObject({
        outcome: 'saved',
      });
    }
    expect(elsewhere.connections).toBe(0);
  });

  test.each([301, 302, 303, 307, 308])('in a redirect %s is not followed', async (status) => {
    const elsewhere = await startV2Server(give(PDF));
    for (const location of [`${elsewhere.url}/x`, `//127.0.0.1:${elsewhere.port}/x`, '/api/v2/x']) {
      const server = await startV2Server(give(PDF, { status, headers: { location } }));
      const out = makeTempDir();
      expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out) })).toEqual({
        outcome: 'unknown',
        httpStatus: status,
        words: 'a redirect, which is not followed',
      });
      expect(server.requests).toEqual([`GET ${MEDIA_PATH}`]);
      expect(readdirSync(out)).toEqual([]);
    }
    expect(elsewhere.connections).toBe(0);
  });
});

describe('what is no file', () => {
  test.each([
    [typed(PDF, 'text/html; charset=utf-8'), /web page/],
    [typed(PDF, 'Application/XHTML+XML'), /web page/],
    [give(PDF, { status: 206 }), /not the whole file/],
    [give(PDF, { headers: { 'content-encoding': 'gzip' } }), /compressed/],
    [give(PDF, { status: 500 }), /HTTP 500/],
  ])('is not kept: case %#', async (answer, words) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out) })).toMatchObject({
      outcome: 'unknown',
      words: expect.stringMatching(words) as string,
    });
    expect(readdirSync(out)).toEqual([]);
  });
});

const told = (mimeType: string, fileName = '') => ({ told: { mimeType, fileName } });
const REPORT = JSON.stringify({ name: 'stock', rows: [1, 2, 3] });
const FAILED = JSON.stringify({ status: 'error', message: 'Media expired' });

describe('an answer of the service', () => {
  test.each([
    [typed(PDF, 'text/json'), {}],
    [typed(PDF, 'application/problem+json'), {}],
    [typed(REPORT, 'application/problem+json'), {}],
    [typed(PDF, 'application/vnd.api+json; charset=utf-8'), {}],
    [typed(PDF, 'TEXT/X-JSON'), {}],
    [give({ status: 'success' }), {}],
    [give({}), {}],
    // The webhook told of a picture.
    [typed(REPORT, 'application/json'), told('image/jpeg')],
    [typed(JSON.stringify('x'.repeat(100_000)), 'application/json'), told('image/jpeg')],
  ])('is not kept as the file, whatever JSON it comes as: case %#', async (answer, request) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out), ...request })).toEqual({
      outcome: 'no_file',
      why: 'json',
      words: 'an answer in JSON instead of a file',
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test.each([
    [typed(FAILED, 'application/json'), {}],
    [typed(FAILED, 'application/json'), told('application/json', 'a.json')],
    [typed(FAILED, 'application/octet-stream'), told('application/json')],
    [give(FAILED), told('image/jpeg')],
    [typed(FAILED, 'text/plain'), {}],
    [typed(FAILED, 'image/jpeg'), told('image/jpeg')],
    [give(JSON.stringify({ message: 'Media expired', data: null })), {}],
    [give(JSON.stringify({ Status_Code: 404, Error: 'Media expired' })), told('application/pdf')],
  ])('is told in its own words, whatever type it says: case %#', async (answer, request) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out), ...request })).toEqual({
      outcome: 'no_file',
      why: 'json',
      words: 'Media expired',
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test('without a byte is said to be empty, whatever type it says', async () => {
    for (const answer of [give(''), typed('', 'image/png'), typed('', 'application/json')]) {
      const server = await startV2Server(answer);
      const out = makeTempDir();
      expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out) })).toMatchObject({
        outcome: 'no_file',
        why: 'empty',
      });
      expect(readdirSync(out)).toEqual([]);
    }
  });
});

describe('a JSON document of a person', () => {
  test.each([
    [typed(REPORT, 'application/json'), {}],
    [typed('[{"status":"error"}]', 'application/json; charset=utf-8'), {}],
    [typed('\uFEFF{"a":1}', 'text/json'), {}],
    [typed(JSON.stringify({ message: 'x'.repeat(100_000) }), 'application/json'), {}],
    // The webhook told of JSON, so also what looks like an answer, and what no reader of JSON takes.
    [typed('{"message":"hello"}', 'application/json'), told('application/json')],
    [typed('{"a":1}\n{"a":2}\n', 'application/json'), told('text/plain', 'log.JSON')],
    [give('{"message":"hello"}'), told('application/octet-stream', 'note.json')],
  ])('is a file: case %#', async (answer, request) => {
    const server = await startV2Server(answer);
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out), ...request })).toMatchObject({
      outcome: 'saved',
      file: join(out, `${ID}.json`),
    });
    expect(readdirSync(out)).toEqual([`${ID}.json`]);
  });
});

describe('the ending of a file whose type the answer does not say', () => {
  test.each([
    ['', told('image/jpeg', 'x.pdf'), '.jpg'],
    ['application/octet-stream', told('Audio/OGG; codecs=opus'), '.ogg'],
    ['binary/octet-stream', told('application/octet-stream', 'Stock list.XLSX'), '.xlsx'],
    ['application/zip', told('', 'letter.docx'), '.docx'],
    ['', told('', 'photo.jpeg'), '.jpg'],
    ['image/png', told('image/jpeg', 'x.pdf'), '.png'],
    ['', told('', ''), '.bin'],
    ['', told('text/html', 'page.html'), '.bin'],
    ['', told('application/x-msdownload', 'invoice.pdf.exe'), '.bin'],
    ['', told('__proto__', 'x.constructor'), '.bin'],
    ['', told('../../x', '../../.ssh/x.pdf/y'), '.bin'],
    ['', told('', '../../../tmp/x.pdf'), '.pdf'],
    ['', told('', 'a.pdf\n'), '.bin'],
    ['', told('', 'a.pdf\0.sh'), '.bin'],
    ['', told('', '\u202efdp.exe'), '.bin'],
    ['', told('', `${'x'.repeat(5_000)}.png`), '.png'],
  ])('is that of the webhook, where it is on the list: case %# [X18]', async (type, request, ending) => {
    const server = await startV2Server(type === '' ? give(PDF) : typed(PDF, type));
    const parent = makeTempDir();
    const out = join(parent, 'a', 'b');
    mkdirSync(out, { recursive: true });
    const result = await connectV2(server.url).downloadMedia({ id: ID, ...into(out), ...request });
    expect(result).toMatchObject({ outcome: 'saved', file: join(out, ID + ending) });
    expect(readdirSync(parent, { recursive: true }).map(String).toSorted()).toEqual([
      'a',
      'a/b',
      `a/b/${ID}${ending}`,
    ]);
  });
});

describe('a bound', () => {
  test.each([
    ['declared', { 'content-length': '1001' }],
    ['not declared', {}],
  ])('on the size, %s: one byte more is refused, and the half file is gone', async (_, headers) => {
    const out = makeTempDir();
    for (const [size, outcome] of [
      [1_001, 'too_large'],
      [1_000, 'saved'],
    ] as const) {
      const server = await startV2Server((response) => {
        response.writeHead(200, size === 1_001 ? headers : {});
        response.write(Buffer.alloc(500, 1));
        response.end(Buffer.alloc(size - 500, 1));
      });
      expect(
        await connectV2(server.url).downloadMedia({ id: ID, ...into(out), maxBytes: 1_000 }),
      ).toMatchObject({
        outcome,
      });
      expect(readdirSync(out)).toEqual(outcome === 'saved' ? [`${ID}.bin`] : []);
    }
  });

  test('on the size: a flood without end is cut off', async () => {
    let bytes = 0;
    const server = await startV2Server((response) => {
      const flood = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 1))) bytes += 65_536;
      };
      response.on('drain', flood);
      flood();
    });
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out) })).toEqual({
      outcome: 'too_large',
      maxBytes: 25_000_000,
    });
    expect(readdirSync(out)).toEqual([]);
    expect(bytes).toBeLessThan(80_000_000);
  });

  test('on the size that is declared: refused before a byte of it is waited for', async () => {
    const server = await startV2Server((response) => {
      response.writeHead(200, { 'content-length': '25000001' });
      response.flushHeaders();
    });
    const result = await connectV2(server.url).downloadMedia({ id: ID, ...into(makeTempDir()) });
    expect(result).toEqual({ outcome: 'too_large', maxBytes: 25_000_000 });
  });

  test('on the time: a slow drip is cut off, and the half file is gone', async () => {
    const server = await startV2Server((response) => {
      void (async () => {
        for (; !response.destroyed; await sleep(20)) response.write('x');
      })();
    });
    const out = makeTempDir();
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out), deadlineMs: 1_000 })).toEqual({
      outcome: 'no_file',
      why: 'cut',
      words: 'no whole answer within the deadline',
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test('by whoever asked: given up in the middle, nothing is left', async () => {
    const stop = new AbortController();
    const server = await startV2Server((response) => {
      response.write('half', () => stop.abort('SIGINT'));
    });
    const out = makeTempDir();
    expect(
      await connectV2(server.url).downloadMedia({ id: ID, ...into(out), signal: stop.signal }),
    ).toMatchObject({
      outcome: 'unknown',
      words: 'given up',
    });
    expect(readdirSync(out)).toEqual([]);
  });

  test('by the connection: a body that ends early is not kept, and is no fault of the disk', async () => {
    const server = await startV2Server((response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('half', () => response.socket?.resetAndDestroy());
    });
    const out = makeTempDir();
    writeFileSync(join(out, `${ID}.txt`), 'before');
    expect(await connectV2(server.url).downloadMedia({ id: ID, ...into(out) })).toMatchObject({
      outcome: 'no_file',
      why: 'cut',
    });
    expect(readdirSync(out)).toEqual([`${ID}.txt`]);
    expect(readFileSync(join(out, `${ID}.txt`), 'utf8')).toBe('before');
  });
});

describe('a place that cannot be written', () => {
  test.each(['no/such/folder/x.pdf', 'no/such/folder/', 'file/x.pdf'])('%s is said so', async (place) => {
    const server = await startV2Server(give(PDF));
    const folder = makeTempDir();
    writeFileSync(join(folder, 'file'), '');
    const error = await thrownBy(() =>
      connectV2(server.url).downloadMedia({ id: ID, ...into(`${folder}/${place}`) }),
    );
    expect(error).toMatchObject({ code: 'file_unwritable', exitCode: 1, where: `${folder}/${place}` });
    expect(existsSync(join(folder, 'no'))).toBe(false);
    expect(readdirSync(folder).map((name) => basename(name))).toEqual(['file']);
  });
});
