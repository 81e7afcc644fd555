import { z } from 'zod';
import { failoverQuestion } from '@/lib/api/failover';
import { clientKinds } from '@/lib/lb/client-kind';
import { badRequest } from './api-error';
import type { LbTreeQuestion, PlayQuestion } from './failover-maker';
import { parseInput } from './parse-input';
import { parseResolvedQuery, type ResolvedQuery } from './resolved-query';

const text = z.string().max(4_096);

/** The query of GET .../lb-tree, as the URL says it. */
const lbTreeQuery = z.object({
  target: text.min(1).optional(),
  listener: text.optional(),
  at: z.string().max(100).optional(),
  cluster: text.min(1).optional(),
  'client-kind': z.enum(clientKinds).optional(),
  /** A policy of the tree, by its id. */
  node: z.string().max(100_000).optional(),
  find: text.default(''),
});

export interface ParsedLbTree {
  readonly resolved: ResolvedQuery;
  readonly about: LbTreeQuestion;
}

export interface ParsedPlay {
  readonly resolved: ResolvedQuery;
  readonly about: PlayQuestion;
  /** Whose cluster. */
  readonly whose: { readonly client: string } | { readonly permalink: string };
}

/** Whose manners are asked about decides how the config is resolved, too. */
export function parseLbTreeQuery(input: unknown): ParsedLbTree {
  const { 'client-kind': kind, node, find, cluster, ...rest } = parseInput(lbTreeQuery, input);
  return { resolved: parseResolvedQuery({ ...rest, profile: kind }), about: { cluster, kind, node, find } };
}

export function parsePlay(input: unknown): ParsedPlay {
  const { client, permalink, clientKind, cluster, changes, seconds, find, ...rest } = parseInput(
    failoverQuestion,
    input,
  );
  if ((client === undefined) === (permalink === undefined)) {
    throw badRequest('expected either client or permalink');
  }
  if (permalink !== undefined && rest.at !== undefined) {
    throw badRequest('expected no at with a permalink: it is of one moment');
  }
  const whose = client === undefined ? { permalink: permalink ?? '' } : { client };
  const resolved = parseResolvedQuery({ ...rest, profile: clientKind });
  return { resolved, about: { cluster, kind: clientKind, changes, seconds, find }, whose };
}
