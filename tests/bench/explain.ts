import { runSteps } from '@/lib/cooperative/steps';
import { explain } from '@/lib/explain/explain';
import { findReach } from '@/lib/explain/reach/find-reach';
import type { ExplainRequest } from '@/lib/explain/request';
import { newestOf } from '@/lib/xds/profile';
import { RDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../support/builders/resolve-mesh';
import { apiListener, edsCluster, type MeshResource } from '../support/builders/topology-mesh';
import { print } from './measure';

/** One request by a route configuration of which the last route matches. */
const routes = 3_000;
const rounds = 50;

const kinds = [
  (at: number) => ({ prefix: `/service-${at}/` }),
  (at: number) => ({ safeRegex: { regex: `/service-${at}/[a-z]+/\\d+` } }),
  (at: number) => ({ prefix: '/', headers: [{ name: 'x-tenant', stringMatch: { exact: `tenant-${at}` } }] }),
];
const all = Array.from({ length: routes - 1 }, (_, at) => ({
  name: `route-${at}`,
  match: kinds[at % kinds.length]?.(at),
  route: { cluster: 'cart' },
}));
const last = { name: 'last', match: { prefix: '/' }, route: { cluster: 'cart' } };
const body = { name: 'r', virtualHosts: [{ name: 'v', domains: ['*'], routes: [...all, last] }] };
const resources: readonly MeshResource[] = [
  apiListener('shop', { rds: 'r' }),
  { typeUrl: RDS.typeUrl, name: 'r', body },
  edsCluster('cart'),
];
const profile = newestOf('envoy');
const resolver = resolverOver(resources, { start: { listener: 'shop' }, profile });
const config = {
  listener: resolver.listener,
  jsonOf: (key: { typeUrl: string; name: string }) =>
    resources.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body,
  findCluster: (name: string) => resolver.entryOf(name),
};
const request: ExplainRequest = {
  ...{ method: 'GET', scheme: 'http', authority: 'shop.example', path: '/cart/list/1' },
  headers: [['x-tenant', 'other']],
};

interface Round {
  readonly wallMs: number;
  readonly cpuMs: number;
}

let steps = 0;
function explainOnce(): Round {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  steps = explain(config, request, profile).steps.length;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - begin, cpuMs: (user + system) / 1_000 };
}

const first = explainOnce();
const took = Array.from({ length: rounds }, explainOnce);
const median = (of: (round: Round) => number): number =>
  took.map(of).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
const format = ({ wallMs, cpuMs }: Round): string =>
  `${wallMs.toFixed(1)} ms, ${cpuMs.toFixed(1)} ms of processor`;
print(`explain: one request, ${routes} routes of which the last matches, ${steps} steps`);
print(`  the first time: ${format(first)}`);
print(
  `  then, median of ${rounds}: ${format({ wallMs: median((each) => each.wallMs), cpuMs: median((each) => each.cpuMs) })}`,
);

/** Every eighth route is in the shadow of one of the seven before it. */
const reachRoutes = 15_000;
const table = Array.from({ length: reachRoutes }, (_, at) => ({
  name: `route-${at}`,
  matcher: kinds[(at % 8 === 7 ? at - (at % 3) - 3 : at) % 3]?.(at % 8 === 7 ? at - 3 : at) ?? {},
}));
const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
let longest = 0;
let step = performance.now();
const reaching = findReach({
  ...{ routes: table, authority: 'shop.example', accepts: () => true, profile, ignored: new Set() },
});
const timed = (function* () {
  for (;;) {
    const next = reaching.next();
    longest = Math.max(longest, performance.now() - step);
    step = performance.now();
    if (next.done === true) return next.value;
    yield undefined;
  }
})();
const kindsFound = new Map<string, number>();
for (const each of runSteps(timed))
  kindsFound.set(each?.kind ?? '', (kindsFound.get(each?.kind ?? '') ?? 0) + 1);
const { user, system } = process.cpuUsage(cpuBefore);
print(`reachability: ${reachRoutes} routes: ${[...kindsFound].map((pair) => pair.join(' ')).join(', ')}`);
print(
  `  ${(performance.now() - began).toFixed(0)} ms, ${((user + system) / 1_000).toFixed(0)} ms of processor; longest step ${longest.toFixed(0)} ms`,
);
