import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { olderLedger } from '../../../campaign/maintenance/stale-ledger-guard.ts';
import { TumaError } from '../../../domain/errors.ts';
import { mobileArgument } from '../../arguments/parse-argument.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';

/** The answers behind the files. */
interface Start {
  account: 'sandbox' | 'live';
  sender: string;
  /** The user's own phone, as it was typed. */
  phone: string;
}

const SENDER = /^[\w .&-]{1,20}$/;
/** Numbers that the sandbox answers; in the files of a live account they would be strangers. */
const SAMPLE_PHONE = '0712345678';
const SAMPLE_ROWS = ['Brian,+254 712 000 102,350', 'Chebet,254712000103,'];

/** `tuma init [DIR]`: settings, a job, a text, contacts and a ledger that run at once. Writes over nothing. */
export const command: CommandModule = {
  declare(command) {
    command
      .argument('[dir]', 'the folder of your campaigns; it is made when it is missing', '.')
      .option('--live', 'for a live account in place of the sandbox')
      .option('--phone <number>', 'your own phone: the first contact');
  },
  async run(context, call) {
    const folder = resolve(call.args[0] ?? '.');
    const start = await askStart(context, call);
    const files = filesOf(context, start);
    refuseExisting(folder, Object.keys(files));
    await mkdir(folder, { recursive: true });
    await beginLedger(context, folder);
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 });
    const next = nextSteps(start, call.args[0] ?? '.');
    context.output.result({ folder, files: Object.keys(files), next }, () =>
      [
        `Written to ${folder}: ${Object.keys(files).join(', ')}.`,
        '',
        'Next:',
        ...next.map((step) => `  ${step}`),
      ].join('\n'),
    );
    return EXIT.done;
  },
};

async function askStart(context: Context, { flags }: Call): Promise<Start> {
  const { config } = context;
  const wantsLive =
    flags['live'] === true || (await ask(context, 'Sandbox or live account?', 'sandbox')) === 'live';
  const account = wantsLive ? 'live' : 'sandbox';
  const sender = config.sender ?? (await ask(context, 'Sender name or shortcode?', 'DUKA'));
  if (!SENDER.test(sender))
    throw new TumaError('usage', {
      message: `"${sender}" is no sender name of up to 20 letters.`,
      where: '--sender',
    });
  const fallback = account === 'sandbox' ? SAMPLE_PHONE : '';
  const given = flags['phone'];
  const phone = typeof given === 'string' ? given : await ask(context, 'Your own phone number?', fallback);
  mobileArgument(phone, config, '--phone');
  return { account, sender, phone };
}

/** Without a terminal the default is the answer. */
async function ask({ output, signal }: Context, question: string, fallback: string): Promise<string> {
  if (!output.interactive) return fallback;
  const shown = fallback === '' ? '' : ` [${fallback}]`;
  const answer = (await output.ask(`${question}${shown} `, signal))?.trim() ?? '';
  return answer === '' ? fallback : answer;
}

function filesOf({ config }: Context, { account, sender, phone }: Start): Record<string, string> {
  const rows = [`Amina,${phone},1200`, ...(account === 'sandbox' ? SAMPLE_ROWS : [])];
  return {
    'tuma.yaml': [
      '# Settings of this folder. Every setting: docs/configuration.md, or `tuma doctor`.',
      `sender: ${JSON.stringify(sender)}`,
      `country: ${config.country}    # of numbers that are written without a country code`,
      `zone: ${config.zone}`,
      `currency: ${config.currency}`,
      '',
    ].join('\n'),
    '.env': account === 'sandbox' ? SANDBOX_ENV : LIVE_ENV,
    'first.yaml': [
      '# A campaign: who gets which text, and when. Every key: docs/jobs.md.',
      'name: first',
      'kind: transactional    # promotional: counts the opt-out text, honours opt-outs, and sends from 08:00 to 18:00',
      'template: first.txt',
      'contacts: contacts.csv',
      '',
    ].join('\n'),
    'first.txt': 'Hi <<name>>, this is a test.{{#if balance}} Your balance is KES <<balance>>.{{/if}}\n',
    'contacts.csv': ['name,phone,balance', ...rows, ''].join('\n'),
  };
}

/** The ledger of the folder: whoever makes a folder for campaigns wants a new one. Throws `ledger_behind`. */
async function beginLedger(context: Context, folder: string): Promise<void> {
  const { config, clock, actor } = context;
  const { from } = config.origins.TUMA_HOME;
  const home = from === 'flag' || from === 'environment' ? config.home : join(folder, '.tuma');
  const ledger = await context.ledgerAt(home);
  try {
    const now = clock.now();
    const behind = await ledger.behind(now);
    // Messages went out from this home before, and a new ledger would send them again.
    if (behind !== null) throw olderLedger(behind);
    if ((await ledger.facts()).unused) await ledger.begin({ now, by: actor });
  } finally {
    await ledger.close();
  }
}

const SANDBOX_ENV = `# The sandbox of this machine: tuma sandbox
TUMA_MESSAGING_URL=http://127.0.0.1:8090
TUMA_BASE_URL=http://127.0.0.1:8090
TUMA_API_KEY=sandbox-key
TUMA_API_SECRET=sandbox-secret
TUMA_API_TOKEN=sandbox-token
`;

const LIVE_ENV = `# Your account. Keep this file to yourself.
TUMA_MESSAGING_URL=
TUMA_API_KEY=
TUMA_API_SECRET=
# The price of a segment. Without it Tuma learns it from the first messages.
TUMA_PRICE=
# Where the provider posts delivery reports: https://sms.example.org
TUMA_PUBLIC_URL=
`;

function refuseExisting(folder: string, names: string[]): void {
  const there = names.filter((name) => existsSync(join(folder, name)));
  if (there.length === 0) return;
  throw new TumaError('usage', {
    message: `${folder} holds ${there.join(', ')} already; nothing was written.`,
    hint: 'Name another folder: tuma init campaigns',
    where: folder,
  });
}

function nextSteps({ account, phone }: Start, folder: string): string[] {
  const enter = folder === '.' ? [] : [`cd ${folder}`];
  if (account === 'live')
    return [
      ...enter,
      'fill in .env',
      'tuma doctor',
      `tuma test first.yaml --to ${phone}`,
      'tuma launch first.yaml --wait',
    ];
  return [
    ...enter,
    'tuma sandbox                         # leave it running, and go on in a second terminal',
    `tuma test first.yaml --to ${phone}`,
    'tuma plan first.yaml                 # sends nothing',
    'tuma launch first.yaml --wait',
  ];
}
