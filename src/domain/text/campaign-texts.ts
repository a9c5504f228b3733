import type { Campaign } from '../campaign.ts';
import { seriesTemplates, type SeriesTemplates } from './series-templates.ts';
import { wordsFor } from './template-words.ts';

/** The text of a launched campaign, and those of its series. The text that the provider appends is not part of it. */
export function campaignTexts({
  name,
  template,
  settings,
}: Pick<Campaign, 'name' | 'template' | 'settings'>): SeriesTemplates {
  const { header, columns, gsmSafe, remind } = settings;
  const options = { source: template, file: name, header, columns, gsmSafe, words: wordsFor(settings) };
  return seriesTemplates(options, remind?.texts);
}
