import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LbTreeNode, lbTree } from '@/lib/views/failover/lb-tree-schema';
import { failoverSimulation } from '@/lib/views/failover/schema';
import { newestOf } from '@/lib/xds/profile';
import { LDS } from '@/lib/xds/resource-type';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../support/builders/topology-mesh';
import { openClientStory, startClientStory } from '../../support/client-story';

const twoOfThree = ['10.0.0.1:1', '10.0.0.2:1'].map((address) => ({
  kind: 'condition' as const,
  at: 0,
  target: { address },
  to: 'dead' as const,
}));

type Story = Awaited<ReturnType<typeof openClientStory>>;

function observeShop(story: Story): Story {
  story.clock.advance(1_000);
  story.observe([
    apiListener('shop', { rds: 'r' }),
    routeConfig('r', { '/a': 'a', '': 'b' }),
    edsCluster('a'),
    edsCluster('b'),
    endpoints('a', [
      { zone: 'z', endpoints: ['10.0.0.1:1', '10.0.0.2:1', '10.0.0.3:1'] },
      { zone: 'y', priority: 1, endpoints: ['10.0.1.1:1'] },
    ]),
    endpoints('b', []),
  ]);
  return story;
}

const startShop = async () => observeShop(await startClientStory());

/** This story is for tests that observe and store nothing. */
let shop: Story;
beforeAll(async () => {
  shop = observeShop(await openClientStory());
});
afterAll(() => shop.close());

describe('GET clients/{id}/lb-tree', () => {
  it('is of the first cluster and the client itself, in the shape that is documented', async () => {
    const { api } = shop;
    const tree = await api.lbTree('c', {});
    expect(lbTree.parse(tree)).toMatchObject({
      clientId: 'c',
      profile: newestOf('go'),
      listener: 'shop',
      clusters: { total: 2, items: ['a', 'b'] },
      cluster: 'a',
      tree: { policy: 'xds_cluster_manager_experimental' },
    });
    expect(await api.lbTree('nobody', {})).toBeUndefined();
  });

  it('is of another cluster, another client profile, and reports the config of one policy', async () => {
    const { api } = shop;
    const tree = await api.lbTree('c', { cluster: 'b', find: 'b' });
    expect(tree).toMatchObject({
      profile: newestOf('go'),
      cluster: 'b',
      clusters: { total: 1, items: ['b'] },
    });
    const cds = tree?.tree?.children[0]?.id;
    const one = await api.lbTree('c', { cluster: 'b', node: cds });
    expect(one).toMatchObject({ node: cds, config: { cds_experimental: { cluster: 'b' } } });
    // The listener has a filter without a config, which Node rejects: for Node there is no such config.
    const node = await api.lbTree('c', { profile: 'node', cluster: 'b' });
    expect(node).toMatchObject({ profile: 'node-1.14', clusters: { total: 0 } });
    expect(node?.notes[0]).toContain('the whole config of the listener fails');
  });

  it('names the children of priorities by all that the client was reported before', async () => {
    const { api, clock, observe, time } = await startShop();
    const nameOf = async (query: object) => {
      const tree = await api.lbTree('c', { cluster: 'a', ...query });
      const names: string[] = [];
      const collect = (node: LbTreeNode): void => {
        if (node.policy === 'priority_experimental') names.push(...node.children.map(({ name }) => name));
        node.children.forEach(collect);
      };
      if (tree?.tree) collect(tree.tree);
      return { names, notes: tree?.notes ?? [] };
    };
    expect((await nameOf({})).names).toEqual(['priority-0-0', 'priority-0-1']);
    const before = time();
    clock.advance(1_000);
    observe([
      endpoints('a', [
        { zone: 'y', endpoints: ['10.0.1.1:1'] },
        { zone: 'z', priority: 1, endpoints: ['10.0.0.1:1'] },
      ]),
    ]);
    const now = await nameOf({});
    expect(now.names).toEqual(['priority-0-1', 'priority-0-0']);
    expect(now.notes.at(-1)).toMatch(/^child names of priorities follow from all updates since /);
    expect((await nameOf({ at: before })).names).toEqual(['priority-0-0', 'priority-0-1']);
  });

  it('numbers the children of a client of a file as one that receives this config first', async () => {
    const { api, clock, observe } = await startClientStory();
    for (const cluster of ['a', 'b']) {
      clock.advance(1_000);
      observe([apiListener('shop', { rds: 'r' }), routeConfig('r', { '': cluster })], [], 'dump', 'file:a');
    }
    const { notes } = (await api.lbTree('c', {})) ?? {};
    expect(notes?.at(-1)).toBe(
      'child names of priorities are those of a client that receives this config first',
    );
  });

  it('is of a moment', async () => {
    const { api, clock, observe, time } = await startShop();
    const then = time();
    clock.advance(1_000);
    observe([routeConfig('r', { '': 'b' })]);
    expect((await api.lbTree('c', {}))?.clusters.items).toEqual(['b']);
    const past = await api.lbTree('c', { at: then });
    expect(past?.clusters.items).toEqual(['a', 'b']);
    expect(past?.moment).toBeDefined();
  });

  it('lists the clusters of the config if the requested one is missing', async () => {
    const { api, failover } = shop;
    const note = 'expected a cluster of the config ("a", "b"), got "nope"';
    expect((await api.lbTree('c', { cluster: 'nope' }))?.notes[0]).toBe(note);
    const played = await failover.simulate({ client: 'c', cluster: 'nope' });
    expect(played.cluster).toBeUndefined();
    expect(played.moments).toEqual([]);
    expect(played.notes.join()).toContain(note);
  });

  it('of C-core has the resources that a client of another kind accepted', async () => {
    const { api, failover, clock, observe } = await startShop();
    clock.advance(1_000);
    const match = { prefix: '', headers: [{ name: 'x', stringMatch: { exact: 'y' } }] };
    const virtualHosts = [{ name: 'v', domains: ['*'], routes: [{ match, route: { cluster: 'a' } }] }];
    observe([{ ...routeConfig('r', {}), body: { name: 'r', virtualHosts } }]);
    const tree = await api.lbTree('c', { profile: 'core' });
    expect(tree).toMatchObject({ cluster: 'a', profile: newestOf('core') });
    expect(tree?.notes.join()).toContain('C-core is assumed to accept these resources');
    const played = await failover.simulate({ client: 'c', profile: 'core' });
    expect(played.priorities.map(({ name }) => name)).toEqual(['P0', 'P1']);
  });

  it('lists the missing resources of a config that is withheld', async () => {
    const { api, clock, observe } = await startShop();
    clock.advance(1_000);
    observe([routeConfig('r', { '/a': 'a', '': 'later' })]);
    const tree = await api.lbTree('c', {});
    expect(tree?.notes.join()).toMatch(
      /the config is withheld \(gRFC A74\): the client waits for CDS "later": ./,
    );
  });

  it('says what it expects', async () => {
    const { api } = shop;
    await expect(api.lbTree('c', { profile: 'rust' })).rejects.toThrow(
      /profile: expected one of core, go, java, node, envoy, core-1.51, .*, got "rust"/,
    );
    await expect(api.lbTree('c', { cluster: '' })).rejects.toThrow(/cluster: .*, got ""/);
    await expect(api.lbTree('c', { target: 'xds:///a', listener: 'b' })).rejects.toThrow(
      /target or listener/,
    );
  });
});

describe('POST failover/simulate', () => {
  it('two of three endpoints die: gRPC stays, and Envoy, which has no health checks, fails their requests', async () => {
    const { failover } = shop;
    const answer = failoverSimulation.parse(await failover.simulate({ client: 'c', changes: twoOfThree }));
    expect(answer.priorities.map(({ name, endpointsTotal }) => [name, endpointsTotal])).toEqual([
      ['P0', 3],
      ['P1', 1],
    ]);
    const [moment] = answer.moments;
    expect(moment?.grpc.priorities.map(({ load }) => load)).toEqual([1, 0]);
    expect(moment?.envoy.priorities.map(({ load }) => load)).toEqual([0.333333, 0]);
    expect(moment?.envoy.failing).toBe(0.666667);
    expect(moment?.conditions).toEqual([[['dead', 'dead', 'healthy']], [['healthy']]]);
    expect(moment?.changes).toEqual(
      twoOfThree.map(({ target }) => `${target.address}: connections are lost, and new ones are rejected`),
    );
  });

  it('of a probe that read the config of an Envoy, also for a given profile', async () => {
    const story = await startClientStory();
    const manager = {
      '@type':
        'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      statPrefix: 'edge',
      rds: { routeConfigName: 'r', configSource: { ads: {} } },
      httpFilters: [
        {
          name: 'router',
          typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
        },
      ],
    };
    const edge = {
      typeUrl: LDS.typeUrl,
      name: 'edge',
      body: {
        name: 'edge',
        address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
        filterChains: [{ filters: [{ name: 'hcm', typedConfig: manager }] }],
      },
    };
    const a = endpoints('a', [
      { zone: 'z', endpoints: ['10.0.0.1:1 DRAINING', '10.0.0.2:1'] },
      { zone: 'y', priority: 1, endpoints: ['10.0.1.1:1'] },
    ]);
    story.clock.advance(1_000);
    story.observe([edge, routeConfig('r', { '': 'a' }), edsCluster('a'), a], [], 'probe');
    for (const [profile, expected] of [
      [undefined, newestOf('go')],
      ['core', newestOf('core')],
      ['java-1.60', 'java-1.60'],
      ['envoy', newestOf('core')],
    ] as const) {
      const answer = await story.failover.simulate({ client: 'c', profile });
      expect([answer.profile, answer.cluster, answer.notes]).toEqual([expected, 'a', []]);
      const [moment] = answer.moments;
      expect(moment?.envoy.priorities.map(({ load }) => load)).toEqual([1, 0]);
      expect(moment?.grpc.priorities.map(({ load }) => load)).toEqual([1, 0]);
      const named = profile === undefined ? {} : { profile };
      const tree = await story.api.lbTree('c', named);
      expect(tree).toMatchObject({ profile: expected, cluster: 'a', clusters: { total: 1 } });
      expect(tree?.notes[0]).toContain('this config is that of an Envoy');
      const happened = await story.api.failovers('c', named);
      expect(happened).toMatchObject({
        profile: expected,
        cluster: 'a',
        total: 1,
        items: [{ grpc: 'P0' }],
      });
    }
  });

  it('of a permalink: the client as it was stored', async () => {
    const { ask, failover, permalinks, observe } = await startShop();
    const { id } = await permalinks.create({
      clientId: 'c',
      view: { tab: 'failover', query: {} },
    });
    observe([routeConfig('r', { '': 'b' })]);
    const answer = await failover.simulate({ permalink: id, changes: twoOfThree });
    expect(answer).toMatchObject({ clientId: 'c', revision: id, cluster: 'a' });
    expect(await ask('lb-tree', { permalinkId: id }, {})).toMatchObject({ cluster: 'a' });
    expect((await failover.simulate({ client: 'c' })).cluster).toBe('b');
  });

  it('answers for a missing cluster, and for one without endpoints', async () => {
    const { failover } = shop;
    const gone = await failover.simulate({ client: 'c', cluster: 'nobody' });
    expect(gone.cluster).toBeUndefined();
    expect(gone.moments).toEqual([]);
    expect(gone.notes[0]).toContain('"nobody"');
    const empty = await failover.simulate({ client: 'c', cluster: 'b' });
    expect(empty.moments[0]?.grpc.outcome).toBe('failing');
  });

  it.each([
    [{}, /client or permalink/],
    [{ client: 'c', permalink: 'p' }, /client or permalink/],
    [{ client: 'c', seconds: -1 }, /seconds/],
    [{ client: 'c', changes: [{ kind: 'condition', at: 0, target: {}, to: 'happy' }] }, /changes/],
    [{ client: 'c', changes: Array.from({ length: 201 }, () => twoOfThree[0]) }, /changes/],
    [{ client: 'c', changes: [{ kind: 'factor', at: 0, percent: 0 }] }, /percent/],
    [{ client: 'nobody' }, /nobody/],
  ])('rejects %j', async (input, message) => {
    const { failover } = shop;
    await expect(failover.simulate(input)).rejects.toThrow(message);
  });
});
