import { didYouMean } from '../domain/text/did-you-mean.ts';
import type { Source } from './files.ts';
import { brokenRelations } from './relations.ts';
import { readSettings, SETTING_NAMES, type SettingName, type SettingValues, settingDoc } from './schema.ts';
import { HIDDEN, withoutCredentials } from './secret.ts';

/* Which source says each setting, and everything that is wrong with what it says. */

/** A setting as its source has it. */
export interface Choice {
  text: string;
  source: Source;
}
/** Each setting; undefined: no source says it. */
export type Choices = Record<SettingName, Choice | undefined>;

/** The first source with a value. An empty value counts only where it has a meaning of its own. */
export function choose(sources: readonly Source[]): Choices {
  const choices = {} as Choices;
  for (const name of SETTING_NAMES) {
    const source = sources.find(({ values }) => {
      const text = values[name];
      return text !== undefined && (text.trim() !== '' || settingDoc(name).emptyCounts === true);
    });
    choices[name] = source === undefined ? undefined : { text: source.values[name] ?? '', source };
  }
  return choices;
}

/** Reads what was chosen; every problem with its source, also of what does not go together. */
export function readChoices(
  chosen: Choices,
  sources: readonly Source[],
): { problems: string[]; values: SettingValues | null } {
  const { values, wrong } = readSettings(textsOf(chosen));
  const problems = [
    ...sources.flatMap((source) => [...source.problems, ...unknownNames(source)]),
    ...wrong.map(({ name, problem }) => `${placed(name, chosen)}:${shown(name, chosen[name])} ${problem}`),
    ...brokenRelations(values).map(
      ({ names, problem }) => `${names.map((name) => placed(name, chosen)).join(', ')}: ${problem}`,
    ),
  ];
  return { problems, values: problems.length > 0 ? null : (values as SettingValues) };
}

/** A value as it may be shown; null: it is not set. */
export function shownText(name: SettingName, choice: Choice | undefined): string | null {
  if (choice === undefined) return null;
  return settingDoc(name).secret === true ? HIDDEN : withoutCredentials(choice.text);
}

function placed(name: SettingName, chosen: Choices): string {
  return `${name} (${chosen[name]?.source.from ?? 'not set'})`;
}

function shown(name: SettingName, choice: Choice | undefined): string {
  const text = settingDoc(name).secret === true ? null : shownText(name, choice);
  return text === null ? '' : ` ${JSON.stringify(text)}`;
}

function unknownNames(source: Source): string[] {
  return Object.keys(source.values)
    .filter((name) => !SETTING_NAMES.includes(name as SettingName))
    .map((name) => {
      const near = didYouMean(name, SETTING_NAMES);
      return `${name} (${source.from}): is not a setting${near === null ? '' : `; did you mean ${near}?`}`;
    });
}

function textsOf(choices: Choices): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, choice] of Object.entries(choices)) {
    if (choice !== undefined) texts[name] = name === 'TUMA_OPT_OUT_TEXT' ? choice.text : choice.text.trim();
  }
  return texts;
}
