import { describe, expect, test } from 'vitest';
import { CDS, EDS, VHDS } from '@/lib/xds/resource-type';
import { peekResourceName } from '@/server/codec/resource-name';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import type { ResponseEntry, ResponseEnvelope } from '@/server/collect/xds/response/response-envelope';
import {
  anyOf,
  clusterOf,
  encodeMessage,
  endpointsOf,
  packed,
  responseOf,
  wrapped,
} from '../../../support/builders/xds-wire';

const notProtobuf = Buffer.from('<html>not protobuf</html>');

function envelopeOf(fields: Record<string, unknown>, typeUrl: string | null = null): ResponseEnvelope {
  const message = encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', fields);
  const result = decodeEnvelope(message, { isDelta: true, typeUrl, apiVersion: 'v3' });
  if (result.kind !== 'envelope') throw new Error(result.reason);
  return result.envelope;
}

function entriesOf(envelope: ResponseEnvelope): ResponseEntry[] {
  return [...readEntries(envelope, peekResourceName)];
}

const clusters = (...resources: object[]): ResponseEntry[] =>
  entriesOf(envelopeOf({ typeUrl: CDS.typeUrl, nonce: 'n', resources }));

describe('decodeEnvelope() of a delta response', () => {
  test('reads versions, removals of both fields without duplicates, and errors', () => {
    const envelope = envelopeOf({
      systemVersionInfo: '7',
      typeUrl: CDS.typeUrl,
      nonce: 'n1',
      removedResources: ['a', 'b'],
      removedResourceNames: [{ name: 'b' }, { name: 'c' }],
      resourceErrors: [
        { resourceName: { name: 'd' }, errorDetail: { code: 5, message: 'no such cluster' } },
        {},
      ],
      controlPlane: { identifier: 'cp' },
    });
    expect(envelope).toMatchObject({
      isDelta: true,
      apiVersion: 'v3',
      typeUrl: CDS.typeUrl,
      versionInfo: '7',
      nonce: 'n1',
      controlPlane: 'cp',
      removedResources: ['a', 'b', 'c'],
      resourceErrors: [
        { name: 'd', code: 5, message: 'no such cluster' },
        { name: '', code: 0, message: '' },
      ],
    });
  });

  test('reads errors in state of the world too', () => {
    const message = encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', {
      typeUrl: EDS.typeUrl,
      resourceErrors: [{ resourceName: { name: 'e' }, errorDetail: { code: 7, message: 'not for you' } }],
    });
    expect(decodeEnvelope(message)).toMatchObject({
      envelope: { isDelta: false, resourceErrors: [{ name: 'e', code: 7, message: 'not for you' }] },
    });
  });

  test('returns the reason for bytes that are not a DeltaDiscoveryResponse', () => {
    const result = decodeEnvelope(notProtobuf, { isDelta: true, typeUrl: null, apiVersion: 'v3' });
    expect(result).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringMatching(/^expected a DeltaDiscoveryResponse, got 25 bytes that do not decode/),
    });
  });

  test('uses the type of the stream if the response has none, and reports another type', () => {
    expect(envelopeOf({ nonce: 'n' }, CDS.typeUrl)).toMatchObject({ typeUrl: CDS.typeUrl, problems: [] });
    const other = envelopeOf({ typeUrl: EDS.typeUrl }, CDS.typeUrl);
    expect(other.typeUrl).toBe(CDS.typeUrl);
    expect(entriesOf(other)).toEqual([
      {
        kind: 'problem',
        name: null,
        reason: expect.stringMatching(/^type_url: expected ".*Cluster", the stream's/),
      },
    ]);
  });
});

describe('readEntries() of a delta response', () => {
  test('yields the version, time to live and aliases of the wrapper', () => {
    const a = clusterOf('a');
    expect(
      clusters({
        name: 'a',
        version: '3',
        ttl: { seconds: 2, nanos: 500_000_000 },
        aliases: ['b'],
        resource: a,
      }),
    ).toEqual([
      {
        kind: 'resource',
        name: 'a',
        bytes: Buffer.from(a.value),
        version: '3',
        ttlMs: 2_500,
        aliases: ['b'],
        apiVersion: 'v3',
      },
    ]);
  });

  test('yields heartbeats for wrappers without a payload', () => {
    expect(clusters({ name: 'a', version: '3', ttl: { seconds: 1 } })).toEqual([
      { kind: 'heartbeat', name: 'a', version: '3', ttlMs: 1_000, aliases: [] },
    ]);
  });

  test('uses the name of the wrapper, because a virtual host has another name inside', () => {
    const host = packed(VHDS.typeUrl, { name: 'the host', domains: ['a.example'] });
    const resource = {
      name: 'routes/canonical',
      aliases: ['routes/a.example'],
      version: '1',
      resource: host,
    };
    expect(entriesOf(envelopeOf({ typeUrl: VHDS.typeUrl, resources: [resource] }))).toMatchObject([
      { kind: 'resource', name: 'routes/canonical', aliases: ['routes/a.example'] },
    ]);
  });

  test('uses resource_name or the name of the payload if the wrapper has no name', () => {
    expect(clusters({ resourceName: { name: 'by locator' }, resource: clusterOf('a') })).toMatchObject([
      { kind: 'resource', name: 'by locator' },
    ]);
    expect(clusters({ version: '1', resource: clusterOf('a') })).toMatchObject([
      { kind: 'resource', name: 'a' },
    ]);
  });

  test('ignores a time to live of zero or less', () => {
    const ttls = [{}, { seconds: 0 }, { seconds: -5 }].map((ttl, index) => ({ name: `${index}`, ttl }));
    expect(clusters(...ttls).map((entry) => entry.kind === 'heartbeat' && entry.ttlMs)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('yields an undecodable payload with its name', () => {
    expect(clusters({ name: 'a', resource: anyOf(CDS.typeUrl, notProtobuf) })).toMatchObject([
      { kind: 'resource', name: 'a', bytes: Buffer.from(notProtobuf) },
    ]);
  });

  const problems: { title: string; fields: Record<string, unknown>; reason: RegExp; name?: string }[] = [
    {
      title: 'a second copy of a name',
      fields: {
        resources: [
          { name: 'a', resource: clusterOf('a') },
          { name: 'a', resource: clusterOf('b') },
        ],
      },
      reason: /^resources\[1\] "a": expected one resource of this name, got another copy$/,
    },
    {
      title: 'a name that is sent and removed',
      fields: { resources: [{ name: 'a', resource: clusterOf('a') }], removedResources: ['b', 'a'] },
      reason: /^removed_resources: expected "a" to be sent or removed, got both$/,
    },
    {
      title: 'a name that is sent and in error',
      fields: {
        resources: [{ name: 'a', resource: clusterOf('a') }],
        resourceErrors: [{ resourceName: { name: 'a' }, errorDetail: { code: 5 } }],
      },
      reason: /^resource_errors: expected "a" to be sent or in error, got both$/,
    },
    {
      title: 'another type inside',
      fields: { resources: [{ name: 'a', resource: endpointsOf('a') }] },
      name: 'a',
      reason: /^resources\[0\] "a": expected type ".*Cluster", got ".*ClusterLoadAssignment"$/,
    },
    {
      title: 'neither name nor payload',
      fields: { resources: [{ version: '1' }] },
      reason: /^resources\[0\]: a wrapping Resource without name or resource$/,
    },
    {
      title: 'a body without a name in a wrapper without one',
      fields: { resources: [{ resource: anyOf(CDS.typeUrl, notProtobuf) }] },
      reason: /^resources\[0\]: no name can be read: 25 bytes are not a .*Cluster, or have none$/,
    },
  ];
  test.each(problems)('$title is a problem with a reason', ({ fields, reason, name = null }) => {
    const found = entriesOf(envelopeOf({ typeUrl: CDS.typeUrl, ...fields })).at(-1);
    expect(found).toMatchObject({ kind: 'problem', name, reason: expect.stringMatching(reason) });
  });

  test('accepts any names of resources and removals', () => {
    const names = ['__proto__', 'constructor', 'a\u0000b', '<img src=x>', 'x'.repeat(10_000)];
    const resources = names.map((name) => ({ name, resource: clusterOf('c') }));
    const envelope = envelopeOf({ typeUrl: CDS.typeUrl, resources, removedResources: names });
    const entries = entriesOf(envelope);
    expect(entries.flatMap((entry) => (entry.kind === 'resource' ? [entry.name] : []))).toEqual(names);
    expect(envelope.removedResources).toEqual(names);
  });
});

describe.each([false, true])('an element that is not protobuf (delta: %s)', (isDelta) => {
  const name = `envoy.service.discovery.v3.${isDelta ? 'Delta' : ''}DiscoveryResponse`;
  const good = isDelta ? { name: 'a', resource: clusterOf('a') } : clusterOf('a');
  const head = encodeMessage(name, { typeUrl: CDS.typeUrl, nonce: 'n', resources: [good] });
  /** Field 2, length-delimited. */
  const element = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0x12, bytes.length]), bytes]);
  const tail = encodeMessage(name, {
    resources: [isDelta ? { name: 'b', resource: clusterOf('b') } : clusterOf('b')],
  });

  test.each([
    ['another protocol', notProtobuf],
    ['a length beyond its end', Buffer.from([0x0a, 0x7f, 0x61])],
    ['a varint without an end', Buffer.from([0x08, 0xff, 0xff])],
  ])('%s is a problem at its index, and the other elements and the nonce are read', (_title, bytes) => {
    const as = { isDelta, typeUrl: null, apiVersion: 'v3' } as const;
    const result = decodeEnvelope(Buffer.concat([head, element(bytes), tail]), as);
    if (result.kind !== 'envelope') throw new Error(result.reason);
    expect(result.envelope.nonce).toBe('n');
    expect(entriesOf(result.envelope)).toMatchObject([
      { kind: 'resource', name: 'a' },
      { kind: 'problem', name: null, reason: expect.stringMatching(/^resources\[1\]: .*not decode/) },
      { kind: 'resource', name: 'b' },
    ]);
  });

  test('a truncated response is unreadable', () => {
    const as = { isDelta, typeUrl: null, apiVersion: 'v3' } as const;
    expect(decodeEnvelope(head.subarray(0, head.length - 1), as)).toMatchObject({ kind: 'unreadable' });
  });
});

describe('v2', () => {
  const v2Cluster = anyOf('type.googleapis.com/envoy.api.v2.Cluster', clusterOf('a').value);

  test('type URLs are mapped to v3, and the envelope and the entry are marked', () => {
    const sotw = responseOf({
      typeUrl: 'type.googleapis.com/envoy.api.v2.Cluster',
      versionInfo: '1',
      nonce: 'n',
      resources: [v2Cluster],
    });
    const result = decodeEnvelope(sotw);
    if (result.kind !== 'envelope') throw new Error(result.reason);
    expect(result.envelope).toMatchObject({ apiVersion: 'v2', typeUrl: CDS.typeUrl });
    expect(entriesOf(result.envelope)).toMatchObject([{ kind: 'resource', name: 'a', apiVersion: 'v2' }]);
  });

  test('v2 resources in a v3 response are accepted, bare or wrapped', () => {
    const bare = responseOf({
      typeUrl: CDS.typeUrl,
      versionInfo: '1',
      nonce: 'n',
      resources: [clusterOf('b'), v2Cluster],
    });
    const nested = responseOf({
      typeUrl: CDS.typeUrl,
      versionInfo: '1',
      nonce: 'n',
      resources: [wrapped('a', v2Cluster)],
    });
    for (const [message, versions] of [
      [bare, ['v3', 'v2']],
      [nested, ['v2']],
    ] as const) {
      const result = decodeEnvelope(message);
      if (result.kind !== 'envelope') throw new Error(result.reason);
      expect(
        entriesOf(result.envelope).map((entry) => entry.kind === 'resource' && entry.apiVersion),
      ).toEqual(versions);
    }
    expect(clusters({ name: 'a', resource: v2Cluster })).toMatchObject([{ apiVersion: 'v2' }]);
  });
});
