import { expect, test } from 'vitest';
import { type Advice, ADVICE_ACTIONS, sayAdvice } from '../../src/domain/advice.ts';
import { ERROR_CODES, TumaError } from '../../src/domain/errors.ts';
import { problemLine, problemParts } from '../../src/web/views/problem.ts';
import { wordsOf } from '../../src/web/words/words.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { WebHere } from '../support/web-here.ts';

const [en, sw] = [{ words: wordsOf('en') }, { words: wordsOf('sw') }];
const FORBIDDEN = new TumaError('state_forbids', {
  message: 'Campaign promo (k7) is running; it cannot be given another sender.',
  advice: { action: 'pause_first', campaign: 'k7' },
});

test('in English the error stands once, with what to press and a link to where it is', () => {
  const { title, text } = problemParts(en, FORBIDDEN);
  expect(title).toBe(FORBIDDEN.message);
  expect(text?.text).toBe('<a href="/campaigns/k7">Pause the campaign first.</a>');
  const plain = problemParts(en, new TumaError('too_early', { message: 'It is too young.', hint: 'Wait.' }));
  expect(plain.text?.text).toBe('Wait.');
  expect(problemParts(en, new TumaError('too_early', { message: 'It is too young.' })).text).toBeNull();
});

test('in Swahili a sentence for the code stands first, and the English words are marked as English', () => {
  const { title, text } = problemParts(sw, FORBIDDEN);
  expect(title).toBe('Hali ya sasa ya kampeni hairuhusu jambo hili');
  expect(text?.text).toBe(
    '<a href="/campaigns/k7">Isimamishe kampeni kwanza.</a><br><small lang="en">Campaign promo (k7) is running; it cannot be given another sender.</small>',
  );
});

test('beside a field the error is one line without a link, and hostile words stay text', () => {
  const hostile = new TumaError('template_invalid', {
    message: 'The field <img src=x> is unknown',
    advice: { action: 'pause_first', campaign: 'k7' },
  });
  expect(problemLine(en, hostile).text).toBe(
    'The field &lt;img src=x&gt; is unknown. Pause the campaign first.',
  );
  expect(problemLine(sw, hostile).text).not.toContain('<a');
});

test('every code has a Swahili sentence of its own words, and every advice words for both languages', () => {
  const titles = Object.values(wordsOf('sw').errorTitles ?? {});
  expect(titles).toHaveLength(Object.keys(ERROR_CODES).length);
  for (const title of titles) expect(title).toMatch(/^\p{Lu}[^.]*(?:\.[^.]+)?$/u);
  const facts = { campaign: 'k7', name: 'mary', answer: 3, needs: 'file', given: true, ends: true };
  for (const action of ADVICE_ACTIONS) {
    const advice = { ...facts, action } as unknown as Advice;
    const [english, swahili] = [en, sw].map(({ words }) => sayAdvice(words.advice, advice));
    expect([action, english === swahili]).toEqual([action, english === null]);
  }
});

test('a page that cannot do what was asked says so in the language of the person', async () => {
  const web = await WebHere.open((await LedgerStory.begin()).directory);
  await web.signIn();
  const english = await web.post('/decisions/answers/99/unmap');
  expect(english.status).toBe(404);
  expect(english.text).toContain('<h1>There is no answer 99.</h1>');
  expect(english.text).toContain('<a href="/decisions">The page Decisions lists them.</a>');
  await web.post('/language', { language: 'sw', from: '/decisions' });
  const { text } = await web.post('/decisions/answers/99/unmap');
  expect(text).toContain('<h1>Kilichotafutwa hakipo</h1>');
  expect(text).toContain('<a href="/decisions">Ukurasa wa Maamuzi unayaonyesha.</a>');
  expect(text).toContain('<small lang="en">There is no answer 99.</small>');
});

test('where the ledger cannot even say whether there are users, it is said in plain words, and logged', async () => {
  const web = await WebHere.open((await LedgerStory.begin()).directory);
  await web.signIn();
  const reader = await web.services.reader();
  const gone = async () => {
    throw new TumaError('database_unreachable', { message: 'Postgres does not answer.', hint: 'Look.' });
  };
  reader.hasUsers = gone;
  reader.campaigns = gone;
  reader.accounts = gone;
  for (const browser of [web.stranger(), web]) {
    const { status, text } = await browser.get('/campaigns');
    expect([status, text]).toEqual([503, expect.stringMatching(/^Tuma cannot read its ledger now/)]);
  }
  expect(web.log.lines.at(-1)).toContain('Postgres does not answer.');
});
