import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/processes.ts';

/** A backtick inside of words: an office worker takes it for dirt, and what stands in it is for a terminal. */
const BACKTICK = /(?<=[\s(:?])'(?:[^'\\\n]|\\.)*`(?:[^'\\\n]|\\.)*'|\\`/;
/** The page of the system's health is for whoever installed Tuma, who has a terminal. */
const FOR_OPERATORS = /health\.ts$/;

test('no words of a page hold backticks', () => {
  const files = globSync('src/web/words/*/*.ts', { cwd: ROOT }).filter((file) => !FOR_OPERATORS.test(file));
  expect(files.length).toBeGreaterThan(30);
  const wrong = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => BACKTICK.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});
