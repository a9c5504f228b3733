import { styleText } from 'node:util';
import { SettingsError } from '../../config/config.ts';
import { type Check, checkAll, checkRuntime } from '../doctor/checks.ts';
import { givenRows, type SettingRow, settingRows } from '../doctor/settings.ts';
import type { CommandModule } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Output } from '../terminal/output.ts';
import { renderTable } from '../text/table.ts';

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

/** `tuma doctor`: exit code 1 when something that sending needs does not work. */
export const command: CommandModule = {
  declare: () => {},
  async run(context) {
    return show(context.output, await checkAll(context), settingRows(context.config));
  },
  withoutSettings(output, error) {
    if (!(error instanceof SettingsError)) throw error;
    const wrong = error.problems.map(
      (detail): Check => ({ name: 'setting', state: 'fail', detail, hint: null }),
    );
    const exitCode = show(output, [...checkRuntime(), ...wrong], givenRows(error));
    output.note('Correct these first: everything else can be looked at only with settings that are right.');
    return exitCode;
  },
};

function show(output: Output, checks: Check[], settings: SettingRow[]): number {
  const ok = !checks.some(({ state }) => state === 'fail');
  const paint: Paint = (style, text) => (output.terminal ? styleText(style, text) : text);
  output.result({ ok, checks, settings }, () => {
    const lines = checks.flatMap((check) => checkLines(check, paint));
    const table = renderTable(
      [{ heading: 'setting' }, { heading: 'value' }, { heading: 'from' }],
      settings.map(({ name, value, from }) => [name, value ?? '–', from]),
      { padded: output.terminal },
    );
    return [...lines, '', table].join('\n');
  });
  return ok ? EXIT.done : EXIT.error;
}

type Paint = (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;

function checkLines({ state, name, detail, hint }: Check, paint: Paint): string[] {
  const [style, mark] = MARKS[state];
  const line = `${paint(style, mark)} ${name.padEnd(12)} ${detail}`;
  return hint === null ? [line] : [line, paint('dim', `  ${' '.repeat(12)} ${hint}`)];
}
