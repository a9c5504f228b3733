import { launchTest, type TestFiles, testFiles } from '../../../campaign/launch/test-launch.ts';
import { maskRendered } from '../../../domain/text/mask.ts';
import { printable } from '../../../domain/text/printable.ts';
import { TumaError } from '../../../domain/errors.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { counted } from '../../../domain/money.ts';
import { lineArgument, mobileArgument } from '../../arguments/parse-argument.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { OwnRoles } from '../../doctor/own-roles.ts';
import { contactsPlace, launchEnv } from '../../launch/ask-launch.ts';
import type { Output } from '../../terminal/output.ts';
import { shownTime } from '../../text/shown-time.ts';
import { see, waitOf } from './launch.ts';

/** `tuma test JOB --to NUMBER`: one real message to one's own phone. */
export const command: CommandModule = {
  stopsItself: true,
  declare: (command) =>
    void command
      .argument('<JOB.yaml>', 'the job file')
      .requiredOption('--to <numbers>', 'your own phone; up to three with commas between them')
      .option('--line <n>', 'the row of this line of the contacts; without it the longest text')
      .option('--longest', 'the row with the longest text (the default)')
      .option(
        '--contacts <file>',
        "another contacts file than the job's (CSV or .xlsx; - for standard input)",
      )
      .option('--gsm', 'replace characters that force UCS-2 by GSM-7 ones')
      .option('--wait-reports <duration>', 'how long the delivery report is waited for', '60s'),
  async run(context, call) {
    const own = new OwnRoles(context);
    try {
      return await sendTest(context, call, own);
    } finally {
      await own.stop();
    }
  },
};

async function sendTest(context: Context, call: Call, own: OwnRoles): Promise<number> {
  const { flags, args } = call;
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : null);
  const gsm = flags['gsm'] === true;
  if (text('line') !== null && flags['longest'] === true)
    throw new TumaError('usage', {
      message: '--line names one row and --longest another; give one of the two.',
      where: '--longest',
    });
  const { currency, countries, optOutText } = await context.launchSettings();
  await using test = await testFiles({
    job: args[0] ?? '',
    contacts: text('contacts'),
    line: lineArgument(flags['line']),
    to: phonesOf(context, text('to') ?? ''),
    gsm,
    currency,
    countries,
    ...contactsPlace(context),
    optOutText,
    at: shownTime(context, context.clock.now()),
  });
  const { output } = context;
  output.note(
    `The text of line ${test.line} (${counted(test.segments, 'segment')}): ${shownText(output, test)}`,
  );
  const { actor, signal } = context;
  const { files } = test;
  const ready = () => own.tend();
  const campaign = await launchTest(await launchEnv(context), { files, gsm, actor, ready, signal });
  const wait = waitOf({ ...call, flags: { ...flags, wait: true, waitPaused: '1m' } });
  return see(context, campaign, { wait: wait ?? { reportsMs: 0, pausedMs: 0 }, own });
}

function shownText({ showNumbers }: Output, { text, files }: TestFiles): string {
  return printable(showNumbers ? text : maskRendered(text, files.loaded.template.source));
}

function phonesOf({ config }: Context, text: string): string[] {
  const phones = text.split(',').map((phone) => phone.trim());
  if (phones.length > JOB_LIMITS.testPhones)
    throw new TumaError('usage', {
      message: `A test goes to at most ${JOB_LIMITS.testPhones} phones; launch a campaign for more.`,
      where: '--to',
    });
  for (const phone of phones) mobileArgument(phone, config, '--to');
  return phones;
}
