import { describe, expect, it } from 'vitest';
import { didYouMean } from '../../../src/domain/text/did-you-mean.ts';

const KEYS = ['name', 'kind', 'sender', 'template', 'start', 'start_deadline', 'rate', 'key'];

describe('didYouMean', () => {
  it.each([
    ['sendr', 'sender'],
    ['Sender', 'sender'],
    ['tempalte', 'template'],
    ['nmae', 'name'],
    ['startdeadline', 'start_deadline'],
    ['keys', 'key'],
    ['stat', 'start'],
  ])('takes %s for %s', (word, meant) => {
    expect(didYouMean(word, KEYS)).toBe(meant);
  });

  it.each(['zzz', 'ab', '', 'contacts', 'x'.repeat(10_000)])('has nothing to say to %.10s', (word) => {
    expect(didYouMean(word, KEYS)).toBeNull();
  });

  it('takes the nearest of several, and the first of equals', () => {
    expect(didYouMean('rates', ['dates', 'rate', 'crates'])).toBe('dates');
    expect(didYouMean('names', ['lanes', 'name'])).toBe('name');
  });
});
