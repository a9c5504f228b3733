import { expect, test } from 'vitest';
import { costlyCharacters, gsmSafeTemplate, markCostly } from '../../../src/domain/text/costly-characters.ts';

test('each different character that forces UCS-2 is named once, with its words around it and its replacement', () => {
  const text = 'Mavuno’s branches – open at 9 – Karibu 😀';
  expect(costlyCharacters(text, 10)).toEqual([
    { character: '’', replacement: "'", before: 'Mavuno', after: 's branches –' },
    { character: '–', replacement: '-', before: 'branches ', after: ' open at 9 –' },
    { character: '😀', replacement: null, before: 'at 9 – Karibu ', after: '' },
  ]);
  expect(costlyCharacters(text, 1)).toHaveLength(1);
  expect(costlyCharacters('Plain text €5', 10)).toEqual([]);
});

test('a marked text is the same text, cut at its costly characters', () => {
  const text = 'a’’b😀';
  const pieces = markCostly(text);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.map(({ isCostly }) => isCostly)).toEqual([false, true, true, false, true]);
});

test('replacing in a template leaves its fields as they are written', () => {
  const source = 'Hi <<Jïna’s | you>>, it’s {{#if a}}late – now{{/if}}…';
  expect(gsmSafeTemplate({ source, file: 'message' })).toBe(
    "Hi <<Jïna’s | you>>, it's {{#if a}}late - now{{/if}}...",
  );
});
