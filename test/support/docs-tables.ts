import { SETTING_NAMES, settingDoc } from '../../src/config/schema.ts';
import { flagOf } from '../../src/cli/arguments/setting-flags.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';

/** The table of docs/configuration.md, as the schema would have it. */
export function settingsTable(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { means, fallback, fallbackWords } = settingDoc(name);
    const flag = flagOf(name);
    const byDefault = fallbackWords ?? (fallback === null ? '–' : `\`${asInEnvFile(fallback)}\``);
    return `| \`${name}\` | ${flag === null ? '–' : `\`--${flag}\``} | ${byDefault} | ${means} |`;
  });
  return ['| setting | flag | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** What is copied from the table into a `.env` must mean the same there. */
function asInEnvFile(value: string): string {
  return /#|^\s|\s$/.test(value) ? `"${value}"` : value;
}

/** The table of docs/errors.md, as the code would have it. */
export function errorsTable(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { exit, means }]) => `| \`${code}\` | ${exit} | ${means} |`,
  );
  return ['| code | exit | means |', '| --- | --- | --- |', ...rows].join('\n');
}

/** What stands between the markers `<!-- name -->` and `<!-- /name -->`. */
export function between(text: string, name: string): string {
  const [, inner = ''] = text.split(`<!-- ${name} -->\n`);
  return (inner.split(`\n<!-- /${name} -->`)[0] ?? '').trim();
}
