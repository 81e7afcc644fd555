import { describe, expect, it } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { CopyBatch, CopyEvent } from '@/server/collect/tap/copy-events';
import { CopyQueue } from '@/server/collect/tap/proxy/copy-queue';
import { StreamCopies } from '@/server/collect/tap/proxy/stream-copies';
import { grpcFrame } from '@/tests/support/builders/grpc-frame';
import { encodeMessage, packed } from '@/tests/support/builders/xds-wire';
import { RecordingStory } from '@/tests/support/recording-story';

const v3 = 'envoy.service.discovery.v3';
const ads = `${v3}.AggregatedDiscoveryService/StreamAggregatedResources`;
const errorDetail = { code: 3, message: 'cluster a: no' };
const maxBytes = 64 * 1024;

function response(nonce: string, timeout = 1, typeUrl = CDS.typeUrl): Buffer {
  const resources = [packed(CDS.typeUrl, { name: 'a', connectTimeout: { seconds: timeout } })];
  return grpcFrame(encodeMessage(`${v3}.DiscoveryResponse`, { typeUrl, versionInfo: '2', nonce, resources }));
}

function request(responseNonce: string, fields: object = {}, typeUrl = CDS.typeUrl): Buffer {
  const sent = {
    node: { id: 'c' },
    typeUrl,
    resourceNames: ['a'],
    versionInfo: '1',
    responseNonce,
    ...fields,
  };
  return grpcFrame(encodeMessage(`${v3}.DiscoveryRequest`, sent));
}

/** A stream whose copies are not acknowledged before acknowledge() is called. */
function start() {
  const data: (Extract<CopyEvent, { kind: 'data' }> & { readonly message: Buffer })[] = [];
  const events: CopyEvent[] = [];
  const flushes: (() => void)[] = [];
  const batches: CopyBatch[] = [];
  const queue = new CopyQueue({ maxBytes, schedule: (flush) => flushes.push(flush) });
  const record = (batch: CopyBatch): void => {
    batches.push(batch);
    let offset = 0;
    for (const event of batch.events) {
      events.push(event);
      if (event.kind !== 'data') continue;
      data.push({ ...event, message: Buffer.from(batch.bytes, offset, event.sizeBytes) });
      offset += event.sizeBytes;
    }
  };
  const connect = (): void => queue.connect(record);
  connect();
  const copies = new StreamCopies({
    ...{ streamId: 's', tap: 1, path: ads, peer: 'c:1', server: 's:1', encoding: '', queue },
    now: () => 1_000,
    onDropped: () => {},
  });
  const flush = (): void => {
    for (const each of flushes.splice(0)) each();
  };
  return {
    ...{ copies, queue, connect, data, flush },
    gaps: () => events.filter(({ kind }) => kind === 'gap'),
    acknowledge(): void {
      flush();
      for (const _ of batches.splice(0)) queue.acknowledge();
    },
    /** Pairs of a response and its NACK, in chunks of this size. */
    storm(from: number, count: number, chunkBytes = 1_000): void {
      for (let index = from; index < from + count; index++) {
        for (const [direction, frame] of [
          ['down', response(`n${index}`)],
          ['up', request(`n${index}`, { errorDetail })],
        ] as const)
          for (let at = 0; at < frame.length; at += chunkBytes)
            copies.data(direction, frame.subarray(at, at + chunkBytes));
      }
    },
    /** The number of messages that the copies of a direction stand for. */
    count: (direction: string) =>
      data
        .filter((each) => each.direction === direction)
        .reduce((sum, { messages, repeats = 1 }) => sum + messages * repeats, 0),
  };
}

describe('equal responses that a client rejects', () => {
  it.each([1_000, 16])('are merged while recording falls behind, in chunks of %i bytes', (chunkBytes) => {
    const { copies, storm, count, gaps, flush, data } = start();
    storm(0, 10_000, chunkBytes);
    copies.reportGap();
    flush();
    expect([count('down'), count('up'), gaps()]).toEqual([10_000, 10_000, []]);
    expect(data.length).toBeLessThan(1_000);
    const [last, answer] = data.slice(-2);
    expect([last?.message, answer?.message]).toEqual([response('n9999'), request('n9999', { errorDetail })]);
    expect(last?.repeats).toBe(answer?.repeats);
  });

  it('are recorded one by one while recording keeps pace', () => {
    const { storm, acknowledge, data } = start();
    for (let index = 0; index < 2_000; index++) {
      storm(index, 1);
      acknowledge();
    }
    expect(data).toHaveLength(4_000);
    expect(data.every(({ repeats }) => repeats === undefined)).toBe(true);
  });

  it('are passed on before anything else of their type, and nothing else is merged', () => {
    const { copies, storm, data, flush } = start();
    storm(0, 1_000);
    const other = response('x', 1, EDS.typeUrl);
    copies.data('down', other);
    copies.data('up', request('x', { errorDetail: { code: 3, message: 'other' } }, EDS.typeUrl));
    flush();
    const before = data.length;
    copies.data('down', response('y', 2));
    copies.data('up', request('y', { versionInfo: '2' }));
    storm(1_000, 2);
    flush();
    const added = data.slice(before);
    expect(added.map(({ repeats = 1 }) => repeats).slice(2)).toEqual([1, 1, 1, 1]);
    expect(added[0]?.repeats).toBeGreaterThan(1);
    expect(added[2]?.message).toEqual(response('y', 2));
    expect(data[before - 1]?.message.includes('other')).toBe(true);
  });

  it('are merged separately for each error', () => {
    const { copies, data, flush } = start();
    for (let index = 0; index < 1_000; index++) {
      copies.data('down', response(`n${index}`));
      const message = index < 700 ? 'one' : 'two';
      copies.data('up', request(`n${index}`, { errorDetail: { code: 3, message } }));
    }
    copies.reportGap();
    flush();
    const timesOf = (message: string) =>
      data
        .filter(({ direction, message: bytes }) => direction === 'up' && bytes.includes(message))
        .reduce((sum, { repeats = 1 }) => sum + repeats, 0);
    expect([timesOf('one'), timesOf('two')]).toEqual([700, 300]);
  });

  it('are complete when the stream ends, with a response that is not answered', () => {
    const { copies, storm, count, data, flush } = start();
    storm(0, 1_000);
    copies.data('down', response('last'));
    copies.close('OK', '');
    flush();
    expect([count('down'), count('up')]).toEqual([1_001, 1_000]);
    expect(data.at(-1)?.message).toEqual(response('last'));
  });

  it('are counted as not recorded if the recording thread ends', () => {
    const { copies, queue, storm, gaps, flush, connect } = start();
    storm(0, 1_000);
    const lost = queue.disconnect();
    storm(1_000, 1);
    connect();
    copies.renew(lost.get('s'));
    copies.reportGap();
    flush();
    expect(gaps()).toMatchObject([{ messages: 2_002, reason: 'the recording thread was restarted' }]);
  });

  it('are one NACK in the log that states how many it stands for', () => {
    const story = new RecordingStory();
    story.open();
    story.request({ resourceNames: ['a'] });
    const receipt = { messages: 1, clockMs: 1, at: 1, streamId: 's', repeats: 900 };
    for (const [direction, frame] of [
      ['down', response('n9')],
      ['up', request('n9', { errorDetail })],
    ] as const)
      story.event({ kind: 'data', direction, sizeBytes: frame.length, ...receipt }, frame);
    expect(story.take().slice(-2)).toMatchObject([
      { kind: 'response-received', nonce: 'n9', repeats: 900 },
      { kind: 'nack-sent', nonce: 'n9', repeats: 900, changed: [{ name: 'a', clientStatus: 'NACKED' }] },
    ]);
  });
});
