import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS, LDS, RDS } from '@/lib/xds/resource-type';
import { numbered, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

const live = () => ({ freshness: 'live' as const, reason: '' });

const primary = { vantage: 'tap', sourceId: 'tap:primary' } as const;
const fallback = { vantage: 'tap', sourceId: 'tap:fallback' } as const;

function clientOf(...observations: Observation[]): ClientState {
  const world: World = new Map();
  for (const observation of numbered(observations)) foldObservation(world, observation);
  const client = world.get('c1');
  if (client === undefined) throw new Error('no client');
  return client;
}

/** "LDS a v1 ACKED from tap:primary" of each row. */
function rowsOf(client: ClientState): string[] {
  return runSteps(buildResourceRows(client, live)).map(
    ({ service, name, versionInfo, state, sourceId }) =>
      `${service} ${name} ${versionInfo} ${state} from ${sourceId}`,
  );
}

const row = (type: { readonly typeUrl: string }, versionInfo: string, rest: Partial<ResourceState> = {}) =>
  sampleResource({
    ...{ typeUrl: type.typeUrl, name: 'a', versionInfo, hash: `${versionInfo} of a`, changedAt: 1 },
    ...rest,
  });

const requested = (type: { readonly typeUrl: string }) =>
  row(type, '', { clientStatus: 'REQUESTED', hash: null, changedAt: 30 });

const ended = (source: typeof primary | typeof fallback, at: number): Observation => ({
  ...{ kind: 'stream-closed', clientId: 'c1', streamId: 's', ...source, at },
  ...{ code: 'UNAVAILABLE', details: '', hadResponse: true },
});

describe('a client with streams through several taps', () => {
  it('has the rows of all its streams, each with the tap that recorded it', () => {
    const client = clientOf(
      sampleReport({ ...primary, at: 10, changed: [row(LDS, 'v2', { changedAt: 20 })] }),
      sampleReport({ ...fallback, at: 10, changed: [row(LDS, 'v1'), row(RDS, 'v1')] }),
    );
    expect(rowsOf(client)).toEqual(['LDS a v2 ACKED from tap:primary', 'RDS a v1 ACKED from tap:fallback']);
    expect(buildClientSummary(client, live)).toMatchObject({ resources: 2 });
  });

  it('runs what it has until the server that it requests it from next answers', () => {
    const client = clientOf(
      sampleReport({ ...primary, at: 10, changed: [requested(LDS)] }),
      sampleReport({ ...fallback, at: 10, changed: [row(LDS, 'v1')] }),
    );
    expect(rowsOf(client)).toEqual(['LDS a v1 ACKED from tap:fallback']);
  });

  it('keeps the types that it gets nowhere else when a stream has ended', () => {
    const client = clientOf(
      sampleReport({ ...primary, at: 10, changed: [row(LDS, 'v2', { changedAt: 20 })] }),
      sampleReport({ ...fallback, at: 11, changed: [row(LDS, 'v1'), row(CDS, 'v1')] }),
      ended(fallback, 12),
    );
    expect(rowsOf(client)).toEqual(['LDS a v2 ACKED from tap:primary', 'CDS a v1 ACKED from tap:fallback']);
    const removed = [{ typeUrl: LDS.typeUrl, name: 'a' }];
    const other = row(LDS, 'v3', { name: 'b' });
    const cleared = clientOf(
      sampleReport({ ...primary, at: 10, changed: [row(LDS, 'v2'), other] }),
      sampleReport({ ...fallback, at: 11, changed: [row(LDS, 'v1')] }),
      ended(fallback, 12),
      sampleReport({ ...primary, at: 13, changed: [], removed }),
    );
    expect(rowsOf(cleared)).toEqual(['LDS b v3 ACKED from tap:primary']);
  });

  it('has no rows of a tap whose streams ended before the present ones began', () => {
    const client = clientOf(
      sampleReport({ ...fallback, at: 1, changed: [row(CDS, 'v1')] }),
      ended(fallback, 2),
      sampleReport({ ...primary, at: 10, changed: [row(LDS, 'v2')] }),
    );
    expect(rowsOf(client)).toEqual(['LDS a v2 ACKED from tap:primary']);
  });

  it('is one process unless both streams deliver a resource with different content', () => {
    const isDuplicate = (other: ResourceState) =>
      buildClientSummary(
        clientOf(
          sampleReport({ ...primary, changed: [row(LDS, 'v1')] }),
          sampleReport({ ...fallback, changed: [other] }),
        ),
        live,
      ).duplicateNodeId;
    expect(isDuplicate(row(RDS, 'v1'))).toBe(false);
    expect(isDuplicate(row(LDS, 'v2'))).toBe(true);
  });
});

describe('two processes with one node id and target through one tap', () => {
  const opened = (streamId: string, peer: string, at: number): Observation => ({
    ...{ kind: 'stream-opened', ...primary, at, clientId: 'c1', streamId, server: 's:1', scope: '', peer },
    ...{ method: 'StreamAggregatedResources', node: sampleReport({}).node },
  });
  const acked = (streamId: string, at: number): Observation => ({
    ...{ kind: 'ack-sent', ...primary, at, clientId: 'c1', streamId, typeUrl: CDS.typeUrl },
    ...{ versionInfo: 'v1', nonce: 'n', changed: [], removed: [] },
  });
  const closed = (streamId: string, at: number): Observation => ({
    ...{ kind: 'stream-closed', ...primary, at, clientId: 'c1', streamId, othersOpen: 1 },
    ...{ code: 'OK', details: '', hadResponse: true },
  });
  const summaryOf = (...observations: Observation[]) => buildClientSummary(clientOf(...observations), live);
  const [a, b] = [opened('a', '10.0.0.1:1', 10), opened('b', '10.0.0.2:2', 20)];

  it('are reported with their addresses as long as both send messages', () => {
    const both = [a, b, acked('b', 21), acked('a', 22)];
    const processes = ['10.0.0.1:1', '10.0.0.2:2'];
    expect(summaryOf(...both)).toMatchObject({ duplicateNodeId: true, processes });
    const one = summaryOf(...both, closed('a', 30));
    expect(one.duplicateNodeId).toBe(false);
    expect(one).not.toHaveProperty('processes');
  });

  it('are not concluded from a client that connects again before its earlier stream ends', () => {
    expect(summaryOf(a, acked('a', 11), b, acked('b', 21)).duplicateNodeId).toBe(false);
  });
});
