import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { peekResourceName } from '@/server/codec/resource-name';
import { sha256 } from '@/server/codec/sha256';
import { decodeEnvelope, decodeSplit } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import { Repeats } from '@/server/collect/xds/response/repeats';
import type { ResponseEnvelope, WireResource } from '@/server/collect/xds/response/response-envelope';
import { ResponseOrder } from '@/server/collect/xds/response/response-order';
import { ResponseReader } from '@/server/collect/xds/response/response-reader';
import { WireList } from '@/server/collect/xds/response/wire-list';
import '../../../../support/seeded-properties';
import { repeatableOf } from '../../../../support/builders/repeatable-resource';
import {
  type AnyMessage,
  clusterOf,
  encodeMessage,
  packed,
  responseOf,
} from '../../../../support/builders/xds-wire';

const sotw = { isDelta: false, typeUrl: null, apiVersion: 'v3' } as const;

/** The message in chunks of these sizes; the last chunk is the remainder. */
function* cut(message: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let position = 0;
  for (const size of [...sizes, message.length]) {
    // The reader must not keep the chunk, so it is overwritten after each write.
    const chunk = Buffer.from(message.subarray(position, position + size));
    position += size;
    if (chunk.length > 0) yield chunk;
    chunk.fill(0xff);
  }
}

function read(
  message: Buffer,
  sizes: readonly number[],
  { order, isDelta = false }: { order?: ResponseOrder; isDelta?: boolean } = {},
) {
  const reader = new ResponseReader(message.length, isDelta, (typeUrl) =>
    typeUrl === order?.typeUrl ? order : undefined,
  );
  for (const chunk of cut(message, sizes)) reader.write(chunk);
  return decodeSplit(reader.finish(), message.length, { ...sotw, isDelta });
}

/** The bytes of the resources of this file by digest, because a repeat has only the digest. */
const values = new Map<string, Uint8Array>();

/** The result with the bytes of each resource, whether it is repeated or not. */
function plain(result: ReturnType<typeof decodeEnvelope>): unknown {
  if (result.kind === 'unreadable') return result;
  const { resources, ...rest } = result.envelope;
  return {
    ...rest,
    resources: Array.from(resources, ({ kept, ...own }: WireResource) => {
      const { type_url, name, version, unreadable } = own;
      const value = kept === undefined ? own.value : values.get(kept.held.digest);
      return {
        ...{ type_url, name, version, unreadable },
        value: value === undefined ? undefined : Buffer.from(value).toString('latin1'),
      };
    }),
  };
}

const sizes = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });
const cluster = fc.record({ index: fc.nat(30), version: fc.nat(1) });
const clusters = fc.array(cluster, { maxLength: 24 });

function bodyOf(index: number, version: number): AnyMessage {
  const body = clusterOf(`c${index}`, `v${version}${'x'.repeat(index * 9)}`);
  values.set(sha256(body.value), body.value);
  return body;
}
const messageOf = (list: readonly { readonly index: number; readonly version: number }[]): Buffer =>
  responseOf({
    typeUrl: CDS.typeUrl,
    versionInfo: '1',
    nonce: 'n',
    resources: list.map(({ index, version }) => bodyOf(index, version)),
  });

function orderOf(list: readonly { readonly index: number; readonly version: number }[]): ResponseOrder {
  const held = new Map(list.map(({ index, version }) => [`c${index}`, bodyOf(index, version).value]));
  return new ResponseOrder(CDS.typeUrl, [...held.keys()], (name) => {
    const bytes = held.get(name);
    return bytes && repeatableOf(CDS.typeUrl, name, bytes);
  });
}

function listOf(message: Buffer, order: ResponseOrder): { envelope: ResponseEnvelope; list: WireList } {
  const result = read(message, [], { order });
  if (result.kind !== 'envelope' || !(result.envelope.resources instanceof WireList))
    throw new Error('expected a response with a WireList');
  return { envelope: result.envelope, list: result.envelope.resources };
}

describe('ResponseReader', () => {
  test('reads a message in chunks as it reads it whole, whatever is cached', () => {
    fc.assert(
      fc.property(clusters, clusters, sizes, (before, now, cuts) => {
        const message = messageOf(now);
        expect(plain(read(message, cuts, { order: orderOf(before) }))).toEqual(
          plain(decodeEnvelope(message)),
        );
      }),
    );
  });

  test('reads any bytes in chunks as it reads them whole', () => {
    const spoil = fc.record({ at: fc.nat(2_000), byte: fc.nat(255) });
    fc.assert(
      fc.property(clusters, fc.array(spoil, { minLength: 1, maxLength: 6 }), sizes, (list, spoils, cuts) => {
        const message = Buffer.from(messageOf(list));
        for (const { at, byte } of spoils) if (message.length > 0) message[at % message.length] = byte;
        for (const order of [undefined, orderOf(list)]) {
          expect(plain(read(message, cuts, { ...(order && { order }) }))).toEqual(
            plain(decodeEnvelope(message)),
          );
        }
        expect(plain(read(message, cuts, { isDelta: true }))).toEqual(
          plain(decodeEnvelope(message, { ...sotw, isDelta: true })),
        );
      }),
    );
  });

  test('reads resources of other types and in wrappers', () => {
    const wrapper = packed('type.googleapis.com/envoy.service.discovery.v3.Resource', {
      name: 'a',
      resource: clusterOf('a'),
    });
    const message = encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', {
      typeUrl: CDS.typeUrl,
      resources: [clusterOf('a'), { ...clusterOf('a'), typeUrl: 'another' }, wrapper, {}, clusterOf('b')],
    });
    const order = orderOf([{ index: 1, version: 0 }]);
    expect(plain(read(message, [7, 7, 7], { order }))).toEqual(plain(decodeEnvelope(message)));
  });

  const many = Array.from({ length: 300 }, (_, index) => ({ index: index % 31, version: index }));
  const held = many.filter(({ version }) => version < 31);
  const shapes: { title: string; now: typeof held; own: number }[] = [
    { title: 'all unchanged', now: held, own: 0 },
    { title: 'one changed', now: held.map((each, i) => (i === 9 ? { ...each, version: 99 } : each)), own: 1 },
    { title: 'one removed', now: held.filter((_, index) => index !== 9), own: 0 },
    { title: 'one inserted first', now: [{ index: 40, version: 1 }, ...held], own: 1 },
    { title: 'reversed', now: [...held].reverse(), own: 8 },
  ];
  test.each(shapes)('stores only what is not cached: $title', ({ now, own }) => {
    const order = orderOf(held);
    const { envelope, list } = listOf(messageOf(now), order);
    const places = now.map((_, index) => list.placeIn(order, index));
    expect(places.filter((place) => place < 0)).toHaveLength(own);
    const repeats = new Repeats(list, order);
    expect([...readEntries(envelope, peekResourceName, repeats)]).toHaveLength(own);
    expect(repeats.count).toBe(now.length - own);
  });

  test('consecutive repeats are one run, unless the cache changed since', () => {
    const order = orderOf(held);
    const now = held.map((each, index) => (index === 9 ? { ...each, version: 99 } : each));
    const { list } = listOf(messageOf(now), order);
    expect(list.runAt(order, 0)).toMatchObject({ place: 0, count: 9 });
    expect(list.runAt(order, 9)).toBeUndefined();
    expect(list.runAt(order, 10)).toMatchObject({ place: 10, count: held.length - 10 });
    order.refresh(['c3'], () => undefined);
    expect(list.runAt(order, 10)).toBeUndefined();
  });

  test('a resource whose cache entry changed since is no repeat and can be read', () => {
    const order = orderOf(held);
    const { envelope, list } = listOf(messageOf(held), order);
    order.refresh(['c3'], () => undefined);
    const repeats = new Repeats(list, order);
    const entries = [...readEntries(envelope, peekResourceName, repeats)];
    expect(entries).toMatchObject([
      { kind: 'kept', name: 'c3', held: { digest: sha256(bodyOf(3, 3).value) } },
    ]);
    expect(repeats.count).toBe(held.length - 1);
  });
});
