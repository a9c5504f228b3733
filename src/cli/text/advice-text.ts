import { type Advice, type AdviceWords, sayAdvice } from '../../domain/advice.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import type { TumaError } from '../../domain/errors.ts';

/** What to type, in a sentence for each piece of advice. */
const COMMANDS: AdviceWords<string> = {
  pause_first: ({ campaign }) => `Pause it first: tuma pause ${campaign}`,
  cancel: ({ campaign }) => `To stop this campaign: tuma cancel ${campaign}`,
  cancel_firing: ({ campaign }) => `That firing is a campaign of its own: tuma cancel ${campaign}`,
  cancel_and_launch: ({ campaign }) =>
    `Cancel the recurring job (tuma cancel ${campaign}), and launch the file again.`,
  end_first: endFirst,
  resume_reading: ({ campaign }) => `It reads these files itself: tuma resume ${campaign}.`,
  send_rest: ({ campaign }) => `To send to those of them that it did not reach: ${restCommands(campaign)}.`,
  use_pages: () =>
    'Sign in to the pages of `tuma serve`. Make the campaign there (New campaign begins from a job file, too) and ask for approval; an approver launches it.',
  launch_anew: ({ campaign }) =>
    `${campaign === null ? '' : `To send to the others: ${restCommands(campaign)}. `}--again launches all of them anew.`,
  remind_anew: ({ otherName }) =>
    otherName
      ? 'Or launch with --again, or under another name, to remind all of them anew.'
      : 'Launch with --again to send them anew.',
  keep_limit: ({ campaign }) =>
    `Go on as it is: leave --max-cost out. Stop it: tuma pause ${campaign}, or for good: tuma cancel ${campaign}`,
  raise_max_cost: () => 'Raise --max-cost, shorten the text, or send to fewer contacts.',
  top_up_or_partial: () =>
    'Top up, or launch with --partial: it pauses when the credit is used up and goes on after a top-up.',
  accept_new_ledger: () =>
    'If that is right, add --new-ledger; else name the ledger of the earlier campaigns: run in their folder, or set TUMA_HOME, or TUMA_DATABASE_URL on Postgres.',
  accept_missing: () =>
    'If that is right, add --cancel-missing; else complete the CSV: it holds all reminders, not only the changed ones.',
  give_contacts: ({ needs }) =>
    ({
      contacts: 'Add `contacts: ./contacts.csv` to the job file, or give --contacts.',
      other_place: '`contacts` is looked for beside the job file; --contacts names another.',
      file: 'Name a file in `contacts` or with --contacts.',
    })[needs],
  change_start: ({ given }) =>
    given
      ? 'Give a time to come, or leave --at out to send at once.'
      : 'Correct `start`, or take it out to send at once; --at TIME takes its place.',
  see_rows: () => 'tuma plan shows the rows and what is wrong with them.',
  look_again: ({ campaign }) => `Look at it, and ask again: tuma status ${campaign}`,
  find_message: ({ campaign }) =>
    `tuma export ${campaign} --out messages.csv lists number, line, key and occurrence of each message.`,
  find_uncertain: ({ campaign }) => `tuma resolve ${campaign} --evidence lists them.`,
  decide_otherwise: () => 'Use --sent or --write-off.',
  list_answers: () => 'tuma answers list numbers them.',
  unmap_answer: ({ answer }) => `Take that back first, with what it decided: tuma answers unmap ${answer}`,
  change_profile: () =>
    'Change it in the profile (TUMA_PROFILE, docs/profile.md), then: tuma webhooks replay',
  list_users: () => 'tuma users list shows them.',
  change_user: ({ name }) =>
    `A new link for signing in: tuma users link ${name}; another role: tuma users role ${name} --role ROLE`,
  list_tokens: () => 'tuma tokens list shows them.',
  rename_token: ({ name }) => `Take another name, or remove that one first: tuma tokens remove ${name}`,
  export_without_numbers: () =>
    'Without --as contacts the export still has one row a message, without numbers.',
  see_settings: () => '`tuma doctor` shows where each value comes from.',
  leave_pages_out: () => 'Or leave the role out: tuma serve --role worker,collector',
  name_rejects: ({ overwrite }) =>
    overwrite ? 'Name another file, or add --force.' : 'Name another file: --rejects FILE.',
  accept_loss: ({ ifNone, isCopy }) => {
    if (isCopy === true)
      return 'If the copy has every commit (a synchronous replica): `tuma serve --nothing-lost`. Else `tuma serve --accept-loss` calls uncertain what may have been sent already, and goes on.';
    return ifNone
      ? 'If there is none, `tuma serve --accept-loss` calls uncertain what may have been sent already, and goes on.'
      : 'If what it sent may be forgotten: `tuma serve --accept-loss`.';
  },
  end_move: () =>
    'Let `tuma migrate --to` end. If it was interrupted, give it again, or take the move back: `tuma migrate --cancel`.',
  make_tables: () => 'Run `tuma migrate` as the owner of its tables (docs/many-machines.md).',
  see_inbox: () => '`tuma inbox` says whether a file came with this message.',
  launch_first: () => '`tuma launch JOB.yaml` makes one.',
  try_sandbox: () => 'Or try `tuma sandbox`.',
};

function endFirst({ campaign, isPaused, ends, hasRest }: Extract<Advice, { action: 'end_first' }>): string {
  const resume = isPaused ? ` (\`tuma resume ${campaign}\`)` : '';
  const finish = ends ? `Let it finish${resume}, or` : 'First';
  const rest = hasRest ? ` For only the contacts that it did not reach: ${restCommands(campaign)}.` : '';
  return `${finish} stop it for good: \`tuma cancel ${campaign}\`. A launch after that is a new campaign.${rest}`;
}

/** All advice of an error, in one line; null: there is none. */
export function hintOf({ hint, advice }: Pick<TumaError, 'hint' | 'advice'>): string | null {
  const parts = [hint, advice === null ? null : sayAdvice(COMMANDS, advice)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' ');
}

/** The command that lets a paused campaign go on. `needs`: what it must be given. */
export function resumeCommand({
  campaign,
  needs,
}: {
  campaign: string;
  needs: 'budget' | 'sender' | null;
}): string {
  const given = { budget: ' --budget AMOUNT', sender: ' --sender NAME' };
  return `tuma resume ${campaign}${needs === null ? '' : given[needs]}`;
}

/** What a resume after such a pause needs: with the same budget it would pause again at once. */
export function neededFor(reason: PauseReason | null): 'budget' | null {
  return reason === 'budget' ? 'budget' : null;
}

/** The commands that reach those whom a campaign did not reach. `launch` is the one to use. */
export function restCommands(id: string, launch = 'launch'): string {
  const file = `rest-${id}.csv`;
  return `tuma export ${id} --as contacts --state canceled --out ${file}, and ${launch} with --contacts ${file}`;
}
