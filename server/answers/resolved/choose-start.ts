import type { PossibleStart } from '@/lib/resolve/find-starts';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import type { Resolved } from '@/lib/views/resolved/schema';
import { badRequest } from '../../api-error';
import type { Judging, ResolverQuestion } from './resolved-questions';

/** A client may hold thousands of listeners. */
const startsListed = 200;

export function pageOfStarts(
  all: readonly PossibleStart[],
  find: string,
): Pick<Resolved, 'starts' | 'startsTotal'> {
  const wanted = find.toLowerCase();
  const found = wanted === '' ? all : all.filter(({ listener }) => listener.toLowerCase().includes(wanted));
  return { starts: found.slice(0, startsListed), startsTotal: found.length };
}

/** Returns undefined if the config has no listener. Throws 400 if the target is not valid. */
export function chooseStart(
  { target, listener, templates }: Pick<ResolverQuestion, 'target' | 'listener' | 'templates'>,
  first: string | undefined,
): ResolveStart | undefined {
  if (target !== undefined) {
    const parsed = findStartOfTarget(target, templates ?? undefined);
    if (!parsed.ok) throw badRequest(parsed.message);
    return { listener: parsed.listener, authority: parsed.authority };
  }
  const name = listener ?? first;
  return name === undefined ? undefined : { listener: name };
}

/**
 * Returns the question about a config that begins at `start`. Only Envoy forwards the requests of a socket listener:
 * unless the client is known to be a gRPC client, such a config is resolved as Envoy resolves it.
 */
export function questionOf<Question extends Pick<ResolverQuestion, keyof Judging | 'ofSocket'>>(
  query: Question,
  start: ResolveStart | undefined,
  starts: readonly PossibleStart[],
): Question {
  const kind = starts.find(({ listener }) => listener === start?.listener)?.kind;
  return kind === 'server' ? { ...query, ...query.ofSocket } : query;
}
