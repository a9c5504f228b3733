import { type Command, Option } from 'commander';
import { SETTING_NAMES, type SettingName, settingDoc } from '../../config/schema.ts';

/* A flag for every setting that is not secret: TUMA_HOME is --home DIR. Secrets would be visible in argv. */

/** The flag of a setting, without dashes; null for a secret. */
export function flagOf(name: SettingName): string | null {
  if (settingDoc(name).secret === true) return null;
  return name.slice('TUMA_'.length).toLowerCase().replaceAll('_', '-');
}

/** Adds the settings' flags, except `refused`, to a command. Its own flags win; the help lists none. */
export function addSettingFlags(command: Command, refused: readonly string[]): void {
  const taken = new Set([...command.options.map(({ long }) => long), ...refused]);
  for (const name of SETTING_NAMES) {
    const flag = flagOf(name);
    if (flag === null || taken.has(`--${flag}`)) continue;
    command.addOption(new Option(`--${flag} <value>`, settingDoc(name).means).hideHelp());
  }
}

/** The settings that were given as flags, by name. */
export function settingsFrom(command: Command, own: ReadonlySet<string>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const flag = flagOf(name);
    if (flag === null || own.has(`--${flag}`)) continue;
    const value: unknown = command.getOptionValue(camelCase(flag));
    if (typeof value === 'string') settings[name] = value;
  }
  return settings;
}

/** A flag without its dashes, as commander names its value. */
export function camelCase(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
