import { deepStrictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followedReferences } from '@/lib/model/followed-references';
import { CDS, EDS, LDS, RDS, RTDS, SDS } from '@/lib/xds/resource-type';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { readResources } from '@/server/codec/dump-parser/read-resources';
import { inspectAny, inspectResource } from '@/server/codec/inspect-resource';
import { isPlainResource } from '@/server/codec/is-plain-resource';
import { redactWire } from '@/server/codec/redact-wire';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';
import { mayHoldSecretValue } from '@/server/codec/secrets/trigger-scan';
import { sha256 } from '@/server/codec/sha256';
import { seededRandom } from '@/server/lab/random';
import { corpusFolders } from '@/tests/support/builders/codec-corpus';
import { anyMessageBytes, randomMessage, wireField } from '@/tests/support/builders/random-message';
import { isLong, runs } from '@/tests/support/runs';

const marker = createRedactionMarker(Buffer.from('tests'));
const url = (name: string) => `type.googleapis.com/${name}`;

/** The types that a probe receives, and types with maps, packed fields, structs and all kinds of secrets. */
const typeUrls = [
  ...[LDS, RDS, CDS, EDS, SDS, RTDS].map(({ typeUrl }) => typeUrl),
  url('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
  url('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext'),
  url('envoy.config.core.v3.GrpcService'),
  url('envoy.config.bootstrap.v3.Bootstrap'),
  url('envoy.config.core.v3.HeaderValueOption'),
  url('google.protobuf.Struct'),
];

/**
 * Asserts that a strict decoder accepts plain bytes, that the redactor keeps them except for secrets by value, and that
 * the inspection has the same result.
 */
function expectSound(typeUrl: string, bytes: Uint8Array): boolean {
  const isPlain = isPlainResource(typeUrl, bytes);
  const careful = inspectAny(typeUrl, bytes, true, marker);
  deepStrictEqual(inspectResource(typeUrl, bytes, { withReferences: true }, marker), careful);
  if (!isPlain) return false;
  const type = messageType(typeUrl);
  expect(() => type.decode(bytes)).not.toThrow();
  if (!mayHoldSecretValue(bytes)) deepStrictEqual(redactWire(type, bytes, marker), { bytes, redacted: [] });
  return true;
}

function mutated(bytes: Uint8Array, seed: number): Buffer {
  const random = seededRandom(seed);
  const at = Math.floor(random() * bytes.length);
  const copy = Buffer.from(bytes);
  switch (Math.floor(random() * 4)) {
    case 0:
      copy[at] = Math.floor(random() * 256);
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1)]);
    default:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(Math.floor(at / 2))]);
  }
}

describe('isPlainResource', () => {
  test.each(typeUrls)(
    'is true only for bytes that the decoder accepts and the redactor keeps: %s',
    (typeUrl) => {
      const type = messageType(typeUrl);
      fc.assert(
        fc.property(fc.integer({ min: 0 }), fc.integer({ min: 0 }), (seed, change) => {
          const bytes = randomMessage(type, seed);
          expectSound(typeUrl, bytes);
          expectSound(typeUrl, Uint8Array.from(bytes));
          for (let each = 0; each < 4; each++) expectSound(typeUrl, mutated(bytes, change + each));
        }),
        { numRuns: runs(20) },
      );
    },
  );

  test('is false for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...typeUrls), (bytes, typeUrl) => {
        expectSound(typeUrl, bytes);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('is true for the endpoints and clusters of control planes', () => {
    const cluster = messageType(CDS.typeUrl);
    const assignment = messageType(EDS.typeUrl);
    const bytes = cluster.encode(
      cluster.fromObject({
        name: 'ä',
        type: 'EDS',
        edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: 'eds' },
        connectTimeout: { seconds: 10 },
        metadata: { filterMetadata: { istio: { fields: { workload: { stringValue: 'w' } } } } },
      }),
    );
    expect(expectSound(CDS.typeUrl, bytes.finish())).toBe(true);
    const endpoint = { endpoint: { address: { socketAddress: { address: '::1', portValue: 80 } } } };
    const endpoints = { clusterName: 'a', endpoints: [{ lbEndpoints: [endpoint], priority: 300 }] };
    expect(expectSound(EDS.typeUrl, assignment.encode(assignment.fromObject(endpoints)).finish())).toBe(true);
  });

  const text = (value: string) => wireField(1, 2, Buffer.from(value));
  const socket = (any: Buffer) => Buffer.concat([text('a'), wireField(24, 2, wireField(3, 2, any))]);
  const structWith = (key: string) => {
    const value = wireField(2, 2, wireField(3, 2, Buffer.from('CANARY')));
    return wireField(1, 2, Buffer.concat([text(key), value]));
  };
  const ofStruct = anyMessageBytes(url('google.protobuf.Struct'), structWith('password'));
  const typedStruct = anyMessageBytes(url('xds.type.v3.TypedStruct'), wireField(2, 2, structWith('a')));
  const deep = Array.from({ length: 60 }).reduce<Buffer>(
    (below) => wireField(1, 2, Buffer.concat([text('k'), wireField(2, 2, wireField(5, 2, below))])),
    structWith('a'),
  );
  test.each<[string, string, Buffer]>([
    ['a type that is not known', 'acme.Type', text('a')],
    ['text that is no UTF-8', CDS.typeUrl, wireField(1, 2, Buffer.from([0xc3]))],
    ['a field of another wire type', CDS.typeUrl, wireField(1, 0, Buffer.from([1]))],
    ['a group', CDS.typeUrl, Buffer.concat([text('a'), Buffer.from([0xa3, 0x38, 0x08, 0x01, 0xa4, 0x38])])],
    ['a message that is cut short', CDS.typeUrl, text('abc').subarray(0, 4)],
    ['an empty field that would be secret', SDS.typeUrl, wireField(5, 2, wireField(1, 2, Buffer.alloc(0)))],
    ['a secret by the name of its key', url('google.protobuf.Struct'), structWith('db_password')],
    ['the same in an Any', CDS.typeUrl, socket(ofStruct)],
    ['JSON that spells another type', CDS.typeUrl, socket(typedStruct)],
    [
      'an Any whose type is reported twice',
      CDS.typeUrl,
      socket(Buffer.concat([ofStruct, text('acme.Type')])),
    ],
    ['what is nested deep', url('google.protobuf.Struct'), deep],
    ['an Any itself', url('google.protobuf.Any'), ofStruct],
  ])('is false, without a different result, for %s', (_, typeUrl, bytes) => {
    expect(isPlainResource(typeUrl, bytes)).toBe(false);
    expectSound(typeUrl, bytes);
  });

  test('does not exempt the text of a private key from masking', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----';
    const { body } = inspectResource(CDS.typeUrl, text(key), { withReferences: false }, marker);
    expect(Buffer.from(body.bytes).includes('MIIE')).toBe(false);
    expectSound(CDS.typeUrl, text(key));
  });

  test('references are the same from bytes and from JSON', () => {
    const type = messageType(CDS.typeUrl);
    const config = (edsConfig: object, serviceName = 'eds') => ({
      edsClusterConfig: { edsConfig, serviceName },
    });
    const clusters = [
      { name: 'a', type: 'EDS' },
      { name: 'a', type: 'EDS', ...config({ ads: {} }) },
      { name: 'a', type: 'EDS', ...config({ self: {} }, '') },
      { name: 'a', type: 'EDS', ...config({}) },
      { name: 'a', type: 'EDS', ...config({ path: '/etc/eds' }) },
      { name: 'a', type: 'EDS', ...config({ pathConfigSource: { path: '/etc/eds' } }) },
      { name: 'a', type: 'EDS', ...config({ apiConfigSource: {} }) },
      { name: 'a', type: 'EDS', ...config({ apiConfigSource: { apiType: 'REST' } }) },
      { name: 'a', type: 'STRICT_DNS', ...config({ ads: {} }) },
      { name: 'a', clusterType: { name: 'x' }, ...config({ ads: {} }) },
      { type: 'EDS' },
    ];
    const found = clusters.map((each) => {
      const bytes = type.encode(type.fromObject(each)).finish();
      expectSound(CDS.typeUrl, bytes);
      const twice = Buffer.concat([bytes, wireField(3, 2, wireField(2, 2, Buffer.from('last')))]);
      expectSound(CDS.typeUrl, twice);
      return inspectResource(CDS.typeUrl, bytes, { withReferences: true }, marker).references;
    });
    expect(found.map((each) => each.map(({ name }) => name))).toEqual([
      ...[['a'], ['eds'], ['a'], ['eds']],
      ...[[], [], ['eds'], ['eds'], [], [], []],
    ]);
    const options = { fromApi: true, fromRest: false };
    for (const each of found) expect(followedReferences(each, options)).toEqual(each);
  });
});

describe('every resource of real systems', () => {
  test('is inspected with the same result with and without the shortcut, also if it is broken', () => {
    const count = { plain: 0, all: 0 };
    const seen = new Set<string>();
    const mutations = isLong ? 30 : 1;
    for (const folder of corpusFolders) {
      for (const name of readdirSync(folder).filter((each) => /\.(json|yaml|bin)$/.test(each))) {
        const { resources } = readResources(planReport(readFileSync(path.join(folder, name))));
        for (const { typeUrl, bytes } of resources) {
          const content = `${typeUrl} ${sha256(bytes)}`;
          if (seen.has(content)) continue;
          seen.add(content);
          count.all++;
          if (expectSound(typeUrl, bytes)) count.plain++;
          for (let seed = 0; seed < mutations; seed++) expectSound(typeUrl, mutated(bytes, seed));
        }
      }
    }
    process.stdout.write(`${count.plain} of ${count.all} resources of real systems are plain\n`);
    expect(count.plain / count.all).toBeGreaterThan(0.8);
  });
});
