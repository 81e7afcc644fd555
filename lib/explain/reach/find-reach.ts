import type { Steps } from '../../cooperative/steps';
import { FieldReader } from '../../model/field-reader';
import { type ExplainRequest, headersOf } from '../../requests/request';
import { matchRoute } from '../../requests/route-match';
import { clientOf, type Profile } from '../../xds/profile';
import { matchRoutes, nameRoute } from '../match-routes';
import { containsMatch } from './containment';
import { RouteIndex } from './route-index';
import { type PartValues, type Point, partValuesOf, requestOf } from './witness-parts';

/** States whether requests reach a route. A witness is a request that the route's own matcher matches. */
export type Reach =
  /** The route takes its witness, or a share of such requests. */
  | { readonly kind: 'reached'; readonly witness: ExplainRequest }
  /** No request reaches it. `by`: the index of the route that takes the witness and contains the matcher. */
  | {
      readonly kind: 'never';
      readonly by?: number;
      readonly witness?: ExplainRequest;
      readonly reason: string;
    }
  /** Neither is proven. `by` takes the witness, if one is found. */
  | {
      readonly kind: 'perhaps';
      readonly by?: number;
      readonly witness?: ExplainRequest;
      readonly reason: string;
    };

interface ReachInput {
  /** In order. */
  readonly routes: readonly { readonly name: string; readonly matcher?: object }[];
  /** The authority of the witnesses; `accepts`: another one selects the same virtual host. */
  readonly authority: string;
  readonly accepts: (authority: string) => boolean;
  readonly profile: Profile;
  /** The indexes of routes that the client does not use. */
  readonly ignored: ReadonlySet<number>;
}

/** The requests that are tried for one route. */
const mostTried = 64;
/** Limits the comparisons for one virtual host: some seconds. */
const mostWork = 1_000_000;

/** By index; undefined for a route that is ignored. */
export function* findReach(input: ReachInput): Steps<readonly (Reach | undefined)[]> {
  const finder = new ReachFinder(input);
  const found: (Reach | undefined)[] = [];
  for (const index of input.routes.keys()) {
    found.push(input.ignored.has(index) ? undefined : finder.decide(index));
    if (index % routesPerStep === 0) yield;
  }
  return found;
}

const routesPerStep = 16;
const none: ReadonlyMap<number, string> = new Map();

class ReachFinder {
  readonly #routes: readonly FieldReader[];
  readonly #matches: readonly (FieldReader | undefined)[];
  readonly #index: RouteIndex;
  readonly #profile: Profile;
  readonly #base: Point;
  readonly #accepts: ReachInput['accepts'];
  #work = 0;

  constructor({ routes, authority, accepts, profile, ignored }: ReachInput) {
    this.#profile = profile;
    this.#accepts = accepts;
    const isEnvoy = clientOf(profile) === 'envoy';
    this.#base = new Map([
      ['method', isEnvoy ? 'GET' : 'POST'],
      ['scheme', 'http'],
      ['authority', authority],
      ['path', isEnvoy ? '/' : '/x/x'],
    ]);
    this.#routes = routes.map(({ name, matcher }) => FieldReader.open({ name, match: matcher }, []));
    this.#matches = this.#routes.map((route, at) => (ignored.has(at) ? undefined : route.object('match')));
    const isAbsent = headersOf(requestOf(this.#base), profile);
    this.#index = new RouteIndex(this.#matches, (name) => isAbsent(name).kind === 'absent');
  }

  decide(index: number): Reach {
    const match = this.#matches[index];
    if (match === undefined) return { kind: 'never', reason: 'the route has no match' };
    if (this.#work > mostWork)
      return {
        kind: 'perhaps',
        reason: 'the virtual host has too many routes that are alike to compare all',
      };
    const own = partValuesOf(match, this.#profile);
    let open: Reach | undefined;
    let mismatch = '';
    const points = [startOf(this.#base, own)];
    const seen = new Set(points.map(keyOf));
    const expand = (from: Point, parts: readonly PartValues[]): void => {
      for (const { part, values } of parts)
        for (const value of [...own.filter((each) => each.part === part), { values }].flatMap(
          ({ values: each }) => each,
        )) {
          if (value === undefined && this.#base.has(part)) continue;
          if (part === 'authority' && value !== undefined && !this.#accepts(value)) continue;
          const next = withValue(from, part, value);
          const key = keyOf(next);
          if (seen.has(key) || seen.size >= mostTried) continue;
          seen.add(key);
          points.push(next);
        }
    };
    for (const point of points) {
      const witness = requestOf(point);
      const of = { request: witness, find: headersOf(witness, this.#profile), profile: this.#profile };
      this.#work += 1;
      const result = matchRoute(match, of);
      if (result.verdict === 'no-match') {
        if (result.path === 'match.runtimeFraction') return { kind: 'never', reason: result.reason };
        mismatch ||= result.reason;
        expand(point, own);
        continue;
      }
      const { routes: before, work } = this.#index.find(point, index);
      this.#work += work;
      const indexes = [...before, index];
      const { considered, candidates } = matchRoutes(
        indexes.map((at) => this.#routes[at] as FieldReader),
        of,
        none,
      );
      const mine = candidates.find((each) => each.index === before.length);
      const depends = considered.find(
        (each) => each.index < before.length && each.match.verdict === 'depends' && !isShare(each.match.path),
      );
      if (mine !== undefined && depends === undefined && mine.percent !== 0) {
        if (result.verdict === 'match' || isShare(result.path)) return { kind: 'reached', witness };
        open ??= { kind: 'perhaps', witness, reason: result.reason };
        continue;
      }
      const last = considered.findLast(
        (each) => each.index < before.length && each.match.verdict !== 'no-match',
      );
      const by = before[depends?.index ?? last?.index ?? 0] ?? 0;
      const taker = this.#matches[by];
      const name = nameOf(this.#routes[by], by);
      if (mine === undefined && taker !== undefined && containsMatch(taker, match, this.#profile))
        return {
          ...{ kind: 'never', by, witness },
          reason: `an earlier route takes all of its requests: ${name}`,
        };
      const dependent = depends?.match.verdict === 'depends' ? depends.match.reason : undefined;
      open ??= {
        ...{ kind: 'perhaps', by, witness },
        reason:
          dependent === undefined
            ? `no request is found that reaches it: ${name} takes those that were tried`
            : `${name} comes before it, and ${dependent}`,
      };
      if (taker !== undefined) expand(point, partValuesOf(taker, this.#profile).map(ofPath(own)));
    }
    return open ?? { kind: 'perhaps', reason: `no request is found that it matches: ${mismatch}` };
  }
}

/** The share of requests by which a fraction lets others pass. */
function isShare(path: string): boolean {
  return path === 'match.runtimeFraction';
}

/** Paths of another route's condition are not tried: only its own lead to the route. */
function ofPath(own: readonly PartValues[]): (each: PartValues) => PartValues {
  return (each) =>
    each.part === 'path' && own.some(({ part, values }) => part === 'path' && values.length > 0)
      ? { part: 'path', values: [] }
      : each;
}

function startOf(base: Point, own: readonly PartValues[]): Point {
  let point = base;
  const set = new Set<string>();
  for (const { part, values } of own) {
    const [first] = values;
    if (values.length === 0 || set.has(part)) continue;
    set.add(part);
    if (first !== undefined || !point.has(part)) point = withValue(point, part, first);
  }
  return point;
}

function withValue(point: Point, part: string, value: string | undefined): Point {
  const next = new Map(point);
  if (value === undefined) next.delete(part);
  else next.set(part, value);
  return next;
}

function keyOf(point: Point): string {
  return JSON.stringify([...point].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nameOf(route: FieldReader | undefined, index: number): string {
  return route?.string('name') ? `route ${JSON.stringify(route.string('name'))}` : nameRoute(route, index);
}
