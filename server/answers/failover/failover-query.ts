import type { FailoverQuestion } from '@/lib/api/failover';
import { resolvedQuery } from '@/lib/questions/resolved-query';
import { badRequest } from '../../api-error';
import type { ClientRef } from '../../subjects/client-ref';
import { parseInput } from '../parse-input';
import type { ResolvedQuery } from '../resolved/resolved-questions';
import type { PlayQuestion } from './failover-builder';

export interface ParsedPlay {
  readonly resolved: ResolvedQuery;
  readonly about: PlayQuestion;
  /** The client that has the cluster. */
  readonly ref: ClientRef;
}

export function parsePlay(question: FailoverQuestion): ParsedPlay {
  const { client, permalink, clientKind, cluster, changes, seconds, find, at, ...start } = question;
  if ((client === undefined) === (permalink === undefined)) {
    throw badRequest('expected either client or permalink');
  }
  if (permalink !== undefined && at !== undefined) {
    throw badRequest('expected no at with a permalink, which is a snapshot of one moment');
  }
  const ref = client === undefined ? { permalinkId: permalink ?? '' } : { clientId: client, at };
  const resolved = parseInput(resolvedQuery, { ...start, profile: clientKind });
  return { resolved, about: { cluster, kind: clientKind, changes, seconds, find }, ref };
}
