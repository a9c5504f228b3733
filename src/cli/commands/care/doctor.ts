import { styleText } from 'node:util';
import { type Config, SettingsError } from '../../../config/config.ts';
import { SETTING_NAMES, type SettingName } from '../../../config/schema.ts';
import { type Assumption, assumptionLine, assumptionsOf } from '../../doctor/assumptions.ts';
import { checkAlerts } from '../../doctor/check-alerts.ts';
import { type Check, wordedChecks } from '../../doctor/worded-checks.ts';
import { checkAll, checkCollector, checkRuntime } from '../../../runtime/health/checks.ts';
import type { CommandModule } from '../../command.ts';
import { EXIT } from '../../exit.ts';
import type { Finding } from '../../../reports/health.ts';
import type { Output } from '../../terminal/output.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

const MARKS = { ok: ['green', '✓'], warn: ['yellow', '!'], fail: ['red', '✗'] } as const;

/** `tuma doctor`: exit code 1 when something that sending needs does not work. */
export const command: CommandModule = {
  declare(command) {
    command.option('--collector', 'only what a collector needs: its user of Postgres may read nothing else');
    command.option('--alert', 'also send a test alert by each channel');
  },
  async run(context, { flags }) {
    const alerts = flags['alert'] === true ? await checkAlerts(context) : [];
    const isCollector = flags['collector'] === true;
    const findings = await (isCollector ? checkCollector : checkAll)(context);
    if (!isCollector && mayBeOfCollector(context.config, findings))
      context.output.note('Is this the machine of a collector? tuma doctor --collector');
    return show(context.output, {
      checks: [...wordedChecks(findings, context.output), ...alerts],
      settings: settingRows(context.config.origins, pathsOf(context.config)),
      assumptions: assumptionsOf(context.config),
    });
  },
  withoutSettings(output, error) {
    if (!(error instanceof SettingsError)) throw error;
    const wrong = error.problems.map(
      (detail): Check => ({ name: 'setting', state: 'fail', detail, hint: null }),
    );
    const exitCode = show(output, {
      checks: [...wordedChecks(checkRuntime(), output), ...wrong],
      settings: settingRows(error.origins),
      assumptions: [],
    });
    output.note('Correct these first: everything else can be looked at only with settings that are right.');
    return exitCode;
  },
};

/** It has no keys of the account, and its user of Postgres may not look at the ledger. */
function mayBeOfCollector({ postgres, apiKey }: Config, findings: readonly Finding[]): boolean {
  const isRefused = findings.some(({ is, facts }) => is === 'failed' && facts.code === 'database_refused');
  return postgres !== null && apiKey === null && isRefused;
}

/** Everything that doctor shows. */
interface Shown {
  checks: Check[];
  settings: SettingRow[];
  assumptions: Assumption[];
}

/** A setting as doctor shows it. */
interface SettingRow {
  name: SettingName;
  /** As it was given; null: not set. Secrets are masked. */
  value: string | null;
  /** flag, environment, default, or the path of the file. */
  from: string;
}

function settingRows(
  origins: Config['origins'],
  paths: Partial<Record<SettingName, string | null>> = {},
): SettingRow[] {
  return SETTING_NAMES.map((name) => {
    const { text, from, file } = origins[name];
    return { name, value: paths[name] ?? text, from: file ?? from };
  });
}

/** The settings that are paths, in full. */
function pathsOf({
  home,
  sharedFolder,
  profileFile,
  ledgerPlace,
  postgres,
}: Config): Partial<Record<SettingName, string | null>> {
  return {
    TUMA_HOME: home,
    TUMA_SHARED_FOLDER: sharedFolder,
    TUMA_PROFILE: profileFile,
    TUMA_DATABASE_URL: postgres === null ? `sqlite:${ledgerPlace}` : ledgerPlace,
  };
}

function show(output: Output, shown: Shown): number {
  const { checks, settings, assumptions } = shown;
  const ok = !checks.some(({ state }) => state === 'fail');
  const paint: Paint = (style, text) => (output.terminal ? styleText(style, text) : text);
  output.result({ ok, checks, settings, assumptions }, () => {
    const lines = onceHinted(checks).flatMap((check) => checkLines(check, paint));
    const table = renderTable(
      columnsOf(['setting', 'value', 'from']),
      settings.map(({ name, value, from }) => [name, value ?? '–', from]),
      { padded: output.terminal },
    );
    const assumed = assumptions.map((assumption) => `? assumed      ${assumptionLine(assumption)}`);
    return [...lines, ...assumed, '', table].join('\n');
  });
  return ok ? EXIT.done : EXIT.error;
}

/** Where nothing answers, many checks fail alike; one hint is enough. */
function onceHinted(checks: readonly Check[]): Check[] {
  const given = checks.map(({ hint }) => hint);
  return checks.map((check, at) => (given.indexOf(check.hint) < at ? { ...check, hint: null } : check));
}

type Paint = (style: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;

function checkLines({ state, name, detail, hint }: Check, paint: Paint): string[] {
  const [style, mark] = MARKS[state];
  const line = `${paint(style, mark)} ${name.padEnd(12)} ${detail}`;
  return hint === null ? [line] : [line, paint('dim', `  ${' '.repeat(12)} ${hint}`)];
}
