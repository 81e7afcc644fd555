import { afterEach, describe, expect, test } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { createLoadReportReceiver, type LoadReportReceiver } from '@/server/collect/lrs/load-report-receiver';
import type { LoadReportRequest } from '@/server/collect/lrs/load-report-request';
import { type LrsClient, lrsClient } from '../../../support/lrs-client';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { until } from '../../../support/xds-probe-story';

const report = { clusterStats: [{ clusterName: 'cart', loadReportInterval: { seconds: 1 } }] };

describe('what the LRS receiver asks for', () => {
  const clock = new ManualClock();
  let receiver: LoadReportReceiver | undefined;
  let observed = 0;

  afterEach(() => receiver?.close());

  async function serve(request: Partial<LoadReportRequest>): Promise<string> {
    receiver = createLoadReportReceiver({
      ...{ sourceId: 'lrs', clock, request, codec: createCodec({ redactionKey: new Uint8Array(32) }) },
      observe: ({ observation }) => {
        if (observation.kind === 'load-reported' || observation.kind === 'stream-closed') observed += 1;
      },
      onStatus: () => {},
    });
    receiver.start();
    return receiver.listen({ port: 0 });
  }

  /** A client says who it is, and hears what it is asked for. */
  async function ask(target: string, id: string): Promise<{ client: LrsClient; asked: unknown }> {
    const client = lrsClient(target);
    client.send({ node: { id } });
    await until(() => expect(client.responses).toHaveLength(1));
    return { client, asked: client.responses[0] };
  }

  async function leave(client: LrsClient): Promise<void> {
    const before = observed;
    client.vanish();
    await client.ended;
    await until(() => expect(observed).toBeGreaterThan(before));
  }

  test('chosen clusters, after an empty name, because grpc-js ignores the first one', async () => {
    const target = await serve({ clusters: ['cart', 'user'], intervalMs: 1_500 });
    const { client, asked } = await ask(target, 'a');
    expect(asked).toEqual({
      clusters: ['', 'cart', 'user'],
      loadReportingInterval: { seconds: '1', nanos: 500_000_000 },
    });
    await leave(client);
  });

  test('endpoints, until a client ends the stream because of it, and again an hour later', async () => {
    const target = await serve({ endpoints: true });
    const endpoints = expect.objectContaining({ reportEndpointGranularity: true });
    // 1. One reports, and is asked the same when it comes again.
    const good = await ask(target, 'envoy');
    expect(good.asked).toEqual(endpoints);
    const before = observed;
    good.client.send(report);
    await until(() => expect(observed).toBeGreaterThan(before));
    await leave(good.client);
    const again = await ask(target, 'envoy');
    expect(again.asked).toEqual(endpoints);
    await leave(again.client);
    // 2. Another one ends the stream at once, as grpc-go does, and is asked for less.
    const go = await ask(target, 'go');
    expect(go.asked).toEqual(endpoints);
    await leave(go.client);
    const less = await ask(target, 'go');
    expect(less.asked).not.toEqual(endpoints);
    expect(less.asked).toMatchObject({ sendAllClusters: true });
    await leave(less.client);
    // 3. By then it may be another program.
    clock.advance(3_600_000);
    const later = await ask(target, 'go');
    expect(later.asked).toEqual(endpoints);
    await leave(later.client);
  });
});
