import fc from 'fast-check';
import { explain } from '@/lib/explain/explain';
import type { ExplainRequest } from '@/lib/requests/request';
import type { Profile } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import { edsCluster, endpoints, type MeshResource } from '../../support/builders/topology-mesh';
import { startBackend } from '../backend';
import { grpcJsXds } from '../grpc-js-xds/peer';
import { profileOfPeer } from '../peer-profile';
import { runScripted, type ScriptedRunOptions } from '../scripted-run';
import { firstSeed } from './run';

export const chapter = 'grpc-requests';

const pairs = 300;
const listed = 20;
/** Fewer would show little. Further seeds add to what the first one has enough of. */
const leastAborted = 25;
/** More are no accident of a busy machine. */
const mostRepeated = 3;
/** A channel resolves its target in parallel with others, but not with hundreds. */
const atOnce = 10;

/** The RPC that the programs of all clients send; none sends metadata. */
const method = '/peers.Echo/Ping';
const clusters = ['c0', 'c1', 'c2'] as const;
const oneOf = fc.constantFrom;

type Json = Readonly<Record<string, unknown>>;

const pathSpecifier: fc.Arbitrary<Json> = fc.oneof(
  oneOf('', '/', '/peers.Echo/', '/peers.Echo/P', '/PEERS.Echo/', '/other.Echo/').map((prefix) => ({
    prefix,
  })),
  oneOf(method, '/peers.echo/ping', '/peers.Echo/Pin', '/peers.Echo/Ping/').map((path) => ({ path })),
  oneOf('/peers.Echo/.*', '/peers.Echo/Pin', '.*Ping', '/peers\\.(Echo|Other)/[A-Z][a-z]+', '/.*/ping').map(
    (regex) => ({ safeRegex: { regex } }),
  ),
);

/** The forms of string_match are left out: grpc-js does not read them. */
const headerMatcher: fc.Arbitrary<Json> = fc
  .record({
    name: oneOf(
      'content-type',
      'x-color',
      'user-agent',
      'grpc-timeout',
      'x-bin',
      ':path',
      ':authority',
      'te',
    ),
    rule: fc.oneof(
      oneOf('application/grpc', 'text/plain').map((exactMatch) => ({ exactMatch })),
      oneOf('application/', 'text/').map((prefixMatch) => ({ prefixMatch })),
      oneOf('grpc', 'plain').map((suffixMatch) => ({ suffixMatch })),
      oneOf('application/.*', 'grpc', '.*').map((regex) => ({ safeRegexMatch: { regex } })),
      fc.boolean().map((presentMatch) => ({ presentMatch })),
      fc.constant({ rangeMatch: { start: '0', end: '10' } }),
    ),
    isInverted: oneOf(false, false, true),
  })
  .map(({ name, rule, isInverted }) => ({ name, ...rule, ...(isInverted && { invertMatch: true }) }));

const route: fc.Arbitrary<Json> = fc
  .record({
    path: pathSpecifier,
    caseSensitive: oneOf(undefined, undefined, true, false),
    headers: fc.oneof(fc.constant([]), fc.array(headerMatcher, { minLength: 1, maxLength: 2 })),
    more: oneOf<Json>(
      ...[{}, {}, {}, {}, {}, { queryParameters: [{ name: 'q' }] }, { grpc: {} }],
      ...[0, 100].map((numerator) => ({ runtimeFraction: { defaultValue: { numerator } } })),
    ),
    action: fc.oneof(
      { weight: 5, arbitrary: oneOf(...clusters).map((cluster): Json => ({ route: { cluster } })) },
      {
        weight: 1,
        arbitrary: oneOf(...clusters).map((name): Json => {
          const weighted = [
            { name, weight: 5 },
            { name: 'c0', weight: 0 },
          ];
          return { route: { weightedClusters: { clusters: weighted } } };
        }),
      },
      {
        weight: 1,
        arbitrary: oneOf<Json>({ nonForwardingAction: {} }, { route: { clusterHeader: 'x-color' } }),
      },
    ),
  })
  .map(({ path, caseSensitive, headers, more, action }) => ({
    match: {
      ...path,
      ...more,
      ...(caseSensitive !== undefined && !('safeRegex' in path) && { caseSensitive }),
      ...(headers.length > 0 && { headers }),
    },
    ...action,
  }));

const faultType = 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault';
/** gRFC A33: the client itself aborts the RPC. */
const fault: fc.Arbitrary<Json> = fc
  .record({
    status: oneOf({ httpStatus: 503 }, { httpStatus: 404 }, { grpcStatus: 7 }, { headerAbort: {} }),
    numerator: oneOf(0, 100),
    headers: fc.oneof(fc.constant([]), fc.array(headerMatcher, { minLength: 1, maxLength: 1 })),
  })
  .map(({ status, numerator, headers }) => ({
    '@type': faultType,
    abort: { ...status, percentage: { numerator, denominator: 'HUNDRED' } },
    ...(headers.length > 0 && { headers }),
  }));

/** A pattern of a domain in which "T" stands for the name of the target. */
const domains = ['T', '*', '*.example', 'T.*', '*T', 'other', 'UPPER', '*.EXAMPLE', 't*', '*-x.example'];

const overridden = fc
  .record({ own: route, fault: fc.option(fault, { freq: 2 }) })
  .map(({ own, fault }) => (fault === null ? own : { ...own, typedPerFilterConfig: { fault } }));
const hosts = fc.uniqueArray(
  fc.record({
    domain: oneOf(...domains),
    routes: fc.array(overridden, { minLength: 1, maxLength: 5 }),
    fault: fc.option(fault, { freq: 3 }),
  }),
  { minLength: 1, maxLength: 4, selector: ({ domain }) => domain.toLowerCase() },
);
const targets = fc.record({ hosts, fault: fc.option(fault, { freq: 2 }) });

interface DrawnTarget {
  readonly hosts: readonly DrawnHost[];
  /** The config of the fault filter; null: there is none, and overrides of it have no effect. */
  readonly fault: Json | null;
}

/** One target for each of the 300 pairs of a seed. The name of a target is the authority of its channel. */
export async function runGrpcRequests(
  options: ScriptedRunOptions & { readonly seed: number },
): Promise<void> {
  const { peer, prepared, seed, print } = options;
  const profile = profileOfPeer(peer, prepared);
  await runScripted(chapter, options, async (scripted) => {
    const backends = await Promise.all(clusters.map(() => startBackend('grpc')));
    scripted.stopAtEnd(() => backends.forEach(({ close }) => void close()));
    const clusterOf = new Map(backends.map(({ port }, at) => [String(port), clusters[at] ?? '']));
    const ofClusters = backends.flatMap(({ port }, at): MeshResource[] => {
      const name = clusters[at] ?? '';
      return [edsCluster(name), endpoints(name, [{ zone: 'a', endpoints: [`127.0.0.1:${port}`] }])];
    });
    const listeners = fc
      .sample(targets, { seed, numRuns: pairs })
      .map((drawn, at) => listenerOf(`t${at}.example`, drawn, peer === grpcJsXds));
    await scripted.serve([...listeners, ...ofClusters]);
    const { burst } = await scripted.startClient({ targets: [] });
    if (burst === undefined) throw new Error(`expected a client that sends RPCs, got ${peer.name}`);
    const differences: string[] = [];
    const answers = new Map<string, number>();
    let [aborted, repeated] = [0, 0];
    const left = [...listeners];
    const send = async (name: string): Promise<string> => {
      const [answer = ''] = Object.keys(await burst(`xds:///${name}`, 1));
      return clusterOf.get(answer) ?? 'fails';
    };
    const sendNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const { expected, why, isAborted } = explainIn([next, ...ofClusters], next.name, profile);
        const first = await send(next.name);
        // An RPC can miss its deadline on a busy machine; a config fails each of them.
        const isRepeated = first === 'fails' && expected !== 'fails';
        if (isRepeated) repeated += 1;
        const observed = isRepeated ? await send(next.name) : first;
        answers.set(observed, (answers.get(observed) ?? 0) + 1);
        if (isAborted) aborted += 1;
        if (observed !== expected)
          differences.push(
            `${next.name}: explained ${expected} (${why}), observed ${observed}: ${JSON.stringify(next.body)}`,
          );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sendNext));
    const counts = [...answers].sort().map(([name, count]) => `${name} ${count}`);
    print(
      `${chapter}, ${scripted.title}, seed ${seed}: ${pairs} pairs, ${differences.length} differences; ${counts.join(', ')}, of which a fault filter aborts ${aborted}; ${repeated} sent again`,
    );
    if (repeated > mostRepeated)
      throw new Error(
        `expected at most ${mostRepeated} RPCs that fail unexpectedly at first, got ${repeated}`,
      );
    if (seed === firstSeed && aborted < leastAborted)
      throw new Error(`expected ${leastAborted} RPCs or more that a fault filter aborts, got ${aborted}`);
    if (differences.length > 0) throw new Error(differences.slice(0, listed).join('\n'));
    scripted.pass('pairs');
  });
}

interface DrawnHost {
  readonly domain: string;
  readonly routes: readonly Json[];
  readonly fault: Json | null;
}

/** grpc-js-xds 1.14.1 ends at a client's route with non_forwarding_action, which it then does not get. */
function withoutCrash({ routes, ...host }: DrawnHost): DrawnHost {
  return {
    ...host,
    routes: routes.map(({ nonForwardingAction, ...rest }) =>
      nonForwardingAction === undefined ? rest : { ...rest, route: { clusterHeader: 'x-color' } },
    ),
  };
}

function listenerOf(name: string, { hosts, fault }: DrawnTarget, isNode: boolean): MeshResource {
  const drawn = isNode ? hosts.map(withoutCrash) : hosts;
  const virtualHosts = drawn.map(({ domain, routes, fault: own }, at) => ({
    ...{ name: `h${at}`, routes },
    ...(own !== null && { typedPerFilterConfig: { fault: own } }),
    domains: [domain === 'UPPER' ? name.toUpperCase() : domain.replace(/T(?!.*EXAMPLE)/, name)],
  }));
  const filters = 'type.googleapis.com/envoy.extensions.filters';
  const router = { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } };
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    routeConfig: { name, virtualHosts },
    httpFilters: [...(fault === null ? [] : [{ name: 'fault', typedConfig: fault }]), router],
  };
  return { typeUrl: LDS.typeUrl, name, body: { name, apiListener: { apiListener: manager } } };
}

function explainIn(
  resources: readonly MeshResource[],
  target: string,
  profile: Profile,
): { readonly expected: string; readonly why: string; readonly isAborted: boolean } {
  const resolver = resolverOver(resources, { start: { listener: target, authority: target }, profile });
  const request: ExplainRequest = {
    ...{ method: 'POST', scheme: 'http', authority: target, path: method },
    // The RPCs of the programs have a deadline.
    headers: [['grpc-timeout', '10S']],
  };
  const { branches } = explain(
    {
      listener: resolver.listener,
      jsonOf: (key) => resources.find((each) => each.typeUrl === key.typeUrl && each.name === key.name)?.body,
      findCluster: (name) => resolver.entryOf(name),
    },
    request,
    profile,
  );
  const [branch, ...more] = branches;
  if (branch === undefined || more.length > 0) throw new Error(`expected one branch, got ${branches.length}`);
  const { kind, cluster, route: chosen = 'no route', text, filter } = branch;
  const expected = kind === 'forwarded' ? (cluster ?? '') : kind === 'failed' ? 'fails' : kind;
  return { expected, why: `${chosen}: ${text}`, isAborted: filter !== undefined };
}
