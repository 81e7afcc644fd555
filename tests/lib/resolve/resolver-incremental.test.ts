import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { Resolver } from '@/lib/resolve/resolver';
import type { ResolveResource } from '@/lib/resolve/resource-store';
import { type Profile, profiles } from '@/lib/xds/profile';
import { CDS, EDS, LDS, RDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import { reportAll, resolveResources, resolverOver } from '../../support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../support/builders/topology-mesh';
import '../../support/seeded-properties';
import { runs } from '@/tests/support/runs';

const names = ['a', 'b', 'c', 'd'] as const;
const name = fc.constantFrom(...names);
const someNames = fc.array(name, { minLength: 1, maxLength: 3 });

const listener = fc.oneof(
  name.map((rds) => apiListener('shop', { rds })),
  fc.constant({ typeUrl: apiListener('shop', { rds: 'a' }).typeUrl, name: 'shop' }),
);
const routes = fc
  .tuple(name, someNames)
  .map(([own, to]) => routeConfig(own, Object.fromEntries(to.map((each, at) => [`/s${at}/`, each]))));
/** Virtual hosts and scopes that Envoy loads as separate resources. */
const onDemand = fc.oneof(
  name.map((own) => ({ typeUrl: RDS.typeUrl, name: own, body: { name: own, vhds: {} } })),
  fc.tuple(name, name, name).map(([own, host, to]) => {
    const domains = [host];
    const body = { name: host, domains, routes: [{ match: { prefix: '' }, route: { cluster: to } }] };
    return { typeUrl: VHDS.typeUrl, name: `${own}/${host}`, body };
  }),
  fc.tuple(name, name).map(([own, to]) => {
    return { typeUrl: SRDS.typeUrl, name: own, body: { name: own, routeConfigurationName: to } };
  }),
  fc.constant({
    typeUrl: LDS.typeUrl,
    name: 'shop',
    body: {
      apiListener: {
        apiListener: {
          '@type':
            'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
          scopedRoutes: { scopedRds: {} },
          accessLog: [{ typedConfig: { grpcService: { envoyGrpc: { clusterName: 'd' } } } }],
        },
      },
    },
  }),
);
const cluster = fc.oneof(
  fc.tuple(name, name).map(([own, service]) => edsCluster(own, service)),
  fc.tuple(name, someNames).map(([own, members]) => aggregateCluster(own, members)),
);
const load = fc
  .tuple(name, fc.integer({ min: 0, max: 3 }))
  .map(([own, port]) => endpoints(own, port === 0 ? [] : [{ zone: 'z', endpoints: [`10.0.0.1:${port}`] }]));
const status = fc.constantFrom('ACKED', 'NACKED', 'DOES_NOT_EXIST', 'REQUESTED' as const);
/** The verdict about a resource. */
const verdict = fc.constantFrom('own word', 'own word', 'taken', 'rejected', 'earlier one kept' as const);
const resource = fc
  .tuple(fc.oneof(listener, routes, onDemand, cluster, cluster, load), status, verdict)
  .map(([mesh, clientStatus, says]) => ({ ...mesh, clientStatus, says }));

type ValidatedMesh = MeshResource & { readonly says: 'own word' | 'taken' | 'rejected' | 'earlier one kept' };

function validated({ says, ...mesh }: ValidatedMesh): ResolveResource | undefined {
  const [made] = resolveResources([mesh]);
  if (made === undefined || made.model === undefined || says === 'own word') return made;
  const { typeUrl, name: own } = mesh;
  const rule = { ruleId: 'X1', fieldPath: 'name', message: 'name: expected another', others: 0 };
  const rejection = { typeUrl, name: own, hash: 'ff', ...rule, keepsEarlier: says !== 'rejected' };
  if (says === 'taken') return { ...made, validated: { hash: 'ee', rejection: null, note: 'taken' } };
  if (says === 'rejected') return { row: made.row, model: undefined, validated: { rejection, note: '' } };
  return { ...made, validated: { hash: 'ee', rejection, note: 'kept' } };
}

/** Passes the requested resources to the resolver until it requests no more. */
/** Returns the resources that were read, as the keys of `held`. */
function readAll(resolver: Resolver, held: ReadonlyMap<string, ResolveResource>): string[] {
  const read: string[] = [];
  for (let unread = resolver.takeUnread(); unread.length > 0; unread = resolver.takeUnread()) {
    const keys = unread.map(({ row }) => `${row.typeUrl} ${row.name}`);
    resolver.apply({ changed: keys.flatMap((key) => held.get(key) ?? []), removed: [] });
    read.push(...keys);
  }
  return read;
}

type Step = { readonly set: ValidatedMesh } | { readonly remove: ResourceKey };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: resource.map((set) => ({ set })) },
  { weight: 1, arbitrary: resource.map(({ typeUrl, name: own }) => ({ remove: { typeUrl, name: own } })) },
);

const starts = fc.constantFrom({ listener: 'shop', authority: 'shop' }, { listener: 'shop' });

describe('Resolver', () => {
  it('has the same result after any changes as a new resolver, and as one that reads only the needed resources', () => {
    const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 25 });
    const profile: fc.Arbitrary<Profile> = fc.constantFrom(...profiles);
    fc.assert(
      fc.property(batches, profile, starts, (changes, asked, start) => {
        const options = { start, profile: asked } as const;
        const incremental = new Resolver(options);
        const lazy = new Resolver(options);
        const held = new Map<string, ResolveResource>();
        for (const batch of changes) {
          const changed = new Map<string, ResolveResource>();
          const removed = new Map<string, ResourceKey>();
          for (const each of batch) {
            const key = 'set' in each ? each.set : each.remove;
            const id = `${key.typeUrl} ${key.name}`;
            changed.delete(id);
            removed.delete(id);
            const made = 'set' in each ? validated(each.set) : undefined;
            if (made === undefined) removed.set(id, { typeUrl: key.typeUrl, name: key.name });
            else changed.set(id, made);
          }
          for (const [id, made] of changed) held.set(id, made);
          for (const id of removed.keys()) held.delete(id);
          const gone = [...removed.values()];
          incremental.apply({ changed: [...changed.values()], removed: gone });
          const unread = [...changed.values()].map(({ row }) => ({ row, model: undefined, isUnread: true }));
          lazy.apply({ changed: unread, removed: gone });
          readAll(lazy, held);
          const anew = new Resolver(options);
          anew.apply({ changed: [...held.values()], removed: [] });
          const reported = reportAll(anew);
          expect(reportAll(incremental)).toEqual(reported);
          expect(reportAll(lazy)).toEqual(reported);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('resolves one cluster again when one of its endpoint resources changes', () => {
    const many = Array.from({ length: 500 }, (_, at) => `c${at}`);
    const resources = [
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', Object.fromEntries(many.map((each) => [`/${each}/`, each]))),
      ...many.map((each) => edsCluster(each)),
      ...many.map((each) => endpoints(each, [])),
    ];
    const resolver = resolverOver(resources);
    const before = resolver.findCluster('c6');
    const changed = resolveResources([endpoints('c7', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }])]);
    expect(resolver.apply({ changed, removed: [] })).toEqual({ listener: false, clusters: new Set(['c7']) });
    expect(resolver.findCluster('c6')).toBe(before);
    expect(resolver.apply({ changed: [], removed: [{ typeUrl: EDS.typeUrl, name: 'stranger' }] })).toEqual({
      listener: false,
      clusters: new Set(),
    });
  });

  it('requests no resource that no listener reaches', () => {
    const resources = resolveResources([
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '': 'a' }),
      ...['a', 'b'].flatMap((own) => [edsCluster(own), endpoints(own, [])]),
    ]);
    const held = new Map(resources.map((each) => [`${each.row.typeUrl} ${each.row.name}`, each]));
    const resolver = new Resolver({
      start: { listener: 'shop' },
      profile: 'core-1.56',
    });
    resolver.apply({
      changed: resources.map(({ row }) => ({ row, model: undefined, isUnread: true })),
      removed: [],
    });
    const read = readAll(resolver, held);
    const isRead = (typeUrl: string, own: string) => read.includes(`${typeUrl} ${own}`);
    expect(resolver.status).toBe('resolved');
    expect(['a', 'b'].map((own) => [isRead(CDS.typeUrl, own), isRead(EDS.typeUrl, own)])).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it('resolves an aggregate again when one of its leaves changes its kind', () => {
    const resolver = resolverOver([
      apiListener('shop', { rds: 'r' }),
      routeConfig('r', { '': 'A' }),
      aggregateCluster('A', ['B']),
      edsCluster('B'),
      endpoints('B', []),
    ]);
    const effect = resolver.apply({ changed: resolveResources([aggregateCluster('B', ['D'])]), removed: [] });
    expect([...effect.clusters].sort()).toEqual(['A', 'B', 'D']);
    resolver.apply({ changed: [], removed: [{ typeUrl: CDS.typeUrl, name: 'B' }] });
    expect([...resolver.missing()].map(({ name: own }) => own)).toEqual(['B']);
  });
});
