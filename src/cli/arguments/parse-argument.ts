import { TumaError } from '../../domain/errors.ts';
import { JOB_LIMITS } from '../../domain/job.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import { type MoneyMicro, parseAmount } from '../../domain/money.ts';
import type { Config } from '../../config/config.ts';

/** A number that a person typed, in international form without a plus. Throws `usage`. */
export function mobileArgument(
  text: string | undefined,
  { country }: Pick<Config, 'country'>,
  where?: string,
): string {
  const parsed = parseMobile(text ?? '', country);
  if (parsed.ok) return parsed.mobile;
  throw new TumaError('usage', { message: parsed.detail, ...(where === undefined ? {} : { where }) });
}

/** A flag that is an amount: 1500, 1500.50 or "KES 5,000". Null: not given. Throws `usage`. */
export function amountFlag(
  value: unknown,
  { flag, currency }: { flag: string; currency: string },
): MoneyMicro | null {
  if (typeof value !== 'string') return null;
  const amount = parseAmount(value, currency);
  if (amount !== null) return amount;
  throw new TumaError('usage', {
    message: `"${value}" is no amount such as 1500.50 or "${currency} 1,500".`,
    where: flag,
  });
}

/** `--sender`: a line of text as the job file's `sender`. Null: not given. Throws `usage`. */
export function senderFlag(flag: unknown): string | null {
  if (typeof flag !== 'string') return null;
  const sender = flag.trim();
  if (/^\P{Cc}+$/u.test(sender) && sender.length <= JOB_LIMITS.senderLength) return sender;
  throw new TumaError('usage', {
    message: `--sender must be one line of 1 to ${JOB_LIMITS.senderLength} characters.`,
    hint: 'Give the sender ID or shortcode as the provider has registered it.',
    where: '--sender',
  });
}

/** `--line`: a line of a file, counted from 1. Null: not given. Throws `usage`. */
export function lineArgument(flag: unknown): number | null {
  if (typeof flag !== 'string') return null;
  if (/^\d{1,8}$/.test(flag) && Number(flag) > 0) return Number(flag);
  throw new TumaError('usage', { message: `"${flag}" is not a line number.`, where: '--line' });
}
