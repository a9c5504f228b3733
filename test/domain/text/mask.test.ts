import { expect, it } from 'vitest';
import { maskMobile, maskText } from '../../../src/domain/text/mask.ts';

it.each([
  ['254712345678', '2547****5678'],
  ['+254712345678', '2547****5678'],
  ['0712345678', '071****678'],
  ['+254 712 345 678', '2547****5678'],
  ['+254-712-345-678', '2547****5678'],
  ['+254.712.345.678', '2547****5678'],
  ['+254 (0) 712 345 678', '2540****5678'],
  ['+254\u00a0712\u2011345\u2011678', '2547****5678'],
  ['00254 712 345 678', '0025****5678'],
  ['254 712 345 678', '2547****5678'],
  ['254-712-345678', '2547****5678'],
  ['(254) 712 345 678', '(2547****5678'],
  ['0712 345 679', '071****679'],
  ['0712-345-679', '071****679'],
  ['0712/345679', '071****679'],
  ['(0712) 345 679', '(071****679'],
  ['0712 34 56 79', '071****679'],
])('masks %s', (number, masked) => {
  expect(maskText(number)).toBe(masked);
  expect(maskText(`call ${number}, or ${number}`)).toBe(`call ${masked}, or ${masked}`);
  expect(maskText(`$.${number}.${number}`)).toBe(`$.${masked}.${masked}`);
  expect(maskText(`${number}/${number},${number}`)).toBe(`${masked}/${masked},${masked}`);
  expect(maskText(`${number} 27-11-2026 09:00 KES 1,500.00`)).toBe(`${masked} 27-11-2026 09:00 KES 1,500.00`);
  expect(maskText(`2026-11-27 ${number} 1500`)).toBe(`2026-11-27 ${masked} 1500`);
});

it.each([
  'on 2026-11-27 09:00:00, 27/11/2026 0900, 27.11.2026 and 05-11-2026 10:30',
  '2026-11-27T09:00:00.123Z and 2026-11-27T09:00:00+03:00',
  'Fri, 27 Nov 2026 09:00:00 +0300',
  'from 08:00 to 18:00, 0800-1700',
  'KES 1,234,567.89, 12 500 000.00, 1.250.000,50 and 0.800000',
  '250 of 254 rows, 200 201 202 204, 10 20 30 40 50 60 70',
  '+12,500.00 and -1234567.89 and +1234567.89',
  'from 192.168.100.200, 254.123.123.123:8080 and 10.0.0.1',
  'a81b0f3e-6c2d-4b7a-9f10-5d3e7c9b1a24',
  '3f2504e0-0712-3456-78ab-5d3e7c9b1a24',
  'msg-12345678, INV-0012-345-678, b-12-3-0712, 4111-1111-1111-1111, 1-2-3-4-5-6-7-8-9',
  'DUKA, 22456, 40404',
  'order 2026-0712-345678',
])('leaves %s as it is', (text) => {
  expect(maskText(text)).toBe(text);
});

it('masks numbers in the digits of any script, and shows other numbers with plain digits', () => {
  expect(maskText('wito ٠٧١٢٣٤٥٦٧٨, ۰۷۱۲ ۳۴۵ ۶۷۸, ０７１２３４５６７８ na 𝟘𝟟𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠 bei १२३४')).toBe(
    'wito 071****678, 071****678, 071****678 na 071****678 bei 1234',
  );
});

it('masks a number that is shorter, and one that ends an id', () => {
  expect(maskText('+1 (202) 555-0123; +45 12 34 56 78')).toBe('120****0123; 451****678');
  expect(maskText('a81b0f3e-6c2d-4b7a-9f10-254712345678')).toBe('a81b0f3e-6c2d-4b7a-9f10-2547****5678');
});

it('hides what opens an address, to its end and no further, however often and in whatever quotes', () => {
  const url = '/webhooks/a-B_9?x=1 http://h/p?apikey=K&apisecret=S&TOKEN=T/U&b=2';
  expect(maskText(`GET ${url}`)).toBe(
    'GET /webhooks/[secret]?x=1 http://h/p?apikey=[secret]&apisecret=[secret]&TOKEN=[secret]/U&b=2',
  );
  expect(maskText(`{"url":"/webhooks/a1"} '/webhooks/a2' /webhooks/ ?token=`)).toBe(
    `{"url":"/webhooks/[secret]"} '/webhooks/[secret]' /webhooks/ ?token=`,
  );
});

it.each([
  ['+254712345678', '2547****5678'],
  ['712345678', '71****678'],
  ['71234567', '****'],
])('of the number %s shows %s', (mobile, masked) => {
  expect(maskMobile(mobile)).toBe(masked);
});
