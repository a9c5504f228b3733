import { repeatedIn, type Span } from './xml-repeated.ts';

/* As much of XML as a webhook needs: elements that hold text, whatever they stand in. */

const LEAF = /<(?:[\w-]{1,40}:)?([\w-]{1,60})(?:\s[^<>]*)?>([^<]*)<\//g;
const ENTITY = /&(#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LAST_CODE_POINT = 0x10_ff_ff;

/** What an element holds. */
export interface XmlContent {
  /** The elements without others in them, under their local names, with their text as it is meant. */
  leaves: { name: string; value: string }[];
  /** The elements of which several of one name stand side by side, such as `<report>…</report><report>…</report>`: each by itself. */
  items: XmlContent[];
}

/** Reads a document, or as much of it as is well made. */
export function readXmlContent(text: string): XmlContent {
  const plain = replaceSections(text, { begin: '<![CDATA[', end: ']]>', by: escaped });
  return contentOf(replaceSections(plain, { begin: '<!--', end: '-->', by: () => '' }));
}

function contentOf(text: string): XmlContent {
  const spans = repeatedIn(text);
  return {
    leaves: leavesOf(without(spans, text)),
    items: spans.map(([from, to]) => contentOf(text.slice(from, to))),
  };
}

function leavesOf(text: string): XmlContent['leaves'] {
  return [...text.matchAll(LEAF)].map(([, name = '', value = '']) => ({ name, value: unescaped(value) }));
}

function without(spans: Span[], text: string): string {
  const begins = [0, ...spans.map(([, to]) => to)];
  return begins.map((begin, at) => text.slice(begin, spans[at]?.[0])).join('');
}

interface Section {
  begin: string;
  end: string;
  by: (content: string) => string;
}

/** Not by an expression, which would look through the rest of the text again for every beginning without an end. */
function replaceSections(text: string, { begin, end, by }: Section): string {
  const [head = '', ...parts] = text.split(begin);
  const replaced = parts.map((part) => {
    const at = part.indexOf(end);
    return at < 0 ? begin + part : by(part.slice(0, at)) + part.slice(at + end.length);
  });
  return head + replaced.join('');
}

/** What stands in CDATA is meant literally. */
function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescaped(value: string): string {
  return value.replace(ENTITY, (entity: string, said: string) => {
    if (!said.startsWith('#')) return NAMED[said.toLowerCase()] ?? entity;
    // Number() reads 0x1f as it reads 31.
    const code = Number(said.slice(1).replace(/^x/i, '0x'));
    return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
  });
}
