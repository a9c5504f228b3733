import type { SettingName, SettingValues } from './schema.ts';

/** What must hold between settings that are each well formed. */
export interface Rule {
  names: readonly SettingName[];
  broken: (values: SettingValues) => boolean;
  /** What is wrong, in words that can follow the names. */
  problem: (values: SettingValues) => string;
}
