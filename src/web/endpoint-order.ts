import type { FastifyRequest } from 'fastify';
import type { AddingOrder } from '../campaign/people/alert-endpoints.ts';
import type { WebEnv } from './web-env.ts';
import { auditName } from './who.ts';

/** What an order about the addresses for alerts needs: the ledger, who gives it, and what raises alerts. */
export async function endpointOrder({ who }: FastifyRequest, env: WebEnv): Promise<AddingOrder> {
  const { lowCreditMicro, alertUncertain: uncertain } = env.config;
  const change = { now: env.clock.now(), by: auditName(who) };
  return { ledger: await env.ledger(), change, limits: { lowCreditMicro, uncertain } };
}
