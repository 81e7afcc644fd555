import type { Resolved } from '@/lib/api/resolved';
import type { PossibleStart } from '@/lib/resolve/find-starts';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import { findStartOfTarget } from '@/lib/resolve/start-of-target';
import type { ResolverQuestion } from './resolved-questions';

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

/** A string says what is wrong with the target; undefined: there is nothing to begin with. */
export function chooseStart(
  { target, listener, templates }: Pick<ResolverQuestion, 'target' | 'listener' | 'templates'>,
  first: string | undefined,
): ResolveStart | string | undefined {
  if (target !== undefined) {
    const parsed = findStartOfTarget(target, templates ?? undefined);
    return parsed.ok ? { listener: parsed.listener, authority: parsed.authority } : parsed.message;
  }
  const name = listener ?? first;
  return name === undefined ? undefined : { listener: name, authority: null };
}
