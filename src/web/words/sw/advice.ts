import type { advice as english } from '../en/advice.ts';

const WHO_INSTALLED = 'Muulize aliyesakinisha Tuma.';

/** What to do about a problem, on a page. Null: its hint says it all. */
export const advice: typeof english = {
  pause_first: () => 'Isimamishe kampeni kwanza.',
  cancel: () => 'Ili kuikomesha kampeni hii, ifute kwenye ukurasa wake.',
  cancel_firing: () => 'Mzunguko huo ni kampeni yake yenyewe: ifute hiyo.',
  cancel_and_launch: () => 'Ifute kazi inayojirudia, kisha uianzishe upya.',
  end_first: ({ isPaused, ends, hasRest }) =>
    [
      ends ? (isPaused ? 'Iendeleze hadi ikamilike, au ifute.' : 'Iache ikamilike, au ifute.') : '',
      ends ? '' : 'Ifute kwanza.',
      'Ukianzisha baada ya hapo, itakuwa kampeni mpya.',
      hasRest ? 'Ikishafutwa, ukurasa wake una orodha ya watu ambao haikuwafikia.' : '',
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  resume_reading: () => 'Inasoma faili hizi yenyewe: iendeleze.',
  send_rest: () => 'Ukurasa wake una orodha ya watu ambao haikuwafikia.',
  keep_limit: () => 'Endelea bila kikomo kingine, au isimamishe au uifute kampeni.',
  look_again: () => 'Itazame kampeni, kisha uombe tena.',
  find_message: () => 'Ukurasa wa watu wake unaonyesha ambao bado watapata kitu.',
  find_uncertain: () => 'Ukurasa wake wa jumbe zisizojulikana unazionyesha.',
  decide_otherwise: () => 'Bado unaweza kusema kuwa zilitumwa, au kuziacha.',
  use_pages: () => 'Itengeneze kampeni kwenye kurasa hizi, na uombe idhini. Mwidhinishaji ataianzisha.',
  launch_anew: ({ campaign }) =>
    campaign === null
      ? 'Kwa jina lingine zote zitatumwa upya.'
      : 'Ukurasa wa kampeni hiyo una orodha ya watu ambao haikuwafikia. Kwa jina lingine zote zitatumwa upya.',
  remind_anew: () => 'Kwa jina lingine itawakumbusha wote upya.',
  raise_max_cost: () => 'Ongeza kikomo, fupisha maandishi, au tuma kwa watu wachache zaidi.',
  top_up_or_partial: () => 'Ongeza salio kwa mtoa huduma, kisha kokotoa tena.',
  accept_new_ledger: () => 'Kama kampeni zilitumwa awali, acha, na umuulize aliyesakinisha Tuma.',
  accept_missing: () =>
    'Kama hiyo ni sahihi, weka alama wakati wa kuanzisha. La sivyo, kamilisha orodha: iwe na vikumbusho vyote, si vilivyobadilika tu.',
  give_contacts: () => 'Weka orodha ya watu katika hatua ya kwanza.',
  change_start: () => 'Chagua wakati mwingine katika hatua ya Lini, au tuma mara moja.',
  see_rows: () => 'Hatua ya kwanza inaonyesha mistari na kasoro zake.',
  name_rejects: () => WHO_INSTALLED,
  list_answers: () => 'Ukurasa wa Maamuzi unayaonyesha.',
  unmap_answer: () => 'Ondoa maana hiyo kwanza, pamoja na kilichoamuliwa nayo.',
  change_profile: () => 'Aliyesakinisha Tuma anaweza kulibadilisha katika mipangilio ya mtoa huduma.',
  list_users: () => 'Ukurasa wa Watumiaji unawaonyesha.',
  change_user: () =>
    'Kwenye ukurasa wa mtumiaji huyo unaweza kutengeneza kiungo kipya, au kumpa jukumu lingine.',
  list_tokens: () => 'Ukurasa wa Watumiaji unazionyesha.',
  rename_token: () => 'Chagua jina lingine, au uiondoe hiyo kwanza.',
  export_without_numbers: () => 'Orodha ya jumbe bado inaweza kupakuliwa, bila namba.',
  see_settings: () => WHO_INSTALLED,
  leave_pages_out: () => WHO_INSTALLED,
  accept_loss: () => WHO_INSTALLED,
  end_move: () => WHO_INSTALLED,
  make_tables: () => WHO_INSTALLED,
  see_inbox: () => 'Zilizopokelewa zinaonyesha kama faili ilikuja na ujumbe huu.',
  launch_first: () => 'Tengeneza kampeni kwanza.',
  try_sandbox: () => null,
};
