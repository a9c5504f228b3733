import { whole } from '../../../domain/money.ts';
import type { AuditEntry } from '../../../ledger/contracts/records.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { networkWords } from '../../views/network.ts';
import { timeOf, timeWords } from '../../views/time.ts';
import { pauseWhy } from './notices-view.ts';
import type { CampaignNow } from './campaign-now.ts';
import { moneyOf, rateOf } from '../../views/amounts.ts';

/** What happened to a campaign, the latest last. */
export function pastView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { trail, overview } = now;
  const { zone } = overview.campaign.settings;
  const older = trail.total - trail.entries.length;
  return html`<section id="live-past" aria-labelledby="past"${trail.entries.length === 0 && html` hidden`}><h2 id="past">${words.pastTitle}</h2>
<ol class="life">
${trail.entries.map(
  (entry) => html`<li>${timeOf(frame, entry.at, zone)}<div>${entryWords(frame, now, entry)}</div></li>
`,
)}</ol>
${older > 0 && html`<p><a href="/audit?campaign=${overview.campaign.id}">${words.olderPast(whole(older))}</a></p>`}
</section>`;
}

/** A dashed line of a chart: when (milliseconds), and its word. */
export type Mark = readonly [at: number, words: string];

/** Pauses, and changes of the speed. */
export function pastMarks(frame: Frame, now: CampaignNow): Mark[] {
  return now.trail.entries
    .filter(({ verb }) => verb === 'pause' || verb === 'resume' || verb === 'rate')
    .map((entry) => [entry.at, whatHappened(frame, now, entry)]);
}

/** Parts of Tuma act under these names, which tell a person nothing. */
const MACHINES = new Set(['schedule', 'canary', 'networks', 'worker', 'reaper', 'keep']);

function entryWords(frame: Frame, now: CampaignNow, entry: AuditEntry): string {
  const { campaign: words } = frame.words;
  const what = whatHappened(frame, now, entry);
  if (MACHINES.has(entry.by)) return words.pastAlone(what);
  const made = madeApprover(frame, entry);
  return made === null ? words.pastBy(what, entry.by) : `${words.pastBy(what, entry.by)} ${made}`;
}

/** Who worked on it and made its approver in the day before; null: nobody did. */
function madeApprover(frame: Frame, { by: approver, detail }: AuditEntry): string | null {
  const { approverStep: step, approverStepBy: by } = (detail['approver'] ?? {}) as Record<string, string>;
  if (step === undefined || by === undefined) return null;
  const { madeApprover: words } = frame.words.campaign;
  const sentence = step === 'make_link' ? words.link : step === 'set_role' ? words.role : words.user;
  return sentence(by, approver);
}

type Past = Frame['words']['campaign']['past'];

function whatHappened(frame: Frame, now: CampaignNow, { verb, detail }: AuditEntry): string {
  const { past, decisions } = frame.words.campaign;
  const { campaign } = now.overview;
  const at = (value: unknown) =>
    typeof value === 'number' ? timeWords(frame, value, campaign.settings.zone) : '';
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  switch (verb) {
    case 'pause':
      return past.pause(pauseWhy(frame, detail as Parameters<typeof pauseWhy>[1]).toLowerCase());
    case 'rate':
      return typeof detail['is'] === 'number' ? past.rate(rateOf(frame, detail['is'])) : past.rateFree();
    case 'budget':
      return past.budget(moneyOf(campaign, Number(detail['is'])));
    case 'resolve':
      return past.resolve(decisions[text(detail['decision']) as keyof typeof decisions] ?? '');
    case 'skip':
      return past.skip(at(detail['at']));
    case 'network':
      return past.network(heldNetwork(frame, now, text(detail['network'])));
    default:
      return plainly(past, verb);
  }
}

/** What an operator let go has no number: it was all of them. */
function heldNetwork(frame: Frame, { networks }: CampaignNow, network: string): string {
  return network === '' ? frame.words.campaign.network : networkWords(frame, network, networks);
}

/** The verbs that need no more words. */
function plainly(past: Past, verb: string): string {
  const words = past[verb as keyof Past] as (() => string) | undefined;
  return words === undefined ? verb.replaceAll(/[_-]/g, ' ') : words();
}
