import { isPurged } from '../../domain/message.ts';
import { maskMobile, maskText } from '../../domain/text/mask.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Frame } from '../frame.ts';
import { seesNumbers } from '../who.ts';

/** A number on a list: masked for everybody. */
export function coveredNumber({ words }: Pick<Frame, 'words'>, mobile: string): string {
  return isPurged(mobile) ? words.common.purged : maskMobile(mobile);
}

/** A number where its page is about it: in full for whom it is work, masked for a viewer. */
export function shownNumber(frame: Pick<Frame, 'words' | 'who'>, mobile: string): string {
  if (isPurged(mobile) || frame.who === null || !seesNumbers(frame.who)) return coveredNumber(frame, mobile);
  return `+${mobile}`;
}

/** A text of a person, in which a viewer sees no number. */
export function shownText({ who }: Pick<Frame, 'who'>, text: string): string {
  return printable(who !== null && seesNumbers(who) ? text : maskText(text));
}
