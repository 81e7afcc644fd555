import { describe, expect, test } from 'vitest';
import { CDS, ECDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { messageType } from '@/server/codec/root';
import { encodeRequest } from '@/server/collect/xds/stream/encode-request';
import type { SentRequest } from '@/server/collect/xds/stream/xds-channel';
import { channelNode } from '../../../../support/grpc-channel-story';

const codec = createCodec({ redactionKey: new Uint8Array(32) });

const base: SentRequest = {
  isDelta: false,
  reason: 'subscription',
  typeUrl: CDS.typeUrl,
  withNode: false,
  versionInfo: '',
  responseNonce: '',
  resourceNames: [],
  unsubscribed: [],
  initialResourceVersions: new Map(),
  errorDetail: '',
};

function decoded(request: Partial<SentRequest>, apiVersion: 'v3' | 'v2' = 'v3'): Record<string, unknown> {
  const whole = { ...base, ...request };
  const bytes = encodeRequest(whole, { node: channelNode, codec, apiVersion });
  const type = messageType(`envoy.service.discovery.v3.${whole.isDelta ? 'Delta' : ''}DiscoveryRequest`);
  return type.toObject(type.decode(bytes));
}

describe('encodeRequest', () => {
  test('encodes version, nonce, names and error in state of the world', () => {
    const request = { versionInfo: '7', responseNonce: 'n', resourceNames: ['a', 'b'] };
    expect(decoded(request)).toEqual({ typeUrl: CDS.typeUrl, ...request });
    expect(decoded({ ...request, reason: 'nack', errorDetail: 'broken' })).toMatchObject({
      errorDetail: { code: 3, message: 'broken' },
    });
  });

  test('encodes added and removed names and initial versions in delta', () => {
    const initialResourceVersions = new Map([
      ['a', '1'],
      ['constructor', '2'],
    ]);
    const request = {
      resourceNames: ['a'],
      unsubscribed: ['b'],
      responseNonce: 'n',
      initialResourceVersions,
    };
    expect(decoded({ isDelta: true, ...request })).toEqual({
      typeUrl: CDS.typeUrl,
      resourceNamesSubscribe: ['a'],
      resourceNamesUnsubscribe: ['b'],
      responseNonce: 'n',
      initialResourceVersions: { a: '1', constructor: '2' },
    });
    const nack = decoded({ isDelta: true, reason: 'nack', responseNonce: 'n', errorDetail: 'broken' });
    expect(nack).toEqual({
      typeUrl: CDS.typeUrl,
      responseNonce: 'n',
      errorDetail: { code: 3, message: 'broken' },
    });
  });

  test.each([false, true])('encodes the node in the first request (delta: %s)', (isDelta) => {
    expect(decoded({ isDelta, withNode: true })).toMatchObject({
      node: {
        id: 'channel-story',
        userAgentName: 'xdscope',
        userAgentVersion: '1.2.3',
        clientFeatures: expect.arrayContaining(['xds.config.resource-in-sotw']),
      },
    });
    expect(decoded({ isDelta })).not.toHaveProperty('node');
  });

  test('encodes the v2 type name if there is one, and build_version, in v2', () => {
    expect(decoded({}, 'v2')).toMatchObject({ typeUrl: 'type.googleapis.com/envoy.api.v2.Cluster' });
    expect(decoded({ typeUrl: ECDS.typeUrl }, 'v2')).toMatchObject({ typeUrl: ECDS.typeUrl });
    // v2.core.Node.build_version is field 5, a string: tag 0x2a.
    const field = Buffer.concat([Buffer.from([0x2a, 13]), Buffer.from('xdscope/1.2.3')]);
    const bytes = (apiVersion: 'v3' | 'v2'): Buffer =>
      Buffer.from(encodeRequest({ ...base, withNode: true }, { node: channelNode, codec, apiVersion }));
    expect(bytes('v2').includes(field)).toBe(true);
    expect(bytes('v3').includes(field)).toBe(false);
    expect(decoded({ withNode: true }, 'v2')).toMatchObject({ node: { id: 'channel-story' } });
  });

  test('encodes any string as a name', () => {
    const names = ['', '__proto__', 'a\u0000b', 'ünï ☃ 𝄞', 'x'.repeat(200), 'y'.repeat(70_000)];
    expect(decoded({ resourceNames: names })).toMatchObject({ resourceNames: names });
    const initialResourceVersions = new Map(names.map((name, index) => [name, 'v'.repeat(index * 100)]));
    const whole = { ...base, isDelta: true, initialResourceVersions };
    const bytes = encodeRequest(whole, { node: channelNode, codec, apiVersion: 'v3' });
    const type = messageType('envoy.service.discovery.v3.DeltaDiscoveryRequest');
    const { initialResourceVersions: read } = Object(type.decode(bytes));
    for (const [name, version] of initialResourceVersions) {
      // protobufjs keeps maps in objects and omits this key.
      if (name !== '__proto__') expect(read[name]).toBe(version);
    }
  });

  test('encodes a node of any size', () => {
    const node = { ...channelNode, id: 'x'.repeat(20_000) };
    const bytes = encodeRequest({ ...base, withNode: true }, { node, codec, apiVersion: 'v2' });
    const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
    expect(type.toObject(type.decode(bytes)).node.id).toHaveLength(20_000);
  });
});
