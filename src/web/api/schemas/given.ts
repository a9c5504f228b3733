import { z } from 'zod';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { type MoneyMicro, parseAmount } from '../../../domain/money.ts';
import { parseMobile } from '../../../domain/numbers/mobile.ts';
import { parseRate } from '../../../domain/pace/rate.ts';

/* Values that a program gives, and what they are read as. */

/** Reads a text; null from `parse`: it is wrong. */
function read<Value>(parse: (text: string) => Value | null, expected: string) {
  return z.string().transform((text, context): Value => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });
}

/** An amount in the currency of the campaign, in millionths. A program may write a number, too. */
export const Amount = (currency: string) =>
  z
    .union([z.string(), z.number().transform(String)])
    .pipe(read<MoneyMicro>((text) => parseAmount(text, currency), 'an amount such as "1250.50"'))
    .describe(
      `A decimal string in ${currency === '' ? 'the currency of the account' : currency}: "1250.50".`,
    );

/** Messages a second; null: only the rate of the account holds. */
export const Rate = read(parseRate, 'a rate such as "80/s", "600/min" or "unlimited"').describe(
  'Messages a second (80/s), a minute (600/min), or unlimited.',
);

/** The name under which a campaign writes. */
export const Sender = z
  .string()
  .trim()
  .min(1)
  .max(JOB_LIMITS.senderLength)
  .regex(/^\P{Cc}+$/u, 'must be one line of text');

/** A number in any usual form, as international digits. */
export const Number = (country: string) =>
  read((text) => {
    const parsed = parseMobile(text, country);
    return parsed.ok ? parsed.mobile : null;
  }, 'a mobile number').describe('A number in any usual form; a national one is of TUMA_COUNTRY.');

/** A line of the contacts, counted from 1. */
export const Line = z.int().min(1).max(99_999_999);

/** Yes or no in an address, which knows only texts. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');
