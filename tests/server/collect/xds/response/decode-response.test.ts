import { describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import type { ResponseEntry } from '@/server/collect/xds/response/response-envelope';
import {
  type AnyMessage,
  anyOf,
  clusterOf,
  endpointsOf,
  responseOf,
  wrapped,
} from '../../../../support/builders/xds-wire';

/** The name by a full decode, as the codec reads it. */
function nameOf(typeUrl: string, bytes: Uint8Array): string | undefined {
  try {
    const decoded = messageType(typeUrl).decode(bytes);
    return String(decoded[typeUrl === EDS.typeUrl ? 'clusterName' : 'name']);
  } catch {
    return undefined;
  }
}

function entriesOf(typeUrl: string, ...resources: AnyMessage[]): ResponseEntry[] {
  const result = decodeEnvelope(responseOf({ typeUrl, versionInfo: '1', nonce: 'n', resources }));
  if (result.kind !== 'envelope') throw new Error(result.reason);
  return [...readEntries(result.envelope, nameOf)];
}

/** The fields that only a wrapper sets. */
const bare = { version: '', ttlMs: null, aliases: [], apiVersion: 'v3' };

const notProtobuf = Buffer.from('<html>not protobuf</html>');

describe('decodeEnvelope', () => {
  test('reads version, nonce, type, control plane and size, and leaves the resources encoded', () => {
    const a = clusterOf('a');
    const message = responseOf({
      typeUrl: CDS.typeUrl,
      versionInfo: '7',
      nonce: 'n1',
      resources: [a],
      controlPlane: { identifier: 'istiod-1' },
    });
    const result = decodeEnvelope(message);
    if (result.kind !== 'envelope') throw new Error(result.reason);
    const { resources, ...rest } = result.envelope;
    expect([...resources]).toEqual([expect.objectContaining({ type_url: CDS.typeUrl })]);
    expect(rest).toEqual({
      isDelta: false,
      apiVersion: 'v3',
      typeUrl: CDS.typeUrl,
      versionInfo: '7',
      nonce: 'n1',
      controlPlane: 'istiod-1',
      sizeBytes: message.length,
      removedResources: [],
      resourceErrors: [],
      problems: [],
    });
  });

  test('reads an empty message as a response without type', () => {
    expect(decodeEnvelope(Buffer.alloc(0))).toMatchObject({ kind: 'envelope', envelope: { typeUrl: '' } });
  });

  test('returns a reason for bytes that are not a DiscoveryResponse', () => {
    const result = decodeEnvelope(notProtobuf);
    expect(result).toMatchObject({ kind: 'unreadable' });
    expect(result.kind === 'unreadable' && result.reason).toMatch(
      /expected a DiscoveryResponse, got 25 bytes/,
    );
  });
});

describe('readEntries', () => {
  test('returns name and bytes of each resource', () => {
    const [a, b] = [clusterOf('a'), clusterOf('b')];
    expect(entriesOf(CDS.typeUrl, a, b)).toEqual([
      { kind: 'resource', name: 'a', bytes: Buffer.from(a.value), ...bare },
      { kind: 'resource', name: 'b', bytes: Buffer.from(b.value), ...bare },
    ]);
  });

  test('unwraps a Resource before it checks the type', () => {
    const a = endpointsOf('a');
    expect(entriesOf(EDS.typeUrl, wrapped('a', a))).toEqual([
      { kind: 'resource', name: 'a', bytes: Buffer.from(a.value), ...bare },
    ]);
  });

  test('reads a wrapper without a payload as a heartbeat', () => {
    expect(entriesOf(EDS.typeUrl, wrapped('a'))).toEqual([
      { kind: 'heartbeat', name: 'a', version: '', ttlMs: null, aliases: [] },
    ]);
  });

  test('reads type URLs without a prefix as the same types', () => {
    const withoutPrefix = anyOf('envoy.config.cluster.v3.Cluster', clusterOf('a').value);
    expect(entriesOf('envoy.config.cluster.v3.Cluster', withoutPrefix)).toMatchObject([
      { kind: 'resource', name: 'a' },
    ]);
  });

  const problems: { title: string; entries: AnyMessage[]; name?: string; reason: RegExp }[] = [
    {
      title: 'another type than the response states',
      entries: [endpointsOf('a')],
      reason: /^resources\[0\]: expected type ".*Cluster", got ".*ClusterLoadAssignment"$/,
    },
    {
      title: 'another type in a wrapper with a name',
      entries: [wrapped('a', endpointsOf('a'))],
      name: 'a',
      reason: /^resources\[0\] "a": expected type ".*Cluster", got ".*ClusterLoadAssignment"$/,
    },
    { title: 'no type URL', entries: [anyOf('', Buffer.alloc(0))], reason: /got no type URL$/ },
    {
      title: 'bytes that are not protobuf',
      entries: [anyOf(CDS.typeUrl, notProtobuf)],
      reason: /^resources\[0\]: no name can be read: 25 bytes are not a .*Cluster, or have none$/,
    },
    {
      title: 'a wrapper that does not decode',
      entries: [anyOf('type.googleapis.com/envoy.service.discovery.v3.Resource', notProtobuf)],
      reason: /^resources\[0\]: the wrapping Resource does not decode/,
    },
    {
      title: 'an empty wrapper',
      entries: [wrapped('')],
      reason: /without name or resource$/,
    },
    {
      title: 'a second resource of a name',
      entries: [clusterOf('a'), clusterOf('a', 'other')],
      reason: /^resources\[1\] "a": expected one resource of this name, got another copy$/,
    },
  ];
  test.each(problems)('$title is a problem', ({ entries, name = null, reason }) => {
    const problem = entriesOf(CDS.typeUrl, ...entries).at(-1);
    expect(problem).toMatchObject({ kind: 'problem', name, reason: expect.stringMatching(reason) });
  });

  test('a problem affects no other resource of the response', () => {
    const kinds = entriesOf(
      CDS.typeUrl,
      clusterOf('a'),
      anyOf(CDS.typeUrl, notProtobuf),
      clusterOf('b'),
      anyOf(LDS.typeUrl, Buffer.alloc(0)),
    ).map(({ kind }) => kind);
    expect(kinds).toEqual(['resource', 'problem', 'resource', 'problem']);
  });

  test('reads any string as a name', () => {
    const names = ['', '__proto__', 'constructor', 'a\u0000b', '<img src=x>', 'x'.repeat(10_000)];
    const entries = entriesOf(CDS.typeUrl, ...names.map((name) => clusterOf(name)));
    expect(entries.map((entry) => entry.kind === 'resource' && entry.name)).toEqual(names);
  });
});
