import { runSteps } from '@/lib/cooperative/steps';
import { explain } from '@/lib/explain/explain';
import { findReach } from '@/lib/explain/reach/find-reach';
import type { ExplainRequest } from '@/lib/requests/request';
import { newestOf } from '@/lib/xds/profile';
import { RDS } from '@/lib/xds/resource-type';
import { systemClock } from '@/server/observe';
import { resolverOver } from '../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../support/builders/topology-mesh';
import { openExplainedFleet } from '../support/explained-fleet';
import { measure, print, printFigure, tempDir, verdict } from './measure';

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

/** A cluster whose table is built once: a request then costs what one without a table costs. */
const hashedHosts = 100;
const hashed: readonly MeshResource[] = [
  apiListener('shop', { rds: 'r' }),
  {
    ...{ typeUrl: RDS.typeUrl, name: 'r' },
    body: {
      name: 'r',
      virtualHosts: [
        {
          ...{ name: 'v', domains: ['*'] },
          routes: [
            {
              match: { prefix: '/' },
              route: { cluster: 'cart', hashPolicy: [{ header: { headerName: 'x-tenant' } }] },
            },
          ],
        },
      ],
    },
  },
  { ...edsCluster('cart'), body: { ...edsCluster('cart').body, lbPolicy: 'MAGLEV' } },
  endpoints('cart', [
    { zone: 'z', endpoints: Array.from({ length: hashedHosts }, (_, at) => `10.0.0.${at}:80`) },
  ]),
];
const hashedResolver = resolverOver(hashed, { start: { listener: 'shop' }, profile });
const explainHashed = (): number => {
  const begin = performance.now();
  explain(
    {
      listener: hashedResolver.listener,
      jsonOf: (key) => hashed.find(({ typeUrl, name }) => typeUrl === key.typeUrl && name === key.name)?.body,
      findCluster: (name) => hashedResolver.entryOf(name),
    },
    request,
    profile,
  );
  return performance.now() - begin;
};
const firstHashed = explainHashed();
const thenHashed = Array.from({ length: rounds }, explainHashed).sort((a, b) => a - b)[rounds / 2] ?? 0;
print(`explain: one request to a Maglev cluster of ${hashedHosts} endpoints`);
print(
  `  the first time ${firstHashed.toFixed(1)} ms; then, median of ${rounds}: ${thenHashed.toFixed(1)} ms`,
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
/** The same request for every client of a fleet. */
const clients = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 10_000);
const clustersOfClient = 10;
const asked: ExplainRequest = {
  ...{ method: 'POST', scheme: 'http', authority: 'shop', path: '/shop.Cart9/Add', headers: [] },
};
const clusterNames = Array.from({ length: clustersOfClient }, (_, at) => `cart-${at}`);

/** 22 resources, of which a route configuration is of one config alone. */
function configOf(config: number): MeshResource[] {
  const paths = clusterNames.map((cluster, at) => [`/shop.Cart${at}/`, cluster] as const);
  return [
    apiListener('shop', { rds: 'r' }),
    routeConfig('r', { [`/only-in-${config}/`]: 'cart-0', ...Object.fromEntries(paths) }),
    ...clusterNames.flatMap((cluster) => [
      edsCluster(cluster),
      endpoints(cluster, [{ zone: 'z', endpoints: ['10.0.0.1:1', '10.0.0.2:1'] }]),
    ]),
  ];
}

async function explainFleet(configs: number, aims: { readonly firstMs: number; readonly allMs: number }) {
  const fleet = await openExplainedFleet({ dataDir: tempDir(), clock: systemClock });
  for (let at = 0; at < clients; at++)
    fleet.observe({ clientId: `client-${at}`, resources: configOf(at % configs) });
  await fleet.recorder.flushed();
  // The list of clients is kept up to date while the server runs.
  await fleet.fleet.find();
  const startedAt = performance.now();
  let [firstMs, answers] = [Number.NaN, 0];
  const { wallMs, cpuMs, blockMs, result } = await measure(async () => {
    for (;;) {
      const answer = await fleet.explain({ request: asked });
      answers += 1;
      if (answer.explained > 0 && Number.isNaN(firstMs)) firstMs = performance.now() - startedAt;
      if (answer.isComplete) return answer;
    }
  });
  print(`explain: one request, ${clients} clients with ${configs} different configs of 22 resources`);
  printFigure('first outcomes', verdict(firstMs, aims.firstMs, 'ms'));
  printFigure(`complete, in ${answers} answers`, verdict(wallMs, aims.allMs, 'ms'));
  printFigure(
    'processor',
    `${cpuMs.toFixed(0)} ms; the longest block of the main thread ${blockMs.toFixed(0)} ms`,
  );
  const { explained, groupsTotal, configs: found } = result;
  printFigure('explained', `${explained} clients, ${found} configs, ${groupsTotal} outcomes`);
  await fleet.close();
}

await explainFleet(50, { firstMs: 2_000, allMs: 2_000 });
await explainFleet(clients, { firstMs: 2_000, allMs: 30_000 });
