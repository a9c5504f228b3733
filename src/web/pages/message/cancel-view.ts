import { whole } from '../../../domain/money.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import type { PersonMessages } from '../../../ledger/contracts/records.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { notice } from '../../views/notice.ts';
import { shownNumber, shownText } from '../../views/number.ts';

/** The question before one person gets nothing more of a campaign. */
export interface CancelQuestion {
  campaign: Campaign;
  seq: number;
  mobile: string;
  /** Empty: the campaign has no keys. */
  key: string;
  /** The messages of the person, by their states; and those of the key alone. */
  counts: PersonMessages;
  ofKey: PersonMessages;
  /** True: the numbers are not those that were shown before. */
  hasChanged: boolean;
}

/** The page that asks. The form carries the number that was shown. */
export function cancelView(frame: Frame, question: CancelQuestion): Html {
  const { life: words } = frame.words;
  const { campaign, seq, mobile, key, counts, ofKey, hasChanged } = question;
  const { queued } = counts;
  const at = `/messages/${campaign.id}/${seq}`;
  return html`<header><p class="crumb"><a href="${at}">${words.title(campaign.name)}</a></p>
<h1>${words.cancelTitle(campaign.name)}</h1>
<p class="soft">${shownNumber(frame, mobile)}</p></header>
${hasChanged && notice({ look: 'warn', title: words.changed })}
${sum(frame, counts)}
<p>${words.noWay}</p>
<form class="form text" method="post" action="${at}/cancel">${csrfField(frame)}<input type="hidden" name="queued" value="${queued}"><input type="hidden" name="queuedOfKey" value="${ofKey.queued}">
${key !== '' && choices(frame, question)}
<div class="actions"><button class="danger">${buttonWords(frame, question)}</button><a href="${at}">${words.keep}</a></div>
</form>`;
}

function buttonWords({ words: { life: words } }: Frame, { key, counts: { queued } }: CancelQuestion): string {
  if (queued === 0) return words.stopNow;
  return key === '' ? words.cancelNow(whole(queued), queued === 1) : words.cancelChosen;
}

/** Each choice says how many messages it means. */
function choices(frame: Frame, { key, counts, ofKey }: CancelQuestion): Html {
  const { life: words } = frame.words;
  const waiting = ({ queued }: PersonMessages) => words.waits(whole(queued), queued === 1);
  return html`<fieldset><legend>${words.cancelWhat}</legend>
<div class="choice"><input id="all" type="radio" name="what" value="all" checked><label for="all">${words.everything}, ${waiting(counts)}</label></div>
<div class="choice"><input id="key" type="radio" name="what" value="key"><label for="key">${words.onlyKey(shownText(frame, key))}, ${waiting(ofKey)}</label></div>
</fieldset>`;
}

function sum(frame: Frame, { queued, sending, uncertain, sent }: PersonMessages): Html {
  const { life: words } = frame.words;
  const rows = [
    [words.waiting, queued],
    [words.mayArrive, sending + uncertain],
    [words.sent, sent],
  ] as const;
  const all = queued + sending + uncertain + sent;
  return html`<table class="sum"><caption class="hear">${words.allOf}</caption><tbody>
${rows.map(
  ([name, count]) => html`<tr><th scope="row">${name}</th><td class="n">${whole(count)}</td></tr>
`,
)}<tr class="total"><th scope="row">${words.allOf}</th><td class="n">${whole(all)}</td></tr>
</tbody></table>`;
}
