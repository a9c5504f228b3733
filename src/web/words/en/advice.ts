import type { AdviceWords } from '../../../domain/advice.ts';

const WHO_INSTALLED = 'Ask whoever installed Tuma.';

/** What to do about a problem, on a page. Null: its hint says it all. */
export const advice: AdviceWords<string | null> = {
  pause_first: () => 'Pause the campaign first.',
  cancel: () => 'To stop this campaign, cancel it on its page.',
  cancel_firing: () => 'That firing is a campaign of its own: cancel that one.',
  cancel_and_launch: () => 'Cancel the recurring job, then launch it again.',
  end_first: ({ isPaused, ends, hasRest }) =>
    [
      ends ? (isPaused ? 'Resume it and let it finish, or cancel it.' : 'Let it finish, or cancel it.') : '',
      ends ? '' : 'Cancel it first.',
      'A launch after that is a new campaign.',
      hasRest ? 'Once it is canceled, its page has the list of those whom it did not reach.' : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  resume_reading: () => 'It reads these files itself: resume it.',
  send_rest: () => 'Its page has the list of those whom it did not reach.',
  keep_limit: () => 'Go on without another limit, or pause or cancel the campaign.',
  look_again: () => 'Look at the campaign, then ask again.',
  find_message: () => 'The page of its people shows who still gets something.',
  find_uncertain: () => 'Its page of uncertain messages shows them.',
  decide_otherwise: () => 'You can still say that they were sent, or write them off.',
  use_pages: () => 'Make the campaign on these pages, and ask for approval. An approver launches it.',
  launch_anew: ({ campaign }) =>
    campaign === null
      ? 'Under another name all of it is sent anew.'
      : 'The page of that campaign has the list of those whom it did not reach. Under another name all of it is sent anew.',
  remind_anew: () => 'Under another name it reminds all of them anew.',
  raise_max_cost: () => 'Raise the limit, shorten the text, or send to fewer people.',
  top_up_or_partial: () => 'Top up at the provider, then work it out again.',
  accept_new_ledger: () => 'If campaigns were sent before, stop, and ask whoever installed Tuma.',
  accept_missing: () =>
    'If that is right, say so with the tick at the launch. Else complete the list: it holds all reminders, not only the changed ones.',
  give_contacts: () => 'Give the list of people in the first step.',
  change_start: () => 'Choose another time in the step When, or send at once.',
  see_rows: () => 'The first step shows the rows and what is wrong with them.',
  name_rejects: () => WHO_INSTALLED,
  list_answers: () => 'The page Decisions lists them.',
  unmap_answer: () => 'Take that back first, with what it decided.',
  change_profile: () => 'Whoever installed Tuma can change it in the profile of the provider.',
  list_users: () => 'The page Users lists them.',
  change_user: () => 'On the page of that user you can make a new link, or give another role.',
  list_tokens: () => 'The page Users lists them.',
  rename_token: () => 'Take another name, or remove that one first.',
  export_without_numbers: () => 'The list of messages can still be downloaded, without numbers.',
  see_settings: () => WHO_INSTALLED,
  leave_pages_out: () => WHO_INSTALLED,
  accept_loss: () => WHO_INSTALLED,
  end_move: () => WHO_INSTALLED,
  make_tables: () => WHO_INSTALLED,
  see_inbox: () => 'The inbox shows whether a file came with this message.',
  launch_first: () => 'Make a campaign first.',
  try_sandbox: () => null,
};
