import { GSM_SEPTETS } from './gsm.ts';

const GSM_ALONE = 160;
const GSM_JOINED = 153;
const UCS2_ALONE = 70;
const UCS2_JOINED = 67;

/** The size of a text on the air. */
export interface SegmentCount {
  encoding: 'gsm7' | 'ucs2';
  /** SMS parts the text is cut into; the provider charges each. At least 1. */
  segments: number;
  /** Septets in GSM-7 (an extension character is two), UTF-16 units in UCS-2. */
  units: number;
}

/** Counts segments as phones join them, without cutting an extension character or a surrogate pair. */
export function countSegments(text: string): SegmentCount {
  let units = 0;
  let closed = 0;
  let inLast = 0;
  for (let index = 0; index < text.length; index++) {
    const septets = GSM_SEPTETS[text.charCodeAt(index)] ?? 0;
    if (septets === 0) return countUcs2(text);
    units += septets;
    inLast += septets;
    if (inLast > GSM_JOINED) {
      closed += 1;
      inLast = septets;
    }
  }
  return { encoding: 'gsm7', segments: units <= GSM_ALONE ? 1 : closed + 1, units };
}

function countUcs2(text: string): SegmentCount {
  const units = text.length;
  if (units <= UCS2_ALONE) return { encoding: 'ucs2', segments: 1, units };
  let segments = 1;
  let end = UCS2_JOINED;
  while (end < units) {
    if (splitsPair(text, end)) end -= 1;
    segments += 1;
    end += UCS2_JOINED;
  }
  return { encoding: 'ucs2', segments, units };
}

/** Text never holds half a pair alone, so the first half stands before a second half. */
function splitsPair(text: string, end: number): boolean {
  const unit = text.charCodeAt(end);
  return unit >= 0xdc_00 && unit < 0xe0_00;
}

/** The different characters that force a text into UCS-2, in order of appearance; empty for GSM-7. */
export function ucs2Characters(text: string): string[] {
  const found = new Set<string>();
  for (const character of text) {
    if (GSM_SEPTETS[character.charCodeAt(0)] === 0) found.add(character);
  }
  return [...found];
}
