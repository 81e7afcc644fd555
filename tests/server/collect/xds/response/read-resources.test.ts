import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { ResourceCache } from '@/server/collect/xds/client/resource-cache';
import { decodeEnvelope, decodeSplit } from '@/server/collect/xds/response/decode-response';
import { followedNames, type ReadOptions, readResources } from '@/server/collect/xds/response/read-resources';
import { Repeats } from '@/server/collect/xds/response/repeats';
import type { ResponseEnvelope } from '@/server/collect/xds/response/response-envelope';
import { ResponseOrder } from '@/server/collect/xds/response/response-order';
import { ResponseReader } from '@/server/collect/xds/response/response-reader';
import { WireList } from '@/server/collect/xds/response/wire-list';
import { errorPolicyOf } from '@/server/collect/xds/stream/error-policy';
import { capturesDir } from '@/tests/support/builders/codec-corpus';
import {
  type AnyMessage,
  anyOf,
  clusterOf,
  endpointsOf,
  packed,
  responseOf,
  wrapped,
} from '../../../../support/builders/xds-wire';

const codec = createCodec({ redactionKey: new Uint8Array(32) });
afterAll(() => codec.close());

function envelopeOf(typeUrl: string, resources: readonly AnyMessage[]): ResponseEnvelope {
  const result = decodeEnvelope(responseOf({ typeUrl, versionInfo: 'v', nonce: 'n', resources }));
  if (result.kind !== 'envelope') throw new Error(result.reason);
  return result.envelope;
}

async function read(envelope: ResponseEnvelope, options: Partial<ReadOptions> = {}) {
  const { signal } = new AbortController();
  const result = await readResources(envelope, {
    codec,
    find: () => undefined,
    validate: () => null,
    rejectsUnreadable: true,
    follow: { fromApi: false, fromRest: false },
    signal,
    ...options,
  });
  if (result === undefined) throw new Error('aborted');
  return result;
}

function cacheOf(envelope: ResponseEnvelope, resources: Awaited<ReturnType<typeof read>>): ResourceCache {
  const { typeUrl } = envelope;
  const links = { isOurs: () => true, onLinks: () => {} };
  const cache = new ResourceCache({ typeUrl, absenceDeletes: true, wildcard: true, ...links });
  const policy = errorPolicyOf('pre-a88', { features: new Set() });
  const news = { isDelta: false, versionInfo: 'v', removed: [], errors: [], server: 'a', policy };
  cache.apply({ ...news, resources: resources.resources }, 0);
  return cache;
}

const captures = path.join(capturesDir, 'go-control-plane');

describe('go-control-plane', () => {
  test('every recorded state-of-the-world response is read without a problem', async () => {
    const files = readdirSync(captures).filter((file) => /^sotw-\d+\.bin$/.test(file));
    expect(files.length).toBeGreaterThan(10);
    const seen = new Set<string>();
    for (const file of files) {
      const result = decodeEnvelope(readFileSync(path.join(captures, file)));
      if (result.kind !== 'envelope') throw new Error(`${file}: ${result.reason}`);
      const { length } = result.envelope.resources;
      const { problems, received } = await read(result.envelope);
      expect(problems, file).toEqual([]);
      expect(received.length, file).toBe(length);
      seen.add(result.envelope.typeUrl);
    }
    expect([...seen]).toEqual(expect.arrayContaining([LDS, RDS, CDS, EDS].map(({ typeUrl }) => typeUrl)));
  });
});

describe('readResources', () => {
  test('returns name, hash and references of a new resource', async () => {
    const result = await read(envelopeOf(CDS.typeUrl, [clusterOf('a', 'a-eds')]));
    expect(result).toMatchObject({
      problems: [],
      unchanged: 0,
      received: [{ name: 'a', hash: result.bodies[0]?.hash }],
      resources: [{ kind: 'new', name: 'a', follows: [{ typeUrl: EDS.typeUrl, name: 'a-eds' }] }],
    });
  });

  test('does not inspect resources whose bytes are cached', async () => {
    const resources = [clusterOf('a'), clusterOf('b')];
    const first = envelopeOf(CDS.typeUrl, resources);
    const cache = cacheOf(first, await read(first));
    const inspected: string[] = [];
    const watching = {
      ...codec,
      inspect: (...[resource, options]: Parameters<typeof codec.inspect>) => {
        inspected.push(codec.nameOf(resource.typeUrl, resource.bytes) ?? '');
        return codec.inspect(resource, options);
      },
    };
    const again = envelopeOf(CDS.typeUrl, [clusterOf('b', 'other'), resources[0] ?? clusterOf('a')]);
    const result = await read(again, { codec: watching, find: (name) => cache.find(name) });
    expect(inspected).toEqual(['b']);
    expect(result).toMatchObject({ unchanged: 1, received: [{ name: 'b' }] });
  });

  test('compares with the received bytes of a cached resource, also if its body is redacted', async () => {
    const secret = packed(SDS.typeUrl, {
      name: 's',
      tlsCertificate: { privateKey: { inlineString: 'a secret' } },
    });
    const first = envelopeOf(SDS.typeUrl, [secret]);
    const cache = cacheOf(first, await read(first));
    expect(cache.find('s')?.digest).not.toBe(cache.find('s')?.state.hash);
    const again = await read(envelopeOf(SDS.typeUrl, [secret]), { find: (name) => cache.find(name) });
    expect(again).toMatchObject({ unchanged: 1, received: [] });
  });

  test('reads a resource as new if it expired while its repetition was received', async () => {
    const resources = [clusterOf('a', 'a-eds')];
    const message = responseOf({ typeUrl: CDS.typeUrl, versionInfo: 'w', nonce: 'n', resources });
    const first = envelopeOf(CDS.typeUrl, resources);
    const before = await read(first);
    const cache = cacheOf(first, before);
    const order = new ResponseOrder(CDS.typeUrl, ['a'], (name) => cache.findRepeatable(name, 'a'));
    const reader = new ResponseReader(message.length, false, () => order);
    reader.write(message);
    cache.expire(['a'], 1);
    order.refreshAll((name) => cache.findRepeatable(name, 'a'));
    const as = { isDelta: false, typeUrl: null, apiVersion: 'v3' } as const;
    const result = decodeSplit(reader.finish(), message.length, as);
    if (result.kind !== 'envelope' || !(result.envelope.resources instanceof WireList))
      throw new Error('expected a list of the wire');
    const repeats = new Repeats(result.envelope.resources, order);
    const again = await read(result.envelope, { repeats, find: (name) => cache.find(name) });
    expect(again).toMatchObject({ unchanged: 0, received: before.received, bodies: [] });
    expect(again.resources).toEqual(before.resources);
  });

  test('releases the message after reading, except for new bodies', async () => {
    const many = Array.from({ length: 100 }, (_, index) => endpointsOf(`e${index}`));
    const first = envelopeOf(EDS.typeUrl, many);
    const cache = cacheOf(first, await read(first));
    expect(first.resources.at(0)).toBeUndefined();
    const again = envelopeOf(EDS.typeUrl, [...many.slice(0, 99), endpointsOf('e99', 2)]);
    const { bodies, resources } = await read(again, { find: (name) => cache.find(name) });
    expect(bodies).toHaveLength(1);
    expect(resources.filter(({ kind }) => kind === 'new')).toMatchObject([{ name: 'e99' }]);
  });

  test('counts a heartbeat as unchanged', async () => {
    const result = await read(envelopeOf(EDS.typeUrl, [wrapped('a')]));
    expect(result).toMatchObject({ problems: [], unchanged: 1, received: [], bodies: [] });
  });

  test('rejects bytes that do not decode by name, and keeps them as the failed body', async () => {
    const broken = Buffer.from('\u000a\u0001a<html>', 'latin1');
    const result = await read(envelopeOf(CDS.typeUrl, [anyOf(CDS.typeUrl, broken), clusterOf('b')]));
    expect(result.problems).toEqual([expect.stringMatching(/^"a": 9 bytes do not decode: /)]);
    expect(result.resources).toMatchObject([
      { kind: 'rejected', name: 'a', failedHash: result.bodies[0]?.hash },
      { kind: 'new', name: 'b' },
    ]);
  });

  test('rejects a resource without a body if the codec fails', async () => {
    const failing = { ...codec, inspect: () => Promise.reject(new Error('it took longer than 60 s')) };
    const result = await read(envelopeOf(CDS.typeUrl, [clusterOf('a')]), { codec: failing });
    expect(result).toMatchObject({
      bodies: [],
      problems: [expect.stringMatching(/it took longer than 60 s$/)],
      resources: [{ kind: 'rejected', name: 'a', failedHash: null }],
    });
  });

  test('yields to other tasks while it reads, and stops when it is aborted', async () => {
    const envelope = envelopeOf(
      CDS.typeUrl,
      Array.from({ length: 5_000 }, (_, index) => clusterOf(`c${index}`, `e${index}`)),
    );
    const aborter = new AbortController();
    setImmediate(() => aborter.abort());
    const { signal } = aborter;
    const options = {
      codec,
      find: () => undefined,
      validate: () => null,
      rejectsUnreadable: true,
      follow: { fromApi: false, fromRest: false },
      signal,
    };
    expect(await readResources(envelope, options)).toBeUndefined();
  });
});

describe('followedNames', () => {
  test('returns the references to resources of the same server', () => {
    const references = [
      { typeUrl: EDS.typeUrl, name: 'e', how: 'eds' as const, from: 'ads' as const },
      { typeUrl: SDS.typeUrl, name: 's', how: 'tls' as const, from: 'ads' as const },
      { typeUrl: RDS.typeUrl, name: 'r', how: 'rds' as const, from: 'self' as const },
      { typeUrl: EDS.typeUrl, name: 'file', how: 'eds' as const, from: 'path' as const },
      { typeUrl: RDS.typeUrl, name: 'elsewhere', how: 'rds' as const, from: 'api' as const },
      { typeUrl: SDS.typeUrl, name: 'agent', how: 'tls' as const, from: 'api' as const },
      { typeUrl: SDS.typeUrl, name: 'polled', how: 'tls' as const, from: 'rest' as const },
      { typeUrl: SDS.typeUrl, name: 'static', how: 'tls' as const, from: 'unset' as const },
      { typeUrl: CDS.typeUrl, name: 'authz', how: 'service' as const },
    ];
    const own = [
      { typeUrl: EDS.typeUrl, name: 'e' },
      { typeUrl: SDS.typeUrl, name: 's' },
      { typeUrl: RDS.typeUrl, name: 'r' },
    ];
    expect(followedNames(references, { fromApi: false, fromRest: false })).toEqual(own);
    const elsewhere = { typeUrl: RDS.typeUrl, name: 'elsewhere' };
    expect(followedNames(references, { fromApi: true, fromRest: false })).toEqual([...own, elsewhere]);
    const polled = followedNames(references, { fromApi: true, fromRest: true });
    expect(polled.map(({ name }) => name)).toEqual(['e', 's', 'r', 'elsewhere', 'polled']);
  });
});
