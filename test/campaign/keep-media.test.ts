import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { MediaKeeper } from '../../src/campaign/keep-media.ts';
import type { MediaKeeping } from '../../src/campaign/keep-media.ts';
import type { RepliesQuery, ReplyRow } from '../../src/ledger/replies.ts';
import type { MediaRequest } from '../../src/provider/account-api.ts';
import { connectV2, give, startV2Sandbox, startV2Server } from '../provider/v2-support.ts';
import { makeTempDir } from '../support/temp-home.ts';

const DAY_MS = 24 * 3_600_000;

let time: number;
let logged: string[];
let rows: ReplyRow[];
let folder: string;
let stop: AbortController;

beforeEach(() => {
  time = 1_800_000_000_000;
  logged = [];
  rows = [];
  folder = makeTempDir();
  stop = new AbortController();
});

/** A reply as the ledger tells of it, newest first. */
function reply(recordId: string | null, fields: Partial<ReplyRow> = {}): void {
  rows.unshift({
    id: rows.length + 1,
    channel: 'chat',
    recordId,
    mobile: '254712345678',
    addressee: '254700000000@s.whatsapp.net',
    text: 'TEXT_CANARY',
    at: null,
    receivedAt: time,
    detail: { media_type: 'image', media_url: '//evil.example/x', file_name: '../../x' },
    wish: null,
    campaign: null,
    ...fields,
  });
}

function page({ since, beforeId, limit }: RepliesQuery): ReplyRow[] {
  const before = beforeId ?? Infinity;
  return rows.filter(({ id, receivedAt }) => id < before && receivedAt >= since).slice(0, limit);
}

function keeper(api: MediaKeeping['api'], kept: string[] = []): MediaKeeper {
  const say = (level: string) => (fields: object, words: string) =>
    void logged.push(`${level}: ${words} ${JSON.stringify(fields)}`);
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  const clock = { now: () => time, monotonic: () => time, sleep: async () => {} };
  const replies = { replies: async (query: RepliesQuery) => page(query) };
  return new MediaKeeper({ clock, log }, { replies, api, folder, kept: new Set(kept) }, stop.signal);
}

/** An API that notes what is asked of it. */
function noting(answer: 'saved' | 'missing' = 'saved') {
  const asked: string[] = [];
  const api: MediaKeeping['api'] = {
    downloadMedia: async ({ id }: MediaRequest) => {
      asked.push(id);
      return answer === 'missing'
        ? { outcome: 'missing', words: 'Media not found' }
        : { outcome: 'saved', file: id, bytes: 1, mimeType: 'image/png' };
    },
  };
  return { api, asked };
}

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

describe('files of chat messages', () => {
  test('are kept once, as they come in, from the real service', async () => {
    const sandbox = await startV2Sandbox();
    const sent = async (media: string) => {
      const body = { event: 'whatsapp.message.received', mobile: '254712345678', media };
      const answer = await fetch(`${sandbox.url}/sandbox/inbound`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return ((await answer.json()) as { id: string }).id;
    };
    const [first, second] = [await sent('photo.jpg'), await sent('invoice.pdf')];
    const media = keeper(connectV2(sandbox.url));
    reply(first.toUpperCase().toLowerCase());
    await media.step();
    expect(readdirSync(folder)).toEqual([`${first}.jpg`]);
    reply(second);
    await media.step();
    await media.step();
    expect(readdirSync(folder).toSorted()).toEqual([`${first}.jpg`, `${second}.pdf`].toSorted());
    expect(logged.filter((line) => line.startsWith('info'))).toHaveLength(2);
    expect(logged.join()).not.toMatch(/CANARY|254712345678|evil|\.\.\/x/);
  });

  test('are asked for only where there are some, not already there, and not too old', async () => {
    reply(uuid(1), { receivedAt: time - 8 * DAY_MS });
    reply(uuid(2), { detail: { media_type: 'text' } });
    reply(uuid(3), { detail: {} });
    reply(null, { channel: 'sms' });
    reply(uuid(4).toUpperCase());
    reply(uuid(5));
    const { api, asked } = noting();
    const media = keeper(api, [uuid(4)]);
    for (let step = 0; step < 3; step += 1) await media.step();
    expect(asked).toEqual([uuid(5)]);
  });

  test('of more than a page of messages are all found, each once', async () => {
    for (let n = 1; n <= 1_203; n += 1) reply(uuid(n));
    const { api, asked } = noting();
    const media = keeper(api);
    await media.step();
    reply(uuid(1_204));
    await media.step();
    expect(asked).toHaveLength(1_204);
    expect(new Set(asked).size).toBe(1_204);
  });

  test('that are not there are asked for again later, less and less often, and given up with a word', async () => {
    reply(uuid(1));
    const { api, asked } = noting('missing');
    const media = keeper(api);
    const begun = time;
    const waits: number[] = [];
    for (let last = time; time < begun + DAY_MS; time += 5_000) {
      const before = asked.length;
      await media.step();
      if (asked.length === before) continue;
      waits.push((time - last) / 1_000);
      last = time;
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 320, 600]);
    expect(logged).toEqual([`warn: a file is not kept {"record":"${uuid(1)}","why":"Media not found"}`]);
  });

  test('wait for a person while the credentials are refused: one question a minute, and none is given up', async () => {
    const server = await startV2Server(give({ message: 'Invalid API key or secret' }, { status: 401 }));
    for (let n = 1; n <= 5; n += 1) reply(uuid(n));
    const media = keeper(connectV2(server.url));
    for (let minute = 0; minute < 12; minute += 1) {
      for (let step = 0; step < 12; step += 1, time += 5_000) await media.step();
    }
    expect(server.requests).toHaveLength(12);
    expect(logged.some((line) => line.includes('is not kept'))).toBe(false);
    expect(logged[0]).toContain('Invalid API key or secret');
  });

  test('with an id that is none are never asked for', async () => {
    const server = await startV2Server(give('%PDF-'));
    for (const id of ['../../x', server.url, `${uuid(1)}/..`, '']) reply(id);
    reply(uuid(2));
    const media = keeper(connectV2(server.url));
    await media.step();
    expect(server.requests).toEqual([`GET /api/v2/messages/whatsapp/${uuid(2)}/media`]);
    await media.step();
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([`${uuid(2)}.pdf`]);
  });

  test('that cannot be written are a failed step, and are tried again', async () => {
    const server = await startV2Server(give('%PDF-'));
    reply(uuid(1));
    folder = `${folder}/not/there`;
    const media = keeper(connectV2(server.url));
    for (let step = 0; step < 2; step += 1)
      await expect(media.step()).rejects.toMatchObject({ code: 'file_unwritable' });
  });

  test('are left at once when the worker stops, and nothing half is left behind', async () => {
    const server = await startV2Server((response) => {
      response.write('half', () => stop.abort());
    });
    reply(uuid(1));
    reply(uuid(2));
    await keeper(connectV2(server.url)).step();
    expect(server.requests).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
    expect(logged).toEqual([]);
  });
});
