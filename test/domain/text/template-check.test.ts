import Handlebars from 'handlebars';
import { describe, expect, it } from 'vitest';
import { checkTree } from '../../../src/domain/text/template-check.ts';

const check = (source: string) => () => checkTree(Handlebars.parse(source), new Set(['f0', 'c1']));

describe('checkTree', () => {
  it.each([
    'plain',
    'a {{f0}} b',
    '{{#if c1}}{{f0}}{{else}}x{{/if}}',
    '{{#unless c1}}{{#if f0}}y{{/if}}{{/unless}}',
  ])('lets %s pass', (source) => {
    expect(check(source)).not.toThrow();
  });

  it.each([
    '{{name}}',
    '{{constructor}}',
    '{{f0.length}}',
    '{{../f0}}',
    '{{@root}}',
    '{{this}}',
    '{{"f0"}}',
    '{{f0 c1}}',
    '{{f0 key=c1}}',
    '{{f0 (f0)}}',
    '{{> f0}}',
    '{{#> f0}}{{/f0}}',
    '{{* f0}}',
    '{{#*inline "f0"}}{{/inline}}',
    '{{! f0 }}',
    '{{#each f0}}{{/each}}',
    '{{#with f0}}{{/with}}',
    '{{#f0}}{{/f0}}',
    '{{#if f0 c1}}{{/if}}',
    '{{#if f0 includeZero=true}}{{/if}}',
    '{{#if (lookup f0 c1)}}{{/if}}',
    '{{#if f0 as |x|}}{{/if}}',
    '{{#if name}}{{/if}}',
    '{{#if c1}}{{name}}{{/if}}',
    '{{#if c1}}{{else}}{{name}}{{/if}}',
  ])('throws on %s', (source) => {
    expect(check(source)).toThrow(/in a template/);
  });
});
