import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, VHDS } from '@/lib/xds/resource-type';
import { type GrpcTransportKind, grpcTransports } from '@/server/collect/xds/stream/grpc-xds-channel';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { everything, only } from '@/tests/support/builders/subscriptions';
import { clusterOf, endpointsOf, packed } from '@/tests/support/builders/xds-wire';
import { GrpcChannelStory } from '@/tests/support/grpc-channel-story';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';
import { resourceOf, until } from '@/tests/support/xds-probe-story';

describe('CSDS of the management server', () => {
  let server: ManagementServer;
  let target: string;
  let asking: LabGrpcClient;
  let story: GrpcChannelStory;

  beforeEach(async () => {
    server = new ManagementServer({ clock: systemClock });
    target = await server.listen();
    asking = new LabGrpcClient(target);
  });

  afterEach(async () => {
    await story.channel.stop();
    asking.close();
    await server.close();
  });

  function connect(transport: GrpcTransportKind, apiVersion: 'v3' | 'v2' = 'v3'): void {
    story = new GrpcChannelStory({ target, clock: systemClock, transport, apiVersion });
    story.channel.start();
  }

  /** "Cluster a" -> "SYNCED v1"; of one node, whatever the number of its streams. */
  async function statuses(): Promise<Record<string, string>> {
    const { config = [] } = await asking.fetchClientStatus();
    expect(config.map(({ node }) => node?.id)).toEqual(['channel-story']);
    const rows = config.flatMap(({ genericXdsConfigs = [] }) => genericXdsConfigs);
    return Object.fromEntries(
      rows
        .map(({ typeUrl, name, configStatus, versionInfo = '' }) => [
          `${typeUrl.split('.').at(-1)} ${name}`,
          `${configStatus} ${versionInfo}`.trim(),
        ])
        .sort(),
    );
  }

  const ways = grpcTransports.flatMap((transport) =>
    (['v3', 'v2'] as const).map((apiVersion) => ({ transport, apiVersion })),
  );
  test.each(ways)(
    '$transport in $apiVersion: accepted, rejected, unknown and in error',
    async ({ transport, apiVersion }) => {
      server.setResource('*', resourceOf('good', clusterOf('good')), 'v1');
      server.setResource('*', resourceOf('e', endpointsOf('e')), 'v2');
      server.setError('*', EDS.typeUrl, { name: 'withheld', code: 7, message: 'not for you' }, 'v2');
      connect(transport, apiVersion);
      story.subscribe(CDS.typeUrl, everything);
      story.subscribe(EDS.typeUrl, only('e', 'unknown', 'withheld'));
      const first = { 'Cluster good': 'SYNCED v1', 'ClusterLoadAssignment e': 'SYNCED v2' };
      const rest = {
        'ClusterLoadAssignment unknown': 'NOT_SENT',
        'ClusterLoadAssignment withheld': 'NOT_SENT',
      };
      await until(() => expect(server.isAnswered() && story.responses.length >= 2).toBe(true));
      expect(await statuses()).toEqual({ ...first, ...rest });

      story.rejected.add('bad');
      server.setResource('*', resourceOf('bad', clusterOf('bad')), 'v3');
      await until(() => expect(story.problems).toHaveLength(1));
      await until(() => expect(server.isAnswered()).toBe(true));
      const rejected = await statuses();
      expect(rejected['Cluster bad']).toBe('ERROR v3');
      expect(rejected['Cluster good']).toMatch(/^SYNCED/);
    },
  );

  test.each(grpcTransports)('%s: a heartbeat is answered and changes nothing', async (transport) => {
    server.setResource('*', { ...resourceOf('mortal', clusterOf('mortal')), ttlMs: 60_000 }, 'v1');
    connect(transport);
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(story.held(CDS.typeUrl)).toEqual({ mortal: 'v1' }));
    await until(() => expect(server.isAnswered()).toBe(true));
    const before = await statuses();
    server.sendHeartbeats(CDS.typeUrl);
    expect(server.isAnswered()).toBe(false);
    await until(() => expect([server.isAnswered(), story.heartbeats.length]).toEqual([true, 1]));
    expect(await statuses()).toEqual(before);
    expect(before).toEqual({ 'Cluster mortal': 'SYNCED v1' });
  });

  test('a resource with an alias is one row, under its own name', async () => {
    const host = packed(VHDS.typeUrl, { name: 'host', domains: ['a.example'] });
    server.setResource('*', { ...resourceOf('routes/host', host), aliases: ['routes/a.example'] }, 'v1');
    connect('delta');
    story.subscribe(VHDS.typeUrl, only('routes/a.example'));
    await until(() => expect(Object.keys(story.held(VHDS.typeUrl))).toEqual(['routes/host']));
    await until(() => expect(server.isAnswered()).toBe(true));
    expect(await statuses()).toEqual({ 'VirtualHost routes/host': 'SYNCED v1' });
  });
});
