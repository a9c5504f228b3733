import type { ContactsLook } from '../../../campaign/prepare/preparation.ts';
import type { JobKeys } from '../../../campaign/jobs/job-text.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { parseAmount } from '../../../domain/money.ts';
import { gsmSafeTemplate } from '../../../domain/text/costly-characters.ts';
import { foldName } from '../../../domain/text/template-fields.ts';
import { MAX_TEMPLATE_CHARACTERS } from '../../../domain/text/template.ts';
import { parseDate } from '../../../domain/time/dates.ts';
import { type FormReading, type JobChange, trimmed, type Typed, type WrongField } from './form-reading.ts';

/** The second step as its fields hold it. */
export interface MessageValues {
  sender: string;
  language: string;
  text: string;
  gsm: boolean;
}

/** A button that puts a field into the text. */
export interface FieldButton {
  /** What stands between `<<` and `>>`. */
  put: string;
  name: string;
  look: 'text' | 'money' | 'date';
}

/** The values of a job. */
export function messageValues(job: Partial<JobKeys>): MessageValues {
  return {
    sender: job.sender ?? '',
    language: job.language ?? 'en',
    text: job.message ?? '',
    gsm: job.gsm === 'true',
  };
}

/** The values as they were typed. A text area writes each line end as two characters, and a message has one. */
export function typedMessage(typed: Typed): MessageValues {
  const text = (typed['text'] ?? '').replaceAll('\r\n', '\n');
  const put = typed['put'];
  return {
    sender: trimmed(typed, 'sender'),
    language: trimmed(typed, 'language'),
    text: put === undefined ? text : `${text}<<${put}>>`,
    gsm: typed['gsm'] === 'true',
  };
}

/** The keys of the values, as they are: a preview shows what is wrong with the text. */
export function messageKeys({ sender, language, text, gsm }: MessageValues): JobChange {
  return {
    sender: sender === '' ? null : sender,
    language: language === 'sw' ? 'sw' : null,
    message: text === '' ? null : text,
    gsm: gsm ? 'true' : null,
  };
}

/** Reads the second step. `usualSender`: that of who names none; null: there is none. */
export function readMessage(values: MessageValues, usualSender: string | null): FormReading {
  const wrong: WrongField[] = [];
  if (values.sender === '' && usualSender === null) wrong.push({ field: 'sender', problem: 'senderMissing' });
  if (values.text.trim() === '') wrong.push({ field: 'text', problem: 'textMissing' });
  if (values.text.length > MAX_TEMPLATE_CHARACTERS) wrong.push({ field: 'text', problem: 'textTooLong' });
  if (values.sender.length > JOB_LIMITS.senderLength || /\p{Cc}/u.test(values.sender))
    wrong.push({ field: 'sender', problem: 'senderWrong' });
  return { job: messageKeys(values), wrong };
}

/** The values with all characters replaced that cost a second segment; those of the rows by `gsm`. */
export function replaceCostly(values: MessageValues): MessageValues {
  try {
    return { ...values, text: gsmSafeTemplate({ source: values.text, file: 'message' }), gsm: true };
  } catch {
    // A text with an open field is shown with that problem first.
    return { ...values, gsm: true };
  }
}

/** The columns as buttons. Those whose cells are all amounts with decimals, or all dates, are written as such. */
export function fieldButtons({ header, rows, mobile }: ContactsLook, currency: string): FieldButton[] {
  const names = new Set<string>();
  return header.flatMap((written, column): FieldButton[] => {
    const name = written.trim();
    const isNew = !names.has(foldName(name));
    names.add(foldName(name));
    if (name === '' || !isNew || column === mobile?.column) return [];
    const cells = rows.map(({ cells }) => (cells[column] ?? '').trim()).filter((cell) => cell !== '');
    const look = lookOf(cells, currency);
    return [{ name, look, put: look === 'text' ? name : `${look} ${name}` }];
  });
}

function lookOf(cells: readonly string[], currency: string): FieldButton['look'] {
  if (cells.length === 0) return 'text';
  if (cells.every((cell) => /[.,]\d\d$/.test(cell) && parseAmount(cell, currency) !== null)) return 'money';
  return cells.every((cell) => /\D\d/.test(cell) && parseDate(cell, null).ok) ? 'date' : 'text';
}
