import type { WebhookReading } from './contracts.ts';
import type { Config } from '../config/config.ts';
import { typedBack, wishReader } from '../domain/text/opt-out-words.ts';
import { loadProfile } from '../provider/profiles/load-profile.ts';
import { replyHint, webhookParser } from '../provider/webhooks/read-webhook.ts';
import { wordTable } from '../provider/webhooks/report-word-mapping.ts';

/** How webhooks are read under this configuration's profile. Throws `config_invalid` for a profile that is wrong. */
export function webhookReading({ profileFile, country, optOutText }: Config): WebhookReading {
  const { reports, opt_out: optOut } = loadProfile(profileFile);
  const meaningOf = wordTable(reports.words);
  return {
    parse: webhookParser(reports, { country }),
    wishOf: wishReader({ stop: [...optOut.words, ...typedBack(optOutText)], start: optOut.return_words }),
    mayBeReply: replyHint(reports),
    knows: (word) => meaningOf(word).delivery,
  };
}
