import type { ClientQuestions } from '@/lib/questions/client-questions';
import type { QueryOf } from '@/lib/questions/question';
import { resolvedQuery } from '@/lib/questions/resolved-query';
import { type ProfiledClient, profileOfClient } from '@/lib/resolve/client-profile';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { findTrafficTrust, findTrust, type TrustInput } from '@/lib/resolve/validate-row';
import { badRequest } from '../../api-error';
import type { KnownSettings } from '../../subjects/known-settings';
import { parseInput } from '../parse-input';
import type { DrawQuery, ResolvedQuery, ResolverQuestion } from './resolved-questions';
/** The part of the graph to draw, and the effective config that marks it. */
export type DrawnQuery = Pick<QueryOf<ClientQuestions['graph']>, 'expand'> &
  Partial<QueryOf<ClientQuestions['graph']>>;

/** The properties of a client that a question's defaults depend on. */
export interface ClientDefaults extends ProfiledClient {
  readonly reports: TrustInput['reports'];
  readonly reported: KnownSettings;
}

/** The defaults are the client's own settings. */
export function resolverQuestion(
  { profile: chosen, ...query }: ResolvedQuery,
  client: ClientDefaults,
): ResolverQuestion {
  const { node, reports, reported } = client;
  const { templates, certificateProviders } = reported;
  const profile = chosen ?? profileOfClient(client);
  const trust = findTrust({ profile, userAgentName: node.userAgentName, reports });
  return { ...query, profile, templates, certificateProviders, trust };
}

/** Returns the question of a view about traffic. */
export function trafficQuestion(query: ResolvedQuery, client: ClientDefaults): ResolverQuestion {
  const question = resolverQuestion(query, client);
  const { node, reports } = client;
  const { profile } = question;
  return { ...question, trust: findTrafficTrust({ profile, userAgentName: node.userAgentName, reports }) };
}

/** Returns the graph's query with the question of its marks; throws 400 if the target is not valid. */
export function drawQuery(
  { resolve: listener, target, profile, ...query }: DrawnQuery,
  client: ClientDefaults,
): DrawQuery {
  if (listener === undefined && target === undefined) return query;
  const question = resolverQuestion(parseInput(resolvedQuery, { listener, target, profile }), client);
  if (question.target !== undefined) {
    const parsed = findStartOfTarget(question.target, question.templates ?? undefined);
    if (!parsed.ok) throw badRequest(parsed.message);
  }
  return { ...query, resolve: question };
}
