import type { CommandGroup, CommandModule } from './command.ts';

/** A command's line in the help, and where its file is. */
interface CommandEntry {
  /** Its name and its arguments, as the help of the program shows them. */
  usage: string;
  /** A few words about the command, in the help. */
  summary: string;
  /** Loaded only when it is called, so that `tuma --help` starts fast. */
  load(): Promise<{ command: CommandModule | CommandGroup }>;
}

const CAMPAIGNS: readonly CommandEntry[] = [
  {
    usage: 'plan JOB.yaml',
    summary: 'dry run: rows, texts, segments, cost and time; sends nothing',
    load: () => import('./commands/plan.ts'),
  },
  {
    usage: 'launch JOB.yaml',
    summary: 'plan, confirm the cost, send; the same again continues',
    load: () => import('./commands/launch.ts'),
  },
  {
    usage: 'status [CAMPAIGN]',
    summary: 'campaigns, or one: counts, rate, spent, time left, why paused',
    load: () => import('./commands/status.ts'),
  },
  {
    usage: 'pause CAMPAIGN',
    summary: 'stop sending for now; what is on the wire is finished',
    load: () => import('./commands/pause.ts'),
  },
  {
    usage: 'resume CAMPAIGN',
    summary: 'go on with a paused campaign',
    load: () => import('./commands/resume.ts'),
  },
  {
    usage: 'cancel CAMPAIGN',
    summary: 'stop for good; messages not sent yet never will be',
    load: () => import('./commands/cancel.ts'),
  },
  {
    usage: 'rate CAMPAIGN 80/s',
    summary: 'change how many messages a second a campaign sends',
    load: () => import('./commands/rate.ts'),
  },
  {
    usage: 'retry CAMPAIGN',
    summary: 'put back rejected messages that a retry can help',
    load: () => import('./commands/retry.ts'),
  },
  {
    usage: 'resolve CAMPAIGN',
    summary: 'decide messages whose fate nobody knows',
    load: () => import('./commands/resolve.ts'),
  },
];

const RESULTS: readonly CommandEntry[] = [
  {
    usage: 'report CAMPAIGN',
    summary: 'delivery and cost of a campaign',
    load: () => import('./commands/report.ts'),
  },
  {
    usage: 'export CAMPAIGN',
    summary: 'one row a message, or contacts to upload again',
    load: () => import('./commands/export.ts'),
  },
  {
    usage: 'statement --from D --to D',
    summary: 'the account: cost by campaign, network and day, against its balance',
    load: () => import('./commands/statement.ts'),
  },
  {
    usage: 'media ID --out F',
    summary: 'download the file of a chat message',
    load: () => import('./commands/media.ts'),
  },
  {
    usage: 'inbox',
    summary: 'what people answered',
    load: () => import('./commands/inbox.ts'),
  },
  {
    usage: 'optouts list',
    summary: 'who must not be written to, and dead numbers: add, remove, import, export',
    load: () => import('./commands/optouts.ts'),
  },
  {
    usage: 'answers list',
    summary: 'answers of the provider that nobody knows: say once what they mean',
    load: () => import('./commands/answers.ts'),
  },
  {
    usage: 'webhooks list',
    summary: 'raw webhooks: inspect, map unknown words, replay, void forged ones',
    load: () => import('./commands/webhooks.ts'),
  },
];

const PROCESSES: readonly CommandEntry[] = [
  {
    usage: 'serve',
    summary: 'the long-running process: worker, collector, dashboard',
    load: () => import('./commands/serve.ts'),
  },
  {
    usage: 'sandbox',
    summary: "the provider's stand-in, to try things without cost",
    load: () => import('./commands/sandbox.ts'),
  },
  {
    usage: 'trigger report / reply',
    summary: 'post a test webhook to your own collector',
    load: () => import('./commands/trigger.ts'),
  },
];

const CARE: readonly CommandEntry[] = [
  {
    usage: 'balance',
    summary: "the account's credit",
    load: () => import('./commands/balance.ts'),
  },
  {
    usage: 'credits',
    summary: "the account's credits, as the v2 API tells them",
    load: () => import('./commands/credits.ts'),
  },
  {
    usage: 'doctor',
    summary: 'check everything that sending needs, and where each setting comes from',
    load: () => import('./commands/doctor.ts'),
  },
  {
    usage: 'verify [CAMPAIGN]',
    summary: 'check every invariant on the ledger',
    load: () => import('./commands/verify.ts'),
  },
  {
    usage: 'backup FILE',
    summary: 'copy the ledger while it is in use',
    load: () => import('./commands/backup.ts'),
  },
  {
    usage: 'purge --older-than 180d',
    summary: 'remove personal data that is old; counts and costs stay',
    load: () => import('./commands/purge.ts'),
  },
];

/** Every command there is, by its heading in the help. */
export const COMMAND_GROUPS: readonly { heading: string; commands: readonly CommandEntry[] }[] = [
  { heading: 'Campaigns:', commands: CAMPAIGNS },
  { heading: 'Results:', commands: RESULTS },
  { heading: 'Processes:', commands: PROCESSES },
  { heading: 'Care:', commands: CARE },
];

/** The name of a command, which its usage begins with. */
export function nameOf({ usage }: Pick<CommandEntry, 'usage'>): string {
  return usage.split(' ', 1)[0] ?? '';
}

/** Every command there is. */
export const COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
