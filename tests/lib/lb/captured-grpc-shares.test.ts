import { describe, expect, it } from 'vitest';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { type GrpcClient, newestOf } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import captured from '@/tests/fixtures/captures/load-balancing/grpc.json';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import type { MeshResource } from '@/tests/support/builders/topology-mesh';

interface Case {
  readonly name: string;
  /** "B0" is 127.0.0.1:7611. */
  readonly dead: readonly string[];
  /** Calls by backend, or by error. */
  readonly answers: { readonly go: Calls; readonly core?: Calls };
  readonly resources: readonly { readonly '@type': string }[];
}

/** The type of a JSON file has every key of any case. */
type Calls = Readonly<Record<string, number | undefined>>;

const cases: readonly Case[] = captured;
const firstPort = 7611;
/** A port that accepts connections and never answers. */
const hanging = '127.0.0.1:7620';
const afterTheTimer = 12;

const nameFields: Readonly<Record<string, 'name' | 'clusterName'>> = {
  [LDS.typeUrl]: 'name',
  [RDS.typeUrl]: 'name',
  [CDS.typeUrl]: 'name',
  [EDS.typeUrl]: 'clusterName',
};

function meshOf({ resources, name }: Case): MeshResource[] {
  const mesh = resources.map((body): MeshResource => {
    const typeUrl = body['@type'];
    return { typeUrl, name: String(new Map(Object.entries(body)).get(nameFields[typeUrl] ?? 'name')), body };
  });
  if (!name.includes('first leaf does not exist')) return mesh;
  return [...mesh, { typeUrl: CDS.typeUrl, name: 'leaf-missing', clientStatus: 'DOES_NOT_EXIST' }];
}

function simulate(kind: GrpcClient, each: Case): Record<string, number> | string {
  const resolver = resolverOver(meshOf(each), {
    profile: kind,
    start: { listener: 'svc', authority: 'svc' },
  });
  const traffic = trafficOfCluster('cl', newestOf(kind), (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') return traffic;
  // An ejected endpoint is in TRANSIENT_FAILURE for the policy, like one that cannot be reached.
  const ejected = each.name.startsWith('outlier detection') ? ['B0'] : [];
  const down = [...each.dead, ...ejected].map((backend) => addressOf(backend));
  const changes = [
    ...down.map((address) => ({ kind: 'condition', at: 0, target: { address }, to: 'dead' }) as const),
    { kind: 'condition', at: 0, target: { address: hanging }, to: 'slow' } as const,
  ];
  const simulation = openSimulation(traffic.cluster);
  const moment = [...playFailover(simulation, changes, afterTheTimer)].at(-1);
  const shares: Record<string, number> = {};
  let at = 0;
  for (const { endpoints } of simulation.table.localities)
    for (const { address } of endpoints) {
      const load = moment?.grpc.loads.endpoints[at++] ?? 0;
      if (load > 0) shares[backendOf(address)] = 100 * load;
    }
  return shares;
}

const addressOf = (backend: string): string => `127.0.0.1:${firstPort + Number(backend.slice(1))}`;
const backendOf = (address: string): string => `B${Number(address.split(':')[1]) - firstPort}`;

/** Per cent of the calls that were answered. */
function measured(calls: Calls): Record<string, number> {
  const served = Object.entries(calls).flatMap(([backend, count]): [string, number][] =>
    count === undefined || backend.startsWith('ERR') ? [] : [[backend, count]],
  );
  const all = served.reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries(served.map(([backend, count]) => [backend, (100 * count) / all]));
}

describe.each(['go', 'core'] as const)('calls that %s sent to each backend', (kind) => {
  const known = cases.flatMap((each) => {
    const calls = each.answers[kind];
    // Go sends a header that all calls hash to one endpoint; C-core was captured without.
    return calls === undefined || (kind === 'go' && each.name.startsWith('RING_HASH'))
      ? []
      : [{ each, calls }];
  });

  it.each(known.map(({ each, calls }) => [each.name, each, calls] as const))('%s', (_, each, calls) => {
    const simulated = simulate(kind, each);
    const expected = measured(calls);
    if (Object.keys(expected).length === 0) {
      expect(simulated).toContain('fails as a whole in Go, because member "leaf-missing" does');
      return;
    }
    expect(Object.keys(simulated).sort()).toEqual(Object.keys(expected).sort());
    for (const [backend, percent] of Object.entries(simulated))
      expect(Math.abs(Number(percent) - (expected[backend] ?? 0))).toBeLessThan(3);
  });
});

it('nine situations were captured with Go, and seven with C-core', () => {
  expect(cases.filter(({ answers }) => answers.go)).toHaveLength(9);
  expect(cases.filter(({ answers }) => answers.core)).toHaveLength(7);
});

it('a missing member of an aggregate is skipped by C-core, Java and Node, whose next member is used', () => {
  const found = cases.find(({ name }) => name.includes('first leaf does not exist'));
  if (found === undefined) throw new Error('expected the case of the missing leaf, got none');
  for (const kind of ['core', 'java', 'node'] as const)
    expect(simulate(kind, found)).toEqual({ B3: 50, B4: 50 });
});
