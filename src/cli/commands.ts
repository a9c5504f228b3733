import type { CommandEntry } from './command.ts';

const CAMPAIGNS: readonly CommandEntry[] = [
  {
    usage: 'init [DIR]',
    summary: 'write settings, a job, a text and contacts that run at once',
    examples: ['tuma init campaigns', 'tuma init live --live --sender DUKA --phone 0712345678'],
    load: () => import('./commands/campaigns/init.ts'),
  },
  {
    usage: 'plan JOB.yaml',
    summary: 'dry run: rows, texts, segments, cost and time; sends nothing',
    examples: [
      'tuma plan promo.yaml',
      'tuma plan promo.yaml --contacts list.csv',
      'tuma plan promo.yaml --line 12',
      'tuma plan contacts.csv --message "Hi <<name>>" --sender DUKA',
    ],
    load: () => import('./commands/campaigns/plan.ts'),
  },
  {
    usage: 'test JOB.yaml --to NUMBER',
    summary: 'one real message from a real row to your own phone, with its cost and report',
    examples: ['tuma test promo.yaml --to 0712345678', 'tuma test promo.yaml --to 0712345678 --line 12'],
    load: () => import('./commands/campaigns/test.ts'),
  },
  {
    usage: 'launch JOB.yaml',
    summary: 'plan, confirm the cost, send; the same again continues',
    examples: [
      'tuma launch promo.yaml',
      'tuma launch promo.yaml --max-cost 20000 --wait',
      'tuma launch promo.yaml --at 2026-11-27T09:00 --yes',
    ],
    load: () => import('./commands/campaigns/launch.ts'),
  },
  {
    usage: 'status [CAMPAIGN]',
    summary: 'campaigns, or one: counts, rate, spent, time left, why paused',
    examples: ['tuma status', 'tuma status promo --watch'],
    load: () => import('./commands/campaigns/status.ts'),
  },
  {
    usage: 'pause CAMPAIGN',
    summary: 'stop sending for now, also before the start; answers when nothing more leaves',
    examples: ['tuma pause promo', 'tuma pause 3a8j2yv3'],
    load: () => import('./commands/campaigns/pause.ts'),
  },
  {
    usage: 'resume CAMPAIGN',
    summary: 'go on with a paused campaign',
    examples: ['tuma resume promo', 'tuma resume promo --sender DUKA2', 'tuma resume promo --budget 30000'],
    load: () => import('./commands/campaigns/resume.ts'),
  },
  {
    usage: 'cancel CAMPAIGN',
    summary: 'stop for good, all of it or one person; asks first',
    examples: ['tuma cancel promo', 'tuma cancel promo --yes', 'tuma cancel rent --mobile 0712345678'],
    load: () => import('./commands/campaigns/cancel.ts'),
  },
  {
    usage: 'skip CAMPAIGN',
    summary: 'leave out the next firing of a recurring job',
    examples: ['tuma skip rent', 'tuma skip 3a8j2yv3'],
    load: () => import('./commands/campaigns/skip.ts'),
  },
  {
    usage: 'rate CAMPAIGN 80/s',
    summary: 'change how many messages a second a campaign sends',
    examples: ['tuma rate promo 20/s', 'tuma rate promo unlimited'],
    load: () => import('./commands/campaigns/rate.ts'),
  },
  {
    usage: 'retry CAMPAIGN',
    summary: 'put back rejected messages that a retry can help',
    examples: ['tuma retry promo', "tuma retry promo --reason 'credit refused'"],
    load: () => import('./commands/campaigns/retry.ts'),
  },
  {
    usage: 'resolve CAMPAIGN',
    summary: 'decide messages whose fate nobody knows',
    examples: [
      'tuma resolve promo --evidence',
      'tuma resolve promo --sent --line 12',
      'tuma resolve promo --not-sent',
    ],
    load: () => import('./commands/campaigns/resolve.ts'),
  },
];

const RESULTS: readonly CommandEntry[] = [
  {
    usage: 'report CAMPAIGN',
    summary: 'delivery and cost of a campaign',
    examples: [
      'tuma report promo',
      'tuma report promo --json',
      'tuma report promo --format csv --out report.csv',
    ],
    load: () => import('./commands/results/report.ts'),
  },
  {
    usage: 'export CAMPAIGN',
    summary: 'one row a message, or contacts to upload again',
    examples: [
      'tuma export promo --out result.csv',
      'tuma export promo --as contacts --state rejected --out again.csv',
    ],
    load: () => import('./commands/results/export.ts'),
  },
  {
    usage: 'statement --from D --to D',
    summary: 'the account: cost by campaign, network and day, against its balance',
    examples: [
      'tuma statement --from 2026-11-01 --to 2026-11-30',
      'tuma statement --from 2026-11-01 --to 2026-11-30 --json',
    ],
    load: () => import('./commands/results/statement.ts'),
  },
  {
    usage: 'media ID --out F',
    summary: 'download the file of a chat message',
    examples: ['tuma media 3f2b8c1e-9d4a-4f6b-8a1c-0e5d7f9b2a34 --out .'],
    load: () => import('./commands/results/media.ts'),
  },
  {
    usage: 'inbox',
    summary: 'what people answered',
    examples: ['tuma inbox', 'tuma inbox --maybe-stop', 'tuma inbox --out answers.csv'],
    load: () => import('./commands/results/inbox.ts'),
  },
  {
    usage: 'optouts list',
    summary: 'who must not be written to, and dead numbers: add, remove, import, export',
    examples: ['tuma optouts list', 'tuma optouts add 0712345678', 'tuma optouts import earlier.csv'],
    load: () => import('./commands/results/optouts.ts'),
  },
  {
    usage: 'answers list',
    summary: 'answers of the provider that nobody knows: say once what they mean',
    examples: ['tuma answers list', 'tuma answers map 3 credit', 'tuma answers unmap 3'],
    load: () => import('./commands/results/answers.ts'),
  },
  {
    usage: 'webhooks list',
    summary: 'raw webhooks: inspect, map unknown words, replay, void forged ones',
    examples: ['tuma webhooks list', 'tuma webhooks map BarredByNetwork undelivered', 'tuma webhooks replay'],
    load: () => import('./commands/results/webhooks.ts'),
  },
];

const PROCESSES: readonly CommandEntry[] = [
  {
    usage: 'serve',
    summary: 'the long-running process: worker, collector, web',
    examples: ['tuma serve', 'tuma serve --role worker,collector'],
    load: () => import('./commands/processes/serve.ts'),
  },
  {
    usage: 'sandbox',
    summary: "the provider's stand-in, to try things without cost",
    examples: ['tuma sandbox > .env', 'tuma sandbox --faults 2%'],
    load: () => import('./commands/processes/sandbox.ts'),
  },
  {
    usage: 'trigger report / reply',
    summary: 'post a test webhook to your own collector',
    examples: ['tuma trigger report --help', 'tuma trigger reply --help'],
    load: () => import('./commands/processes/trigger.ts'),
  },
];

const CARE: readonly CommandEntry[] = [
  {
    usage: 'balance',
    summary: "the account's credit",
    examples: ['tuma balance', 'tuma balance --json'],
    load: () => import('./commands/care/balance.ts'),
  },
  {
    usage: 'credits',
    summary: "the account's credits, as the v2 API tells them",
    examples: ['tuma credits'],
    load: () => import('./commands/care/credits.ts'),
  },
  {
    usage: 'doctor',
    summary: 'check everything that sending needs, and where each setting comes from',
    examples: ['tuma doctor', 'tuma doctor --alert', 'tuma doctor --collector'],
    load: () => import('./commands/care/doctor.ts'),
  },
  {
    usage: 'verify [CAMPAIGN]',
    summary: 'check every invariant on the ledger',
    examples: ['tuma verify', 'tuma verify promo'],
    load: () => import('./commands/care/verify.ts'),
  },
  {
    usage: 'users list',
    summary: 'who may use the pages: add, link, role, remove',
    examples: ['tuma users add mary --role operator', 'tuma users list', 'tuma users link mary'],
    load: () => import('./commands/care/users.ts'),
  },
  {
    usage: 'tokens list',
    summary: 'which programs may use the API: add, remove',
    examples: ['tuma tokens add billing --role operator --expires 90d', 'tuma tokens remove billing'],
    load: () => import('./commands/care/tokens.ts'),
  },
  {
    usage: 'audit [CAMPAIGN]',
    summary: 'who did what, and when',
    examples: ['tuma audit', 'tuma audit promo', 'tuma audit --json'],
    load: () => import('./commands/care/audit.ts'),
  },
  {
    usage: 'backup FILE',
    summary: 'copy the ledger while it is in use',
    examples: ['tuma backup /media/usb/ledger-2026-11-25.db'],
    load: () => import('./commands/care/backup.ts'),
  },
  {
    usage: 'migrate',
    summary: "make or update the ledger's tables, or move it to Postgres",
    examples: ['tuma migrate', 'tuma migrate --to postgres://tuma_owner@db.example.org/sms'],
    load: () => import('./commands/care/migrate.ts'),
  },
  {
    usage: 'purge --older-than 180d',
    summary: 'remove personal data that is old; counts and costs stay',
    examples: ['tuma purge --older-than 180d'],
    load: () => import('./commands/care/purge.ts'),
  },
  {
    usage: 'erase NUMBER',
    summary: "remove one person's data; counts, costs and opt-outs stay",
    examples: ['tuma erase 0712345678', 'tuma erase 0712345678 --dry-run'],
    load: () => import('./commands/care/erase.ts'),
  },
  {
    usage: 'completion bash, zsh, fish',
    summary: 'a script that completes commands, flags and campaigns with Tab',
    examples: [
      'eval "$(tuma completion bash)"',
      'tuma completion fish > ~/.config/fish/completions/tuma.fish',
    ],
    load: async () => {
      const { completionOf } = await import('./commands/care/completion.ts');
      return { command: completionOf(() => COMMANDS) };
    },
  },
  {
    usage: 'version',
    summary: 'which Tuma this is',
    examples: ['tuma version', 'tuma version --json'],
    load: () => import('./commands/care/version.ts'),
  },
];

/** Every command there is, by its heading in the help. */
export const COMMAND_GROUPS: readonly { heading: string; commands: readonly CommandEntry[] }[] = [
  { heading: 'Campaigns:', commands: CAMPAIGNS },
  { heading: 'Results:', commands: RESULTS },
  { heading: 'Processes:', commands: PROCESSES },
  { heading: 'Care:', commands: CARE },
];

/** Every command there is. */
export const COMMANDS: readonly CommandEntry[] = COMMAND_GROUPS.flatMap(({ commands }) => commands);
