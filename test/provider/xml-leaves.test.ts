import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks.ts';
import { readXmlContent } from '../../src/provider/xml-leaves.ts';

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
const read = (text: string) => parse({ query: '', body: new TextEncoder().encode(text) });

it('a report and a STOP are read though they stand in CDATA or are written with entities', () => {
  const report = `<dlr><messageid><![CDATA[192325341]]></messageid>
    <description><![CDATA[DeliveredToTerminal]]></description></dlr>`;
  expect(read(report).reports).toMatchObject([{ messageId: '192325341', delivery: 'delivered' }]);
  const stop = `<sms><!-- <message>hello</message> --><event>sms.received</event>
    <mobile>&#43;254&#x37;12345678</mobile><message\n lang="en">\n<![CDATA[STOP]]>\n</message></sms>`;
  expect(read(stop).replies).toMatchObject([{ mobile: '254712345678', text: '\nSTOP\n' }]);
});

it.each([
  ['<![CDATA[<3 & &amp; </a> <!-- -->]]>', '<3 & &amp; </a> <!-- -->'],
  ['&lt;&GT;&amp;amp;&quot;&apos;', '<>&amp;"\''],
  ['&#65;&#X42;&#x1F600;', 'AB😀'],
  ['<![CDATA[]]>A<!---->', 'A'],
  ['&copy; &#1114112; &#; &', '&copy; &#1114112; &#; &'],
  ['STOP -> now', 'STOP -> now'],
])('%s means %s', (written, meant) => {
  expect(readXmlContent(`<a>${written}</a>`).leaves).toEqual([{ name: 'a', value: meant }]);
});

it('an element whose attributes begin on another line is read', () => {
  expect(readXmlContent('<a\n  b="1">2</a>').leaves).toEqual([{ name: 'a', value: '2' }]);
});

it('what is begun and never ended hides nothing before it', () => {
  for (const rest of ['<b><![CDATA[x</b>', '<!-- <b>', '<b'])
    expect(readXmlContent(`<a>1</a>${rest}`).leaves[0]).toEqual({ name: 'a', value: '1' });
  expect(readXmlContent('<!-- <a>1</a>').leaves).toHaveLength(1);
});

describe('elements side by side', () => {
  const one = (id: number, status: string) => `<id>${id}</id><status>${status}</status>`;
  const idsOf = (text: string) => read(text).reports.map(({ messageId }) => messageId);

  it.each(['report', 'ns:dlr', 'item at="1"'])('of the name %s are each a report', (tag) => {
    const end = tag.split(' ')[0];
    const list = [1, 2, 3].map((id) => `<${tag}>${one(id, 'Delivered')}<e a="1"/></${end}>`).join('\n');
    expect(idsOf(`<page>${list}</page>`)).toEqual(['1', '2', '3']);
    expect(idsOf(`<p><page>${list}</page><page>${list.replaceAll('d>', 'd>4')}</page></p>`)).toHaveLength(6);
  });

  it('have the id around them, and one that is not understood is said', () => {
    const info = (status: string) => `<info><x/><status>${status}</status></info>`;
    expect(read(`<a><id>9</id>${info('Sent')}${info('Delivered')}</a>`).reports).toMatchObject([
      { messageId: '9', delivery: 'pending' },
      { messageId: '9', delivery: 'delivered' },
    ]);
    const halves = read(`<a><r>${one(1, 'Sent')}</r><r><id>2</id></r></a>`);
    expect([halves.kind, halves.reports.length]).toEqual(['not_understood', 1]);
  });

  it('are none with no element in them, nor where their names differ', () => {
    expect(idsOf(`<a>${one(1, 'Sent')}<status>Delivered</status></a>`)).toEqual(['1']);
    expect(idsOf('<a><m><id>1</id></m><r><status>Sent</status></r></a>')).toEqual(['1']);
  });

  it('are the outermost, wherever others stand side by side', () => {
    const pair = (name: string) => `<${name}>${one(1, 'Sent')}</${name}><${name}>${one(2, 'Sent')}</${name}>`;
    const log = '<log><x><y><z/><n>1</n></y><y><n>2</n></y></x></log>';
    expect(idsOf(`<a><list>${pair('r')}</list>${log}</a>`)).toEqual(['1', '2']);
    expect(idsOf(`<a>${log}<list>${pair('r')}</list></a>`)).toEqual(['1', '2']);
  });

  it('may hold any number of elements that end where they begin', () => {
    expect(
      idsOf(`<a><r>${'<e a="1" />'.repeat(40)}${one(1, 'Sent')}</r><r>${one(2, 'Sent')}</r></a>`),
    ).toEqual(['1', '2']);
  });

  it('leave to what stands around them its own leaves, before and behind them, and no others', () => {
    const text = '<a><b>1</b><r><c>2</c></r><d>3</d><r><c>4</c></r><e>5</e></a>';
    const { leaves } = readXmlContent(text);
    expect(leaves.flatMap(({ name, value }) => (value === '' ? [] : [name]))).toEqual(['b', 'd', 'e']);
  });

  it('are each a reply', () => {
    const sms = (text: string) => `<sms><mobile>254712345678</mobile><message>${text}</message></sms>`;
    const { replies } = read(`<a><event>sms.received</event>${sms('Habari')}${sms('STOP')}</a>`);
    expect(replies?.map((reply) => reply.text)).toEqual(['Habari', 'STOP']);
  });

  it('are none where they nest too deep, and an end of nothing ends nothing', () => {
    expect(idsOf(`${'<x>'.repeat(40)}<r>${one(1, 'Sent')}</r><r>${one(2, 'Sent')}</r>`)).toEqual(['1']);
    expect(idsOf(`<a></b><r>${one(1, 'Sent')}</c></r><r>${one(2, 'Sent')}</r></a>`)).toEqual(['1', '2']);
  });
});
