import type { Config } from '../config/config.ts';
import { formatMoney, parseMoney } from '../domain/money.ts';
import { createLog } from '../system/log.ts';
import { campaignReport } from '../reports/campaign-report.ts';
import { openServices } from '../runtime/services.ts';
import { type Truth, readTruth } from '../sandbox/truth/truth.ts';

/** Whether the report agrees with the sandbox's log, and the result in words. */
interface Comparison {
  agrees: boolean;
  words: string;
}

/** Compares the latest campaign with the sandbox's own log, which knows no ledger. */
export async function compareWithTruth({
  config,
  truthFile,
}: {
  config: Config;
  truthFile: string;
}): Promise<Comparison> {
  const services = await openServices(config, createLog({ level: 'error' }));
  try {
    const reader = await services.reader();
    const [latest] = await reader.campaigns();
    if (latest === undefined) return { agrees: false, words: 'Nothing was launched.' };
    const { messages, cost } = await campaignReport({
      reader,
      campaign: latest.campaign,
      now: services.clock.now(),
      reportWaitMs: config.reportWaitMs,
    });
    const truth = await readTruth(truthFile);
    const said = `${truth.acceptedCount} accepted, ${cost.currency} ${formatMoney(truth.chargedMicro)} charged`;
    const words = comparison(truth, { messages, cost });
    const told = words ?? 'THE REPORT SAYS OTHERWISE.';
    return { agrees: words !== null, words: `The sandbox's own log says: ${said}. ${told}` };
  } finally {
    await services.dispose();
  }
}

/**
 * The agreement in words; null: they disagree. After a kill the report may call some accepted messages
 * uncertain, and may miss the cost of messages that only a delivery report confirmed.
 */
function comparison(
  truth: Truth,
  { messages, cost }: Pick<Awaited<ReturnType<typeof campaignReport>>, 'messages' | 'cost'>,
): string | null {
  const beyond = truth.acceptedCount - messages.sent;
  const unsaidMicro = truth.chargedMicro - (parseMoney(cost.charged) ?? Number.NaN);
  if (beyond === 0 && unsaidMicro === 0) return 'The report says the same.';
  if (beyond < 0 || beyond > messages.uncertain || !(unsaidMicro > 0)) return null;
  if (beyond > 0)
    return `The report says the same, with ${beyond} of them among the ${messages.uncertain} that it calls uncertain.`;
  return cost.unknown === 0
    ? null
    : `The report says the same, but for ${cost.unknown} of them whose cost nobody told it.`;
}
