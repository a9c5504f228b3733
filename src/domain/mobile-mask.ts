const SHOWN = 4;
const HIDDEN_AT_LEAST = 4;

/** A mobile as screens, `--json` and logs may show it: "254712345678" becomes "2547****5678". */
export function maskMobile(mobile: string): string {
  const tail = Math.max(0, Math.min(SHOWN, mobile.length - HIDDEN_AT_LEAST));
  const head = Math.max(0, Math.min(SHOWN, mobile.length - tail - HIDDEN_AT_LEAST));
  const hidden = mobile.length - head - tail;
  return mobile.slice(0, head) + '*'.repeat(hidden) + mobile.slice(mobile.length - tail);
}
