import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bodyInEffect } from '@/lib/facts/effect';
import { combinedState } from '@/lib/observation/combined-state';
import { CDS, EDS, RDS } from '@/lib/xds/resource-type';
import { anyOf, clusterOf, encodeMessage, packed } from '@/tests/support/builders/xds-wire';
import { TappedStream } from '@/tests/support/tapped-stream';

const service = 'envoy.service.discovery.v3';

/** The messages of an Envoy 1.40 with its control plane, in order. */
const folder = path.resolve(import.meta.dirname, '../../../fixtures/captures/envoy/cds-nack-then-same');
const messages = readdirSync(folder)
  .sort()
  .map((file) => ({
    direction: file.includes('-req-') ? ('up' as const) : ('down' as const),
    bytes: readFileSync(path.join(folder, file)),
  }));

/** The stream after the message with this number. */
function after(number: number): TappedStream {
  const stream = new TappedStream();
  for (const { direction, bytes } of messages.slice(0, number)) stream.send(direction, bytes);
  return stream;
}

it('an ACK of the payload that was rejected before: what was in effect before stays, and the NACK stays open', () => {
  const good = after(16).row(CDS.typeUrl, 'c1')?.hash;
  expect(good).toEqual(expect.any(String));

  const rejected = after(17).row(CDS.typeUrl, 'c1');
  expect(rejected).toMatchObject({ clientStatus: 'NACKED', hash: good });

  const stream = after(19);
  const acked = stream.row(CDS.typeUrl, 'c1');
  expect(acked).toMatchObject({
    clientStatus: 'ACKED',
    versionInfo: 'v6',
    hash: rejected?.errorState?.failedHash,
  });
  expect(acked && bodyInEffect(acked)).toBe(good);
  expect(stream.groups).toContain('c1 v5 open');
  expect(acked && combinedState(acked)).toBe('NACKED');
});

it('Envoy keeps the version of an unchanged resource beside a rejected one', () => {
  const stream = new TappedStream();
  const send = (version: string, clusters: readonly string[]) =>
    stream.send(
      'down',
      encodeMessage(`${service}.DiscoveryResponse`, {
        ...{ typeUrl: CDS.typeUrl, versionInfo: version, nonce: version },
        resources: clusters.map((each) => clusterOf(each.slice(0, 1), each)),
      }),
    );
  const request = (fields: object) =>
    stream.send(
      'up',
      encodeMessage(`${service}.DiscoveryRequest`, {
        ...{ node: { id: 'e', userAgentName: 'envoy' }, typeUrl: CDS.typeUrl, ...fields },
      }),
    );
  request({});
  send('1', ['a1', 'b1', 'c1']);
  request({ versionInfo: '1', responseNonce: '1' });
  send('2', ['a2', 'b1', 'c2']);
  const message = 'Error adding/updating cluster(s) a: wrong';
  request({ versionInfo: '1', responseNonce: '2', errorDetail: { code: 13, message } });
  const versionOf = (name: string) => stream.versionOf(CDS.typeUrl, name);
  expect(['a', 'b', 'c'].map(versionOf)).toEqual(['1', '1', '2']);
  send('3', ['a3', 'b1', 'c2']);
  request({ versionInfo: '3', responseNonce: '3' });
  expect(['a', 'b', 'c'].map(versionOf)).toEqual(['3', '3', '3']);
});

it('an ACK of the payload that was rejected first: nothing is in effect', () => {
  expect(after(11).row(CDS.typeUrl, 'cnew')).toMatchObject({ clientStatus: 'NACKED', hash: null });
  const acked = after(13).row(CDS.typeUrl, 'cnew');
  expect(acked).toMatchObject({ clientStatus: 'ACKED', versionInfo: 'v3' });
  expect(acked && bodyInEffect(acked)).toBeUndefined();
  expect(after(13).groups).toEqual(['cnew v2 open']);
  expect(after(15).groups).toEqual(['cnew v2 resolved']);
});

it('a late NACK is about the response that has the resource that its text names', () => {
  const stream = after(36);
  for (const name of ['c1', 'c2', 'cz']) {
    expect(stream.row(CDS.typeUrl, name)).toMatchObject({ clientStatus: 'ACKED' });
  }
  // The response of the nonce does not have it.
  expect(stream.row(CDS.typeUrl, 'cnew')).toBeUndefined();
  expect(stream.groups).toContain('cnew v10 resolved');
});

/** A client, an Envoy by default, that runs version 1 of two resources, and NACKs version 2. */
function rejecting(
  typeUrl: string,
  bodiesOf: (version: number) => readonly object[],
  message: string,
  { userAgentName = 'envoy', spoil = (value: Buffer): Buffer => value } = {},
) {
  const stream = new TappedStream();
  const type = typeUrl.slice(typeUrl.indexOf('/') + 1);
  const request = (fields: object) => {
    const node = { id: 'e', userAgentName };
    const bytes = encodeMessage(`${service}.DiscoveryRequest`, {
      node,
      typeUrl,
      resourceNames: ['a', 'b'],
      ...fields,
    });
    stream.send('up', bytes);
  };
  const respond = (version: number) => {
    const resources = bodiesOf(version).map((body, index) => {
      const any = packed(type, body as Record<string, unknown>);
      return version === 2 && index === 0 ? anyOf(typeUrl, spoil(Buffer.from(any.value))) : any;
    });
    const fields = { typeUrl, versionInfo: `v${version}`, nonce: `n${version}`, resources };
    stream.send('down', encodeMessage(`${service}.DiscoveryResponse`, fields));
  };
  request({});
  respond(1);
  request({ versionInfo: 'v1', responseNonce: 'n1' });
  const before = ['a', 'b'].map((name) => stream.row(typeUrl, name)?.hash);
  respond(2);
  request({ versionInfo: 'v1', responseNonce: 'n2', errorDetail: { code: 13, message } });
  const rows = ['a', 'b'].map((name) => stream.row(typeUrl, name));
  // The first resource is repaired, the other one comes again as it was.
  respond(3);
  request({ versionInfo: 'v3', responseNonce: 'n3' });
  return { rows, before, stream };
}

const endpointsOf = (version: number) =>
  ['a', 'b'].map((clusterName) => ({
    clusterName,
    policy: { overprovisioningFactor: { value: 100 + version } },
  }));

it('of EDS, Envoy may have applied any resource that the text does not name', () => {
  const text = 'Cluster drop_overloads config has 2 categories. Envoy only support one.';
  const { rows, before } = rejecting(EDS.typeUrl, endpointsOf, text);
  for (const [index, row] of rows.entries()) {
    expect(row).toMatchObject({
      clientStatus: 'NACKED',
      errorState: { mayBeInEffect: true },
      hash: before[index],
    });
  }
});

it('what was rejected beside an invalid resource is in effect once it is ACKed unchanged', () => {
  const bodiesOf = (version: number) =>
    ['a', 'b'].map((clusterName) => {
      const value = 100 + (clusterName === 'b' ? Math.min(version, 2) : version);
      return { clusterName, policy: { overprovisioningFactor: { value } } };
    });
  for (const text of [
    'Cluster drop_overloads config has 2 categories.',
    'x: Proto constraint validation failed (A.B: c)',
  ]) {
    const { rows, stream } = rejecting(EDS.typeUrl, bodiesOf, text);
    expect(rows[1]?.clientStatus).toBe('NACKED');
    const acked = stream.row(EDS.typeUrl, 'b');
    expect(acked).toMatchObject({ clientStatus: 'ACKED', errorState: null });
    expect(acked && bodyInEffect(acked)).toBe(rows[1]?.errorState?.failedHash);
    expect(stream.groups.every((group) => group.endsWith(' resolved'))).toBe(true);
  }
});

it('of the others, that of the resource that the text names is not in effect', () => {
  const text = 'Only unique values for domains are permitted. Duplicate entry of domain x in route a';
  const routesOf = (version: number) =>
    ['a', 'b'].map((name) => ({ name, virtualHosts: [{ name: `v${version}`, domains: ['*'] }] }));
  const { rows, before } = rejecting(RDS.typeUrl, routesOf, text);
  expect(rows[0]).toMatchObject({ clientStatus: 'NACKED', hash: before[0] });
  expect(rows[0]?.errorState).not.toHaveProperty('mayBeInEffect');
  expect(rows[1]).toMatchObject({
    clientStatus: 'UNKNOWN',
    errorState: { mayBeInEffect: true },
    hash: before[1],
  });
});

it('nothing of a response that breaks a constraint of its messages is in effect', () => {
  const text =
    'x: Proto constraint validation failed (ClusterLoadAssignmentValidationError.Endpoints[0]: embedded message failed validation | caused by LocalityLbEndpointsValidationError.Priority: value must be less than or equal to 128)';
  const { rows } = rejecting(EDS.typeUrl, endpointsOf, text);
  for (const row of rows) {
    expect(row).toMatchObject({ clientStatus: 'NACKED' });
    expect(row?.errorState).not.toHaveProperty('mayBeInEffect');
  }
});

it('gRPC clients delete a cluster whose payload does not decode, because it has no name for them', () => {
  const clustersOf = (version: number) =>
    ['a', 'b'].map((name) => ({ name, connectTimeout: { seconds: version } }));
  const spoil = (value: Buffer) => Buffer.concat([value, Buffer.from([0xfa, 0x7f, 0x7f])]);
  const text =
    "xDS response validation errors: [resource index 0: INVALID_ARGUMENT: Can't decode Cluster resource.]";
  const { rows } = rejecting(CDS.typeUrl, clustersOf, text, { userAgentName: 'gRPC C-core', spoil });
  expect(rows[0]).toMatchObject({ clientStatus: 'NACKED', hash: null });
  expect(rows[1]).toMatchObject({ clientStatus: 'ACKED' });
});

it('an ACK of everything that was rejected proves nothing, although the text of the NACK named no resource', () => {
  const text = 'Cluster drop_overloads config has 2 categories.';
  const endpoints = (version: number) => endpointsOf(Math.min(version, 2));
  const { rows, before, stream } = rejecting(EDS.typeUrl, endpoints, text);
  expect(rows[0]?.errorState?.details).toBe(text);
  for (const [index, name] of ['a', 'b'].entries()) {
    const acked = stream.row(EDS.typeUrl, name);
    expect(acked).toMatchObject({ clientStatus: 'ACKED', versionInfo: 'v3' });
    expect(acked && bodyInEffect(acked)).toBe(before[index]);
  }
});
