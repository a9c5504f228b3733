/* The way on from a problem, as data. Each face words it: a command to type, or what to press on a page. */

/** What a person can do about a problem. */
export const ADVICE_ACTIONS = [
  // About one campaign.
  'pause_first',
  'cancel',
  'cancel_firing',
  'cancel_and_launch',
  'end_first',
  'resume_reading',
  'send_rest',
  'keep_limit',
  'look_again',
  'find_message',
  'find_uncertain',
  'decide_otherwise',
  // About a launch and its plan.
  'use_pages',
  'launch_anew',
  'remind_anew',
  'raise_max_cost',
  'top_up_or_partial',
  'accept_new_ledger',
  'accept_missing',
  'give_contacts',
  'change_start',
  'see_rows',
  'name_rejects',
  // About answers of the provider.
  'list_answers',
  'unmap_answer',
  'change_profile',
  // About people.
  'list_users',
  'change_user',
  'list_tokens',
  'rename_token',
  // About this home.
  'export_without_numbers',
  'see_settings',
  'leave_pages_out',
  'accept_loss',
  'end_move',
  'make_tables',
  'see_inbox',
  'launch_first',
  'try_sandbox',
] as const;
/** One of ADVICE_ACTIONS. */
export type AdviceAction = (typeof ADVICE_ACTIONS)[number];

/** What an action needs to be worded. The others need nothing. `campaign` is an id; `name` that of a user or a token. */
interface AdviceFacts {
  pause_first: { campaign: string };
  cancel: { campaign: string };
  /** The firing is a campaign of its own. */
  cancel_firing: { campaign: string };
  cancel_and_launch: { campaign: string };
  /** `ends`: by itself. `hasRest`: another launch can send to those whom it does not reach. */
  end_first: { campaign: string; isPaused: boolean; ends: boolean; hasRest: boolean };
  /** The recurring job reads its files itself when it goes on. */
  resume_reading: { campaign: string };
  send_rest: { campaign: string };
  keep_limit: { campaign: string };
  look_again: { campaign: string };
  find_message: { campaign: string };
  find_uncertain: { campaign: string };
  decide_otherwise: { campaign: string };
  /** The campaign whose rest can be sent to instead; null: all of it is left. */
  launch_anew: { campaign: string | null };
  /** `otherName`: another name of the job does it, too. */
  remind_anew: { otherName: boolean };
  give_contacts: { needs: 'contacts' | 'other_place' | 'file' };
  /** `given`: it came with the launch, else the job file names it. */
  change_start: { given: boolean };
  /** `overwrite`: writing over the file that is there helps, too. */
  name_rejects: { overwrite: boolean };
  unmap_answer: { answer: number };
  change_user: { name: string };
  rename_token: { name: string };
  /** `ifNone`: only where no other ledger can be put back. */
  accept_loss: { ifNone: boolean; isCopy?: true };
}

/** A piece of advice: the action, and its facts. */
export type Advice = {
  [A in AdviceAction]: { action: A } & (A extends keyof AdviceFacts ? AdviceFacts[A] : object);
}[AdviceAction];

/** The words of a face for each action. */
export type AdviceWords<Word> = {
  readonly [A in AdviceAction]: (advice: Extract<Advice, { action: A }>) => Word;
};

/** The words for a piece of advice. */
export function sayAdvice<Word>(words: AdviceWords<Word>, advice: Advice): Word {
  const say = words[advice.action] as (advice: Advice) => Word;
  return say(advice);
}
