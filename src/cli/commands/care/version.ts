import { readFileSync } from 'node:fs';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import type { Output } from '../../terminal/output.ts';

/** `tuma version`, also `tuma --version`: needs no settings that are right. */
export const command: CommandModule = {
  declare: () => undefined,
  async run({ output }) {
    return showVersion(output);
  },
  withoutSettings: showVersion,
};

/** Prints which Tuma this is. */
export function showVersion(output: Output): number {
  const version = versionOfTuma();
  output.result({ version }, () => `tuma ${version}`);
  return EXIT.done;
}

/** The version in package.json: beside `src` in a clone, beside `dist` in a package. */
function versionOfTuma(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
