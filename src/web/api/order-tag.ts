import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { ApiError } from './problem.ts';

/** The `ETag` of what orders change of a campaign; its progress is no part of it. */
export function orderTag({ campaign, state, reason, budgetMicro }: CampaignOverview): string {
  const { sender, startAt, settings } = campaign;
  const facts = [campaign.id, state, reason, budgetMicro, sender, startAt, settings.ratePerSecond];
  return `"${hash('sha256', JSON.stringify(facts), 'base64url').slice(0, 22)}"`;
}

/** Refuses (ApiError `changed`) a request about something that is another by now. No `If-Match`: it does not race. */
export function requireMatch({ headers }: FastifyRequest, tag: string): void {
  const given = headers['if-match'];
  if (given === undefined || given === '*') return;
  if (given.split(',').some((each) => each.trim() === tag)) return;
  throw new ApiError('changed', 'It changed after it was looked at. Nothing was done.');
}
