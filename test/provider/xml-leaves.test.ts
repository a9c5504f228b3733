import { expect, it } from 'vitest';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks.ts';
import { xmlLeaves } from '../../src/provider/xml-leaves.ts';

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
const read = (text: string) => parse({ query: '', body: new TextEncoder().encode(text) });

it('a report and a STOP are read though they stand in CDATA or are written with entities', () => {
  const report = `<dlr><messageid><![CDATA[192325341]]></messageid>
    <description><![CDATA[DeliveredToTerminal]]></description></dlr>`;
  expect(read(report).reports).toMatchObject([{ messageId: '192325341', delivery: 'delivered' }]);
  const stop = `<sms><!-- <message>hello</message> --><event>sms.received</event>
    <mobile>&#43;254&#x37;12345678</mobile><message>\n<![CDATA[STOP]]>\n</message></sms>`;
  expect(read(stop).replies).toMatchObject([{ mobile: '254712345678', text: '\nSTOP\n' }]);
});

it.each([
  ['<![CDATA[<3 & &amp; </a> <!-- -->]]>', '<3 & &amp; </a> <!-- -->'],
  ['&lt;&GT;&amp;amp;&quot;&apos;', '<>&amp;"\''],
  ['&#65;&#x1F600;', 'A😀'],
  ['&copy; &#1114112; &#; &', '&copy; &#1114112; &#; &'],
])('%s means %s', (written, meant) => {
  expect(xmlLeaves(`<a>${written}</a>`)).toEqual([{ name: 'a', value: meant }]);
});

it('what is begun and never ended hides nothing before it', () => {
  for (const rest of ['<b><![CDATA[x</b>', '<!-- <b>', '<b'])
    expect(xmlLeaves(`<a>1</a>${rest}`)[0]).toEqual({ name: 'a', value: '1' });
});
