import { styleText } from 'node:util';
import { type Check, checkAll } from '../doctor-checks.ts';
import { settingRows } from '../doctor-settings.ts';
import type { CommandModule } from '../commands.ts';
import { EXIT } from '../exit.ts';
import { renderTable } from '../table.ts';

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

/** `tuma doctor`: exit code 1 when something that sending needs does not work. */
export const command: CommandModule = {
  declare: () => {},
  async run(context) {
    const { output, config } = context;
    const checks = await checkAll(context);
    const settings = settingRows(config);
    const paint = (style: 'green' | 'yellow' | 'red' | 'dim', text: string) =>
      output.terminal ? styleText(style, text) : text;
    output.result({ ok: !checks.some(({ state }) => state === 'fail'), checks, settings }, () => {
      const lines = checks.flatMap((check) => checkLines(check, paint));
      const table = renderTable(
        [{ heading: 'setting' }, { heading: 'value' }, { heading: 'from' }],
        settings.map(({ name, value, from }) => [name, value ?? '–', from]),
        { padded: output.terminal },
      );
      return [...lines, '', table].join('\n');
    });
    return checks.some(({ state }) => state === 'fail') ? EXIT.error : EXIT.done;
  },
};

function checkLines(
  { state, name, detail, hint }: Check,
  paint: (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string,
): string[] {
  const [style, mark] = MARKS[state];
  const line = `${paint(style, mark)} ${name.padEnd(12)} ${detail}`;
  return hint === null ? [line] : [line, paint('dim', `  ${' '.repeat(12)} ${hint}`)];
}
