import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';

const encoder = new TextEncoder();

describe('a local number', () => {
  const read = (country: string | null, mobile: string) => {
    const body = encoder.encode(JSON.stringify({ messageid: '1', status: 'Sent', mobile }));
    return webhookParser(defaultProfile.reports, { country })({ query: '', body }).reports[0]?.mobile;
  };

  it('becomes international, as messages have it, when the country is known', () => {
    for (const mobile of ['0712345678', '712345678', '0712 345 678', 'tel:0712345678', '254712345678'])
      expect(read('KE', mobile)).toBe('254712345678');
  });

  it('is the number that a program took for a float, or that stands behind a scheme or with its zero in brackets', () => {
    for (const mobile of [
      '254712345678.0',
      '2.54712345678e11',
      '2,54712345678E+11',
      '+254 (0)712 345678',
      'whatsapp:+254712345678',
    ])
      expect(read('KE', mobile), mobile).toBe('254712345678');
    expect(read('KE', '2.547e11')).toBeNull();
    expect(read('KE', '+44.20.7946.0000')).toBe('442079460000');
  });

  it('stays as it is when the country is not known, or it is no mobile there', () => {
    expect(read(null, '0712345678')).toBe('0712345678');
    expect(read('KE', '123456')).toBe('123456');
    expect(read(null, 'TEL:+254712345678')).toBe('254712345678');
    for (const mobile of ['DUKA712345678', '712345678DUKA']) expect(read('KE', mobile)).toBeNull();
  });

  it('is not looked for in international digits, which may be those of a mobile there', () => {
    const tokyo = '819012345678';
    expect(read('ID', tokyo)).toBe(tokyo);
    expect(read('ID', `0${tokyo}`)).toBe(`62${tokyo}`);
    const austin = '15123456789';
    expect(read('DE', austin)).toBe(austin);
  });

  it('has ten digits or more in some countries: it is read where nobody in the world has it behind a plus', () => {
    for (const [country, local, mobile] of [
      ['NG', '8031234567', '2348031234567'],
      ['IN', '9123456789', '919123456789'],
      ['EG', '1001234567', '201001234567'],
      ['BR', '11961234567', '5511961234567'],
    ] as const)
      expect(read(country, local)).toBe(mobile);
    expect(read('NG', '254712345678')).toBe('254712345678');
  });

  it('is the number of the list also with the zero of home behind its country code, which the list is read without', () => {
    for (const mobile of ['2540712345678', '+2540712345678', '+254 0712 345 678', '002540712345678'])
      expect(read('KE', mobile), mobile).toBe('254712345678');
    expect(read('NG', '23408031234567')).toBe('2348031234567');
    expect(read(null, '2540712345678')).toBe('2540712345678');
  });
});
