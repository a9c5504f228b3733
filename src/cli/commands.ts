import type { CommandGroup, CommandModule } from './command.ts';

/** A command's line in the help, and where its file is. */
export interface CommandEntry {
  name: string;
  /** As the help of the program shows it. */
  usage: string;
  /** What it does, in a few words that follow its name. */
  summary: string;
  /** Heading in the help. */
  group: string;
  /** Loaded only when it is called, so that `tuma --help` starts fast. */
  load(): Promise<{ command: CommandModule | CommandGroup }>;
}

const CAMPAIGNS = 'Campaigns:';
const RESULTS = 'Results:';
const PROCESSES = 'Processes:';
const CARE = 'Care:';

/** Every command there is, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'plan',
    usage: 'plan JOB.yaml',
    summary: 'dry run: rows, texts, segments, cost and time; sends nothing',
    group: CAMPAIGNS,
    load: () => import('./commands/plan.ts'),
  },
  {
    name: 'launch',
    usage: 'launch JOB.yaml',
    summary: 'plan, confirm the cost, send; the same again continues',
    group: CAMPAIGNS,
    load: () => import('./commands/launch.ts'),
  },
  {
    name: 'status',
    usage: 'status [CAMPAIGN]',
    summary: 'campaigns, or one: counts, rate, spent, time left, why paused',
    group: CAMPAIGNS,
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'pause',
    usage: 'pause CAMPAIGN',
    summary: 'stop sending for now; what is on the wire is finished',
    group: CAMPAIGNS,
    load: () => import('./commands/pause.ts'),
  },
  {
    name: 'resume',
    usage: 'resume CAMPAIGN',
    summary: 'go on with a paused campaign',
    group: CAMPAIGNS,
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'cancel',
    usage: 'cancel CAMPAIGN',
    summary: 'stop for good; messages not sent yet never will be',
    group: CAMPAIGNS,
    load: () => import('./commands/cancel.ts'),
  },
  {
    name: 'rate',
    usage: 'rate CAMPAIGN 80/s',
    summary: 'change how many messages a second a campaign sends',
    group: CAMPAIGNS,
    load: () => import('./commands/rate.ts'),
  },
  {
    name: 'retry',
    usage: 'retry CAMPAIGN',
    summary: 'put back rejected messages that a retry can help',
    group: CAMPAIGNS,
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'resolve',
    usage: 'resolve CAMPAIGN',
    summary: 'decide messages whose fate nobody knows',
    group: CAMPAIGNS,
    load: () => import('./commands/resolve.ts'),
  },
  {
    name: 'report',
    usage: 'report CAMPAIGN',
    summary: 'delivery and cost of a campaign',
    group: RESULTS,
    load: () => import('./commands/report.ts'),
  },
  {
    name: 'export',
    usage: 'export CAMPAIGN',
    summary: 'one row a message, or contacts to upload again',
    group: RESULTS,
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'statement',
    usage: 'statement --from D --to D',
    summary: 'the account: cost by campaign, sender, network and day, against its balance',
    group: RESULTS,
    load: () => import('./commands/statement.ts'),
  },
  {
    name: 'media',
    usage: 'media ID --out F',
    summary: 'download the file of a chat message',
    group: RESULTS,
    load: () => import('./commands/media.ts'),
  },
  {
    name: 'inbox',
    usage: 'inbox',
    summary: 'what people answered',
    group: RESULTS,
    load: () => import('./commands/inbox.ts'),
  },
  {
    name: 'optouts',
    usage: 'optouts list',
    summary: 'who must not be written to, and dead numbers: add, remove, import, export',
    group: RESULTS,
    load: () => import('./commands/optouts.ts'),
  },
  {
    name: 'answers',
    usage: 'answers list',
    summary: 'answers of the provider that nobody knows: say once what they mean',
    group: CARE,
    load: () => import('./commands/answers.ts'),
  },
  {
    name: 'webhooks',
    usage: 'webhooks list',
    summary: 'raw webhooks: inspect, map unknown words, replay, void forged ones',
    group: RESULTS,
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'serve',
    usage: 'serve',
    summary: 'the long-running process: worker, collector, dashboard',
    group: PROCESSES,
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'sandbox',
    usage: 'sandbox',
    summary: "the provider's stand-in, to try things without cost",
    group: PROCESSES,
    load: () => import('./commands/sandbox.ts'),
  },
  {
    name: 'trigger',
    usage: 'trigger report / reply',
    summary: 'post a test webhook to your own collector',
    group: PROCESSES,
    load: () => import('./commands/trigger.ts'),
  },
  {
    name: 'balance',
    usage: 'balance',
    summary: "the account's credit",
    group: CARE,
    load: () => import('./commands/balance.ts'),
  },
  {
    name: 'credits',
    usage: 'credits',
    summary: "the account's credits, as the v2 API tells them",
    group: CARE,
    load: () => import('./commands/credits.ts'),
  },
  {
    name: 'doctor',
    usage: 'doctor',
    summary: 'check everything that sending needs, and where each setting comes from',
    group: CARE,
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'verify',
    usage: 'verify [CAMPAIGN]',
    summary: 'check every invariant on the ledger',
    group: CARE,
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'backup',
    usage: 'backup FILE',
    summary: 'copy the ledger while it is in use',
    group: CARE,
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'purge',
    usage: 'purge --older-than 180d',
    summary: 'remove personal data that is old; counts and costs stay',
    group: CARE,
    load: () => import('./commands/purge.ts'),
  },
];
