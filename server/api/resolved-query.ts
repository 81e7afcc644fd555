import { z } from 'zod';
import { parseTablePages } from '@/lib/api/table-pages';
import { clientKinds } from '@/lib/lb/client-kind';
import { type ProfiledClient, profileOfClient } from '@/lib/resolve/client-profile';
import { findTrafficTrust, findTrust, type TrustInput } from '@/lib/resolve/judge-row';
import { errorModels, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import type { GraphQuery } from './api';
import { badRequest } from './api-error';
import type { DrawQuery } from './graph-maker';
import { parseInput } from './parse-input';
import type { ResolverQuestion } from './resolved-questions';
import type { ToldClient } from './told-client';

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const tablePages = z.coerce
  .string()
  .default('')
  .transform((text, { issues }) => {
    const pages = parseTablePages(text);
    if (pages !== undefined) return pages;
    const message = 'expected a row, or tables with theirs as in "0:100,2:200", at most 100 of them';
    issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  });

/** The query of GET .../resolved, as the URL says it. */
const resolvedQuery = z.object({
  target: z.string().min(1).max(4096).optional(),
  listener: z.string().max(4096).optional(),
  /** By default what the node's user agent tells. */
  profile: z.enum(resolveProfiles).optional(),
  /** By default as the measured clients do, none of which follows gRFC A88 by itself. */
  errors: z.enum(errorModels).default('pre-a88'),
  at: z.string().max(100).optional(),
  offset: count(0, 10_000_000).default(0),
  limit: count(0, 1_000).default(200),
  find: z.string().max(4096).default(''),
  cluster: z.string().max(4096).optional(),
  status: z.enum(resolvedClusterStatuses).optional(),
  endpoints: count(0, 1_000).default(100),
  /** Of `starts`, only listeners whose names hold this. */
  starts: z.string().max(4096).default(''),
  /** Where the listed virtual hosts begin, in each chain; and the listed routes, in each virtual host. */
  hostsFrom: tablePages,
  routesFrom: tablePages,
});

/** The query of GET .../tears, as the URL says it. */
export const tearsQuery = resolvedQuery
  .pick({ target: true, listener: true, profile: true, errors: true })
  .extend({
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
    /** Only those that began after, or before: the ones nearest to that moment are listed. */
    beganAfter: z.iso.datetime({ offset: true }).optional(),
    beganBefore: z.iso.datetime({ offset: true }).optional(),
    limit: count(1, 500).default(500),
  });

/** The query of GET .../failovers, as the URL says it. */
const failoversQuery = resolvedQuery
  .pick({ target: true, listener: true, errors: true, cluster: true })
  .extend({
    'client-kind': z.enum(clientKinds).optional(),
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
    limit: count(1, 500).default(500),
  });

export function parseFailoversQuery(input: unknown): z.infer<typeof failoversQuery> {
  const query = parseInput(failoversQuery, input);
  assertOneStart(query);
  const { from, to } = query;
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to))
    throw badRequest(`from: expected a time that is not after to, got ${from} and ${to}`, 'from');
  return query;
}

export type ResolvedQuery = z.infer<typeof resolvedQuery>;

/** What of a client decides how a question about it is meant. */
export interface AskedClient extends ProfiledClient {
  /** Who told of it. */
  readonly reports: TrustInput['reports'];
  readonly told: ToldClient;
}

/** What is left out is what the client itself would do. */
export function resolverQuestion(
  { at: _, profile: chosen, ...query }: ResolvedQuery,
  client: AskedClient,
): ResolverQuestion {
  const { node, reports, told } = client;
  const { templates, certificateProviders } = told;
  const profile = chosen ?? profileOfClient(client);
  const trust = findTrust({ profile, userAgentName: node.userAgentName, reports });
  return { ...query, profile, templates, certificateProviders, trust };
}

/** Of where traffic goes. */
export function trafficQuestion(query: ResolvedQuery, client: AskedClient): ResolverQuestion {
  const question = resolverQuestion(query, client);
  const { node, reports } = client;
  const { profile } = question;
  return { ...question, trust: findTrafficTrust({ profile, userAgentName: node.userAgentName, reports }) };
}

export function parseTearsQuery(input: unknown): z.infer<typeof tearsQuery> {
  const query = parseInput(tearsQuery, input);
  assertOneStart(query);
  return query;
}

export function parseResolvedQuery(input: unknown): ResolvedQuery {
  const query = parseInput(resolvedQuery, input);
  assertOneStart(query);
  return query;
}

function assertOneStart(query: { readonly target?: string; readonly listener?: string }): void {
  if (query.target !== undefined && query.listener !== undefined) {
    throw badRequest('expected target or listener, got both');
  }
}

/** The graph's query with its resolve part read; 400 when that is no question. */
export function drawQuery({ resolve, ...query }: GraphQuery, client: AskedClient): DrawQuery {
  if (resolve === undefined) return query;
  const question = resolverQuestion(parseResolvedQuery(resolve), client);
  if (question.target !== undefined) {
    const parsed = findStartOfTarget(question.target, question.templates ?? undefined);
    if (!parsed.ok) throw badRequest(parsed.message);
  }
  return { ...query, resolve: question };
}
