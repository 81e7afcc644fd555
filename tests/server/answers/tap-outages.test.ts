import { describe, expect, it } from 'vitest';
import type { Connection } from '@/lib/observation/connection';
import type { Observation } from '@/lib/observation/observation';
import { sampleNode, sampleReport, sampleResource } from '../../support/builders/observation-samples';
import { listIssues, makeApi, sourceDown } from '../../support/issues-api-story';

describe('a management server that a tap cannot reach', () => {
  const ofTap = { vantage: 'tap', sourceId: 'tap:10.0.0.1:1' } as const;
  const rows = [sampleResource()];
  const failing = (target: string, clientId: string): Observation => ({
    ...{ kind: 'connections-changed', at: 2_500, vantage: 'channelz', sourceId: `channelz:${clientId}` },
    ...{ clientId, node: sampleNode(clientId), scope: '', endedIds: [], isComplete: true },
    connections: [
      {
        ...{ id: 'channel 1', kind: 'channel', target, channels: [], isManagementServer: true },
        ...{ state: 'TRANSIENT_FAILURE', since: 2_500, failingSince: 2_500 },
      },
    ],
  });

  it('is unreachable for its clients, as if they reported it, and for no client that left before', async () => {
    const { api, observe } = await makeApi({
      observed: [
        sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
        sampleReport({ ...ofTap, clientId: 'left', at: 1, changed: rows }),
        { ...ofTap, kind: 'client-gone', at: 2, clientId: 'left', side: 'client', reason: 'ended' },
        sourceDown(ofTap.sourceId, 30_000),
      ],
    });
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
    const countClients = async () =>
      (await api.list({ state: 'open', limit: 10 })).items.flatMap(({ kind, clients }) =>
        kind === 'unreachable' ? [clients.total] : [],
      );
    expect(await countClients()).toEqual([1]);
    observe(failing('dns:///xds:18000', 'b'));
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
    expect(await countClients()).toEqual([2]);
    const { items } = await api.list({ state: 'current', limit: 10 });
    const { id = '' } = items.find(({ kind }) => kind === 'unreachable') ?? {};
    expect((await api.find(id, undefined)).clients.total).toBe(2);
  });

  it('explains that a client does not reach the tap', async () => {
    const { api } = await makeApi({
      observed: [
        sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
        failing('10.0.0.1:1', 'a'),
        sourceDown(ofTap.sourceId, 3_000),
      ],
    });
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
  });

  it.each(['localhost:1', 'tap.shop:1', '[::1]:1', '10.0.0.9:80, 10.0.0.1:1'])(
    'explains that a client does not reach the tap under its address %s',
    async (target) => {
      const { api } = await makeApi({
        observed: [
          sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
          failing(target, 'a'),
          sourceDown(ofTap.sourceId, 3_000),
        ],
      });
      expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
    },
  );

  it('explains that a client does not reach its only management server, whatever its name and port, as behind a Service', async () => {
    const observed = [
      sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
      failing('dns:///xds.shop.svc:80', 'a'),
      sourceDown(ofTap.sourceId, 3_000),
    ];
    const { api, observe } = await makeApi({ observed });
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
    // A client that is not connected through the tap has its own issue.
    observe(failing('dns:///xds.shop.svc:80', 'b'));
    expect((await listIssues(api)).sort()).toEqual([
      'open: Management server xds.shop.svc:80 is unreachable',
      'open: Management server xds:18000 is unreachable',
    ]);
  });

  it('does not explain which of several management servers of a client is behind the tap', async () => {
    const named = failing('dns:///xds.shop.svc:80', 'a');
    if (named.kind !== 'connections-changed') throw new Error('expected connections');
    const [first] = named.connections;
    if (first === undefined) throw new Error('expected a channel');
    const other = { ...first, id: 'channel 2', target: 'dns:///fallback:80' };
    const { api } = await makeApi({
      observed: [
        sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
        { ...named, connections: [first, other] },
        sourceDown(ofTap.sourceId, 3_000),
      ],
    });
    expect((await listIssues(api)).sort()).toEqual([
      'open: Management server fallback:80 is unreachable',
      'open: Management server xds.shop.svc:80 is unreachable',
      'open: Management server xds:18000 is unreachable',
    ]);
  });

  it('is one issue under its name and its address, if a client has connected to the name at the address', async () => {
    const subchannel: Connection = {
      ...{ id: 'subchannel 2', kind: 'subchannel', target: '10.0.0.5:18000', channels: ['channel 1'] },
      ...{ state: 'TRANSIENT_FAILURE', since: 2_500 },
    };
    const named = failing('dns:///xds:18000', 'b');
    if (named.kind !== 'connections-changed') throw new Error('expected connections');
    const { api } = await makeApi({
      observed: [
        { ...named, connections: [...named.connections, subchannel] },
        failing('10.0.0.5:18000', 'envoy'),
        sampleReport({ ...ofTap, clientId: 'a', changed: rows }),
        sourceDown(ofTap.sourceId, 3_000),
      ],
    });
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
    const [issue] = (await api.list({ state: 'open', limit: 10 })).items.filter(
      ({ kind }) => kind === 'unreachable',
    );
    expect((await api.find(issue?.id ?? '', undefined)).clients.total).toBe(3);
    const strip = await api.strip({});
    expect(strip.rows.map(({ spans }) => spans.map(({ issueId }) => issueId))).toEqual(
      Array(3).fill([issue?.id]),
    );
  });

  it('keeps its id when a client connects to the tap, or reports it itself', async () => {
    const { api, observe } = await makeApi({ observed: [sourceDown(ofTap.sourceId)] });
    const idOf = async () =>
      (await api.list({ state: 'open', limit: 10 })).items.flatMap(({ kind, id }) =>
        kind === 'unreachable' ? [id] : [],
      );
    const first = await idOf();
    expect(first).toHaveLength(1);
    observe(failing('dns:///xds:18000', 'b'));
    expect(await idOf()).toEqual(first);
    observe(sampleReport({ ...ofTap, clientId: 'a', at: 40_000, changed: rows }));
    expect(await idOf()).toEqual(first);
    expect(await listIssues(api)).toEqual(['open: Management server xds:18000 is unreachable']);
  });

  it('is stated of the tap if no client was connected', async () => {
    const { api } = await makeApi({ observed: [sourceDown(ofTap.sourceId)] });
    expect(await listIssues(api)).toEqual(['open: tap 10.0.0.1:1 cannot connect to its management server']);
  });
});
