import { z } from 'zod';
import { Secret } from './secret.ts';
import { type Parsed, readWhole } from './values.ts';

/* How the text of one setting is read: the parts that schema.ts is made of. */

/** The description of a setting for people. */
export interface SettingDoc {
  /** Meaning, unit and special values, in a sentence or two. */
  means: string;
  /** The default as text, read like any other value; null: not set. */
  fallback: string | null;
  /** How a default that is computed is described. */
  fallbackWords?: string;
  /** Never given as a flag (argv is readable by others), never shown. */
  secret?: true;
  /** An empty value means something of its own; elsewhere it means "not set". */
  emptyCounts?: true;
}

/** A setting: how it is read, and what people are told. */
export function setting<Schema extends z.ZodType>(schema: Schema, doc: SettingDoc) {
  return { schema, doc };
}

/** A text that `parse` reads. */
export function read<Value>(parse: (text: string) => Parsed<Value>) {
  return z.string().transform((text, issues): Value => {
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    issues.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });
}

/** A text of this pattern; else `problem` follows its name. */
export function matching(pattern: RegExp, problem: string) {
  return read((text): Parsed<string> => (pattern.test(text) ? { value: text } : { problem }));
}

/** A whole number between two bounds. */
export const whole = (least: number, most: number) => read((text) => readWhole(text, { least, most }));
/** A text without control characters. */
export const plainText = matching(/^[^\p{Cc}]+$/u, 'holds a control character');
/** Null where nothing is given. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value ?? null);
/** A text that is never shown. */
export const secret = () => optional(plainText.transform((value) => new Secret(value)));
/** A host name or an address. */
export const host = () => matching(/^(?:[\w.-]{1,253}|[\da-fA-F:.]{2,45})$/, 'is not a host name or address');
/** A port; 0 takes a free one. */
export const port = () => whole(0, 65_535);
/** The unguessable part of an address. */
export const webhookToken = () =>
  optional(
    matching(/^[\w-]{22,100}$/, 'is not 22 to 100 letters, digits, - or _').transform(
      (value) => new Secret(value),
    ),
  );
