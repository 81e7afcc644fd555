import type { ClusterModel } from '../model/cluster';
import { clientOf, type Profile } from '../xds/profile';
import { normaliseResourceName } from '../xds/resource-name';

export type MemberState =
  | { readonly kind: 'known'; readonly model: ClusterModel }
  | { readonly kind: 'error'; readonly reason: string }
  | { readonly kind: 'waiting' };

interface FlatAggregate {
  readonly leafClusters: readonly string[];
  /** Members without data. */
  readonly waiting: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Paths such as "a > b > a". */
  readonly cycles: readonly string[];
  /** The reason why the whole aggregate fails; empty if it does not. */
  readonly error: string;
  /** Every cluster that was visited, the aggregate included. */
  readonly visited: ReadonlySet<string>;
}

/** gRFC A37: maximum nesting depth of clusters. */
export const maxAggregateDepth = 16;

/**
 * Leaves of an aggregate in the order in which they are tried: depth first; a repeated leaf keeps its first place.
 * Failed members are skipped (gRFC A74). The whole aggregate fails if it is nested deeper than 16 levels, has no
 * leaf, has a failed member (Go) or a cycle (Java). Members without data are left out, and the caller waits for them.
 */
export function flattenAggregate(
  root: string,
  stateOf: (name: string) => MemberState,
  profile: Profile,
): FlatAggregate {
  const leaves = new Set<string>();
  const skipped = new Map<string, string>();
  const cycles = new Set<string>();
  const visited = new Set<string>();
  let isTooDeep = false;
  const waiting = new Set<string>();

  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      cycles.add([...path.slice(path.indexOf(name)), name].join(' > '));
      return;
    }
    if (path.length >= maxAggregateDepth) {
      isTooDeep = true;
      return;
    }
    // Its leaves are already in the list. The depth is checked again, because this path can be longer.
    visited.add(name);
    const state = stateOf(name);
    if (state.kind === 'error') skipped.set(name, state.reason);
    else if (state.kind === 'waiting') waiting.add(name);
    else if (state.model.discovery.kind !== 'aggregate') leaves.add(name);
    else {
      const below = [...path, name];
      for (const member of new Set(state.model.discovery.clusters.map(normaliseResourceName))) {
        if (budget-- > 0) visit(member, below);
      }
    }
  };
  // Maximum number of steps. Repeated diamonds have exponentially many paths.
  let budget = 100_000;
  visit(root, []);

  const error = findError();
  return {
    waiting: [...waiting],
    leafClusters: error === '' ? [...leaves] : [],
    skipped: [...skipped].map(([name, reason]) => ({ name, reason })),
    cycles: [...cycles],
    error,
    visited,
  };

  function findError(): string {
    if (isTooDeep) return `aggregate cluster "${root}" nests deeper than ${maxAggregateDepth} levels`;
    if (budget <= 0) return `aggregate cluster "${root}" branches into more paths than can be followed`;
    const reported = [...cycles].join('; ');
    if (clientOf(profile) === 'java' && reported !== '')
      return `aggregate cluster "${root}" has a cycle: ${reported}`;
    const [failed] = skipped;
    if (clientOf(profile) === 'go' && failed !== undefined) {
      const [member, reason] = failed;
      return `aggregate cluster "${root}" fails as a whole in Go, because member "${member}" does: ${reason}`;
    }
    if (leaves.size > 0 || waiting.size > 0) return '';
    const why = [
      reported === '' ? '' : `cycle ${reported}`,
      ...[...skipped].map(([name, reason]) => `${name}: ${reason}`),
    ].filter((part) => part !== '');
    return `aggregate cluster "${root}" has no leaf clusters${why.length === 0 ? '' : ` (${why.join('; ')})`}`;
  }
}
