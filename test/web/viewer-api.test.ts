import { beforeAll, expect, test } from 'vitest';
import { strangersWords } from '../../src/domain/text/mask.ts';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

/* What the token of a viewer gets of people: no full number at any address, in the stream of events and the searches neither. */

const ANN = '254711234561';
const BEN = '254722345672';
const NUMBERS = [ANN, BEN, '0711234561', '0722345672', '722 345 672'];

let viewer: ApiHere;
let story: LedgerStory;

beforeAll(async () => {
  story = await LedgerStory.begin();
  const rows = [
    { mobile: ANN, key: ANN, fields: ['0711234561', `Ann ${ANN}`] },
    { mobile: BEN, fields: ['0722345672', 'Ben'] },
    { mobile: '254733000003', fields: ['0733000003', 'Cy'] },
  ];
  const n = await story.launch({ id: 'app-1', settings: { key: ['Phone'] }, rows });
  await story.claim();
  const question = { content: 'h', words: strangersWords(`odd ${BEN}`) };
  const evidence = {
    httpStatus: 504,
    code: null,
    raw: `{"to":"${BEN}"}`,
    words: strangersWords(`no route to ${BEN}`),
    question,
  };
  await story.record(n, {
    1: { to: 'sent', messageId: 'X-1' },
    2: { to: 'uncertain', evidence },
    3: { to: 'rejected', reason: 'refused' },
  });
  await story.report('X-1', 'undelivered', `absent ${ANN}`);
  await story.reply(ANN, `stop ${ANN}`, 'stop');
  await story.reply(BEN, 'msinitumie, call 0722 345 672', 'maybe_stop');
  await story.ledger.addOptOuts(
    [{ mobile: BEN, source: 'operator', by: 'ann', sender: 'OTHER', evidence: `called from ${BEN}` }],
    story.now,
  );
  await story.ledger.cancelPerson(n, { mobile: ANN, now: story.now, by: 'ann' });
  await story.ledger.pause(n, {
    now: story.now,
    by: 'worker',
    reason: 'balance',
    words: strangersWords(`owed by ${ANN}`),
  });
  viewer = await (await ApiHere.open(story.directory)).as('viewer');
});

function without(numbers: readonly string[], path: string, text: string): void {
  for (const number of numbers) expect(`${path} ${text.includes(number)}`).toBe(`${path} false`);
}

test('no answer to a viewer holds a full number', async () => {
  const { routes } = await WebHere.open(story.directory);
  const asked = routes
    .filter(({ method, url, may }) => method === 'GET' && may === 'viewer' && url.startsWith('/api/v1'))
    .map(({ url }) => url.slice('/api/v1'.length))
    // A stream that does not end by itself has the document of the campaign.
    .filter((url) => !url.endsWith('/events'));
  expect(asked.length).toBeGreaterThan(15);
  const paths = asked.flatMap((url) => {
    const path = url.replace(':id', /^\/(?:conversations|webhooks)\//.test(url) ? '1' : 'app-1');
    return path.includes(':seq') ? [1, 2, 3].map((seq) => path.replace(':seq', String(seq))) : [path];
  });
  for (const path of [...paths, '/statement?from=2026-01-01&to=2026-12-31']) {
    const { status, body } = await viewer.get(path);
    if (path !== '/statement') expect([path, status]).toEqual([path, 200]);
    without(NUMBERS, path, JSON.stringify(body));
  }
  for (const typed of [ANN, '0722 345 672', 'X-1', 'app'])
    without(NUMBERS, `find ${typed}`, JSON.stringify((await viewer.post('/find', { text: typed })).body));
  without(
    NUMBERS,
    'optouts/find',
    JSON.stringify((await viewer.post('/optouts/find', { mobile: BEN })).body),
  );
});
