import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { historyEventQuery } from '@/lib/views/history/query';
import { type HistoryDetail, historyDetail } from '@/lib/views/history/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { findHistoryDetail, type HistoryDetailOptions } from '@/server/answers/history/history-detail';
import type { Recorder } from '@/server/store/recorder/recorder';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { resourceOf } from '../../../support/builders/recorder-emissions';
import { emissions, streamStory } from '../../../support/log-story';

let recorder: Recorder;
let options: HistoryDetailOptions;
beforeEach(async () => {
  recorder = await openWholeRecorder();
  options = { recorder, nodeIdOf: (id) => `node of ${id}`, findSource: () => undefined };
});
afterEach(() => recorder.close());

function record(observations: readonly Observation[]): void {
  for (const emission of emissions(observations)) recorder.append(emission);
}

async function detail(seq: number, query: object = {}): Promise<HistoryDetail> {
  return historyDetail.parse(await findHistoryDetail(options, seq, historyEventQuery.parse(query)));
}

describe('GET history/{seq}', () => {
  it('reports a response with its message, and with the bodies that the client held before', async () => {
    const held = resourceOf('cart', { versionInfo: 'v1', hash: 'bb', sizeBytes: 80 });
    record(
      streamStory(1_000).map((reported) =>
        reported.kind === 'ack-sent' ? { ...reported, changed: [held] } : reported,
      ),
    );
    const { event, message, resources, pair } = await detail(5);
    expect(event).toMatchObject({ seq: 5, kind: 'response-received', versionInfo: 'v2' });
    expect(pair).toMatchObject({ seq: 6, kind: 'nack-sent', errorText: 'cluster "cart": Bad LB policy' });
    expect(message?.typeName).toBe('envoy.service.discovery.v3.DiscoveryResponse');
    expect(JSON.parse(message?.json ?? '')).toMatchObject({
      versionInfo: 'v2',
      nonce: 'n2',
      resources: [{ name: 'cart', sha256: 'aa', sizeBytes: 90 }],
    });
    expect(resources.items).toEqual([
      expect.objectContaining({
        change: 'brought',
        name: 'cart',
        hash: 'aa',
        before: { hash: 'bb', versionInfo: 'v1', sizeBytes: 80 },
      }),
    ]);
  });

  it('answers for a first response that no bodies were held before', async () => {
    record(streamStory(1_000));
    const { resources } = await detail(3);
    expect(resources.items.map(({ before }) => before)).toEqual([undefined]);
  });

  it('reports a NACK with its reason as it was sent, and what is rejected', async () => {
    record(streamStory(1_000));
    const { message, resources, facts, pair } = await detail(6);
    expect(JSON.parse(message?.json ?? '')).toMatchObject({
      responseNonce: 'n2',
      errorDetail: { message: 'cluster "cart": Bad LB policy' },
    });
    expect(resources.items).toMatchObject([{ change: 'rejected', versionInfo: 'v2', hash: undefined }]);
    expect(facts).toContainEqual({ label: 'Rejected version', value: 'v2' });
    expect(pair?.seq).toBe(5);
  });

  it('reports an ACK and a NACK with the names and the code that were sent, also of an older log', async () => {
    const asking = streamStory(1_000).map((reported) =>
      reported.kind === 'request-sent' ? { ...reported, resourceNames: ['cart', 'shop'] } : reported,
    );
    record(asking);
    const other = { clientId: 'client-b', streamId: 'b-1' };
    record(
      asking.map((reported) => {
        if (reported.kind === 'ack-sent') return { ...reported, ...other, resourceNames: ['cart', 'new'] };
        return reported.kind === 'nack-sent'
          ? { ...reported, ...other, errorCode: 3 }
          : { ...reported, ...other };
      }),
    );
    const sent = async (seq: number) => JSON.parse((await detail(seq)).message?.json ?? '');
    // Not reported with the answer: what the stream asked for last.
    expect(await sent(4)).toEqual({
      versionInfo: 'v1',
      resourceNames: ['cart', 'shop'],
      typeUrl: CDS.typeUrl,
      responseNonce: 'n1',
    });
    expect((await sent(6)).errorDetail).toEqual({ message: 'cluster "cart": Bad LB policy' });
    expect((await detail(6)).facts.map(({ label }) => label)).not.toContain('Code');
    expect((await sent(12)).resourceNames).toEqual(['cart', 'new']);
    // The ACK before it has changed the subscription.
    expect(await sent(14)).toMatchObject({
      resourceNames: ['cart', 'new'],
      errorDetail: { code: 3, message: 'cluster "cart": Bad LB policy' },
    });
    expect((await detail(14)).facts).toContainEqual({ label: 'Code', value: 'INVALID_ARGUMENT' });
  });

  it('pages the resources of a large request', async () => {
    const [opened, request] = streamStory(1_000);
    if (opened === undefined || request?.kind !== 'request-sent')
      throw new Error('the story begins otherwise');
    const names = Array.from({ length: 450 }, (_, index) => `endpoints-${index}`);
    record([opened, { ...request, typeUrl: EDS.typeUrl, resourceNames: names }]);
    const first = await detail(2);
    expect(first.resources).toMatchObject({ total: 450, offset: 0, limit: 200 });
    expect(first.resources.items).toHaveLength(200);
    expect(first.message?.isCut).toBe(true);
    const last = await detail(2, { offset: '400' });
    expect(last.resources.items.map(({ name }) => name)).toEqual(names.slice(400));
  });

  it('reads messages as incremental if the opening of the stream states it', async () => {
    const [opened, request] = streamStory(1_000);
    if (opened?.kind !== 'stream-opened' || request?.kind !== 'request-sent')
      throw new Error('no such story');
    record([
      {
        ...opened,
        method: '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
      },
      { ...request, resourceNames: ['a'], unsubscribedNames: ['b'] },
    ]);
    const { message, resources } = await detail(2);
    expect(message?.typeName).toBe('envoy.service.discovery.v3.DeltaDiscoveryRequest');
    expect(JSON.parse(message?.json ?? '')).toMatchObject({
      resourceNamesSubscribe: ['a'],
      resourceNamesUnsubscribe: ['b'],
    });
    expect(resources.items.map(({ change }) => change)).toEqual(['asked', 'let-go']);
  });

  it('has no message for an event without one, and lists its facts', async () => {
    record(streamStory(1_000));
    const { message, facts, resources } = await detail(8);
    expect(message).toBeUndefined();
    expect(facts).toContainEqual({ label: 'Status', value: 'UNAVAILABLE' });
    expect(resources.total).toBe(0);
  });

  it('answers 404 for a position that the log does not have', async () => {
    record(streamStory(1_000));
    expect(await findHistoryDetail(options, 99, historyEventQuery.parse({}))).toBeUndefined();
    expect(historyEventQuery.safeParse({ limit: '0' }).success).toBe(false);
  });
});
