import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { clientIdOf } from '@/server/client-id';
import { createCodec } from '@/server/codec/codec';
import {
  createLoadReportReceiver,
  type LoadReportReceiver,
  type LoadReportReceiverOptions,
} from '@/server/collect/lrs/load-report-receiver';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { SourceStatus } from '@/server/source-status';
import { type LrsClient, lrsClient } from '../../../support/lrs-client';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { until } from '../../../support/xds-probe-story';

const nodeA = { id: 'shop-a', cluster: 'shop', userAgentName: 'gRPC Go', locality: { zone: 'eu-1' } };
const oneReport = {
  clusterStats: [
    {
      clusterName: 'cart',
      upstreamLocalityStats: [{ totalSuccessfulRequests: '9007199254740993', totalIssuedRequests: 3 }],
      loadReportInterval: { seconds: 1 },
    },
  ],
};

describe('the LRS receiver', () => {
  let clock: ManualClock;
  let reported: Observation[];
  let statuses: SourceStatus[];
  let receiver: LoadReportReceiver;
  let target: string;
  let clients: LrsClient[];

  beforeEach(async () => {
    clock = new ManualClock();
    reported = [];
    statuses = [];
    clients = [];
    receiver = create();
    receiver.start();
    target = await receiver.listen({ port: 0 });
  });

  afterEach(async () => {
    for (const client of clients) client.vanish();
    await Promise.all(clients.map(({ ended }) => ended));
    await receiver.close();
  });

  function create(options: Partial<LoadReportReceiverOptions> = {}): LoadReportReceiver {
    return createLoadReportReceiver({
      sourceId: 'lrs',
      clock,
      codec: createCodec({ redactionKey: new Uint8Array(32) }),
      observe: ({ observation }) => reported.push(observation),
      onStatus: (status) => statuses.push(status),
      ...options,
    });
  }

  function connect(to = target): LrsClient {
    const client = lrsClient(to);
    clients.push(client);
    return client;
  }

  const reports = () => reported.filter((each) => each.kind === 'load-reported');

  test('requests everything every 5 s, and observes each report with the node of the first message', async () => {
    // 1. The client says who it is.
    const client = connect();
    client.send({ node: nodeA });
    // 2. It is asked to report all clusters.
    await until(() =>
      expect(client.responses).toEqual([{ sendAllClusters: true, loadReportingInterval: { seconds: '5' } }]),
    );
    const streamId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const opened = {
      kind: 'stream-opened',
      vantage: 'lrs',
      method: 'StreamLoadStats',
      server: target,
      streamId,
    };
    expect(reported).toEqual([
      expect.objectContaining({ ...opened, peer: expect.stringMatching(/^127[.]0[.]0[.]1:/) }),
    ]);
    // 3. It reports, without its node.
    client.send(oneReport);
    client.send(oneReport);
    await until(() => expect(reports()).toHaveLength(2));
    expect(reports()[1]).toMatchObject({
      kind: 'load-reported',
      vantage: 'lrs',
      sourceId: 'lrs',
      clientId: clientIdOf('shop-a', ''),
      scope: '',
      node: { id: 'shop-a', locality: { region: '', zone: 'eu-1', subZone: '' } },
      clusters: [
        {
          clusterName: 'cart',
          intervalMs: 1_000,
          localities: [{ successful: '9007199254740993', issued: '3' }],
        },
      ],
    });
    expect(client.responses).toHaveLength(1);
    expect(receiver.status).toMatchObject({ state: 'up', answers: 2, failures: 0 });
    expect([...receiver.status.clients.keys()]).toEqual([clientIdOf('shop-a', '')]);
  });

  test('secrets in the metadata of a node are redacted', async () => {
    const client = connect();
    const fields = { token: { stringValue: 'hunter2' }, app: { stringValue: 'shop' } };
    client.send({ node: { ...nodeA, metadata: { fields } }, ...oneReport });
    await until(() => expect(reports()).toHaveLength(1));
    expect(JSON.stringify(reported)).not.toContain('hunter2');
    expect(JSON.stringify(reported)).toContain('"app":"shop"');
  });

  test('limits the number of clients, and adds up rows of a report beyond a limit', async () => {
    const limits = { clients: 1, nodeChars: 500, allNodesChars: 1_000, rowsOfReport: 1 };
    const small = create({ limits });
    small.start();
    const at = await small.listen({ port: 0 });
    const known = connect(at);
    known.send({ node: nodeA, ...oneReport });
    await until(() => expect(reports()).toHaveLength(1));
    const stranger = connect(at);
    stranger.send({ node: { ...nodeA, id: 'shop-b' }, ...oneReport });
    expect(await stranger.ended).toBe(
      'RESOURCE_EXHAUSTED: expected at most 1 different node ids at a time, got one more',
    );
    known.send({ clusterStats: [{ clusterName: 'pay' }, ...oneReport.clusterStats] });
    await until(() => expect(reports()).toHaveLength(2));
    expect(reports()[1]?.clusters).toMatchObject([
      { clusterName: 'pay' },
      { clusterName: '(beyond the limit)', localities: [{ successful: '9007199254740993' }] },
    ]);
    expect(small.status.notes[0]).toMatch(/expected at most 1 clusters.* in a report; 3 beyond that/);
    // A node id is free again with the last of its streams.
    known.vanish();
    await known.ended;
    await until(() => expect(small.status.clients.size).toBe(0));
    const next = connect(at);
    next.send({ node: { ...nodeA, id: 'shop-b' }, ...oneReport });
    await until(() => expect(reports()).toHaveLength(3));
    await small.close();
  });

  test('invalid bytes end their own stream with INVALID_ARGUMENT and are counted; other streams continue', async () => {
    const good = connect();
    good.send({ node: nodeA });
    const bad = connect();
    bad.send({ node: { id: 'bad' } });
    await until(() => expect(bad.responses).toHaveLength(1));
    bad.sendRaw(Buffer.from('GET / HTTP/1.1'));
    expect(await bad.ended).toMatch(/^INVALID_ARGUMENT: expected a LoadStatsRequest, got 14 bytes/);
    await until(() => expect(receiver.status.failures).toBe(1));
    expect(receiver.status.notes).toEqual([expect.stringMatching(/^a stream was closed: expected a Load/)]);
    good.send(oneReport);
    await until(() => expect(reports()).toHaveLength(1));
  });

  test('a first message without a node is rejected', async () => {
    const client = connect();
    client.send(oneReport);
    expect(await client.ended).toBe(
      'INVALID_ARGUMENT: expected a node in the first LoadStatsRequest of the stream, got none',
    );
    expect(reported).toEqual([]);
  });

  test('a client ends with its last stream, however that ends', async () => {
    const [one, two] = [connect(), connect()];
    for (const client of [one, two]) client.send({ node: nodeA, ...oneReport });
    await until(() => expect(reports()).toHaveLength(2));
    one.end();
    expect(await one.ended).toMatch(/^OK/);
    two.send(oneReport);
    await until(() => expect(reports()).toHaveLength(3));
    const ends = () => reported.filter((each) => each.kind === 'stream-closed');
    expect(ends()).toMatchObject([{ othersOpen: 1 }]);
    expect(receiver.status.clients.size).toBe(1);
    two.vanish();
    await until(() => expect(ends()).toHaveLength(2));
    expect(ends()[1]).not.toHaveProperty('othersOpen');
    // Each end is of a stream that was opened.
    const idsOf = (kind: string) =>
      reported.flatMap((each) => (each.kind === kind && 'streamId' in each ? each.streamId : []));
    expect(new Set(idsOf('stream-closed'))).toEqual(new Set(idsOf('stream-opened')));
    expect(receiver.status.clients.size).toBe(0);
  });

  test('a flood of reports is read completely, while other clients are served', async () => {
    const [flood, calm] = [connect(), connect()];
    flood.send({ node: { id: 'flood' } });
    calm.send({ node: nodeA });
    for (let index = 0; index < 2_000; index++) flood.send(oneReport);
    calm.send(oneReport);
    const calmId = clientIdOf('shop-a', '');
    await until(() => expect(reports().some(({ clientId }) => clientId === calmId)).toBe(true));
    await until(() => expect(reports()).toHaveLength(2_001));
    // The status was not reported two thousand times.
    clock.advance(1_000);
    expect(statuses.length).toBeLessThan(10);
  });

  test('ends streams and rejects new ones while it is paused, and accepts them after resume()', async () => {
    const before = connect();
    before.send({ node: nodeA });
    await until(() => expect(before.responses).toHaveLength(1));
    receiver.pause();
    expect(await before.ended).toBe('UNAVAILABLE: paused by the operator');
    expect(await connect().ended).toBe('UNAVAILABLE: this LRS server is paused');
    receiver.resume();
    const after = connect();
    after.send({ node: nodeA, ...oneReport });
    await until(() => expect(reports()).toHaveLength(1));
  });

  test('can be added to an existing server', async () => {
    await receiver.close();
    const mounted = create({ request: { intervalMs: 1_500 } });
    mounted.start();
    const server = new ManagementServer({ clock, addServices: (host) => mounted.addTo(host) });
    const client = connect(await server.listen());
    client.send({ node: nodeA, ...oneReport });
    await until(() => expect(reports()).toHaveLength(1));
    await until(() =>
      expect(client.responses).toEqual([
        { sendAllClusters: true, loadReportingInterval: { seconds: '1', nanos: 500_000_000 } },
      ]),
    );
    await mounted.close();
    await server.close();
    expect(clock.waiting).toBe(0);
  });

  test('reports a port that is in use', async () => {
    const second = create();
    const port = Number(target.split(':')[1]);
    await expect(second.listen({ port })).rejects.toThrow(`LRS: expected to listen on ${target}, got: `);
    expect(second.status).toMatchObject({ state: 'down', problem: { code: 'CANNOT_LISTEN' } });
    await second.close();
  });
});
