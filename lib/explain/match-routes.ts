import type { FieldReader } from '../model/field-reader';
import type { Match } from '../requests/match';
import { type MatchedRequest, matchRoute } from '../requests/route-match';
import { clientOf } from '../xds/profile';

interface ConsideredRoute {
  readonly index: number;
  readonly match: Match;
}

export interface Candidate {
  /** undefined: no route matches. */
  readonly index: number | undefined;
  /** On what it depends; empty if it is the only one. */
  readonly when: string;
  readonly percent?: number | undefined;
}

export interface RoutesMatched {
  /** Up to the first one that matches for certain. */
  readonly considered: readonly ConsideredRoute[];
  /** At least one. */
  readonly candidates: readonly Candidate[];
}

export function nameRoute(route: FieldReader | undefined, index: number): string {
  return route?.string('name') || `route ${index + 1}`;
}

/** "The first route that matches will be used." `ignored`: the reasons why the client does not use routes, by index. */
export function matchRoutes(
  routes: readonly FieldReader[],
  of: MatchedRequest,
  ignored: ReadonlyMap<number, string>,
): RoutesMatched {
  const considered: ConsideredRoute[] = [];
  const possible: { readonly index: number | undefined; readonly match: Match | undefined }[] = [];
  let isCertain = false;
  for (const [index, route] of routes.entries()) {
    const dropped = ignored.get(index);
    const rules = route.object('match');
    const match: Match =
      dropped !== undefined
        ? { verdict: 'no-match', reason: dropped, path: '' }
        : rules === undefined
          ? { verdict: 'no-match', reason: 'the route has no match', path: 'match' }
          : matchRoute(rules, of);
    considered.push({ index, match });
    if (match.verdict === 'no-match') continue;
    possible.push({ index, match });
    isCertain = match.verdict === 'match';
    if (isCertain) break;
  }
  if (!isCertain) possible.push({ index: undefined, match: undefined });
  return { considered, candidates: candidatesOf(routes, possible, of) };
}

/**
 * The share of each candidate, as long as each before it takes a known share at random. Envoy compares all fractions
 * of a request with one random number; gRPC draws one for each.
 */
function candidatesOf(
  routes: readonly FieldReader[],
  possible: readonly { readonly index: number | undefined; readonly match: Match | undefined }[],
  { profile }: MatchedRequest,
): Candidate[] {
  const isEnvoy = clientOf(profile) === 'envoy';
  let left: number | undefined = 100;
  let reached = 0;
  return possible.map(({ index, match }, at) => {
    if (possible.length === 1) return { index, when: '' };
    const own = match?.verdict === 'depends' ? match : undefined;
    let percent: number | undefined;
    if (left !== undefined) {
      if (own === undefined) percent = left;
      else if (own.percent === undefined) left = undefined;
      else {
        percent = isEnvoy ? Math.max(0, own.percent - reached) : (left * own.percent) / 100;
        reached = Math.max(reached, own.percent);
        left = isEnvoy ? 100 - reached : left - percent;
      }
    }
    const before = possible[at - 1]?.index;
    const name = index === undefined ? 'no route' : nameRoute(routes[index], index);
    const when =
      own === undefined
        ? `${before === undefined ? '' : `${nameRoute(routes[before], before)} does not match: `}${name}`
        : `${name} matches: ${own.reason}`;
    return { index, when, ...(percent !== undefined && { percent }) };
  });
}
