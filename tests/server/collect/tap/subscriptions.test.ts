import { describe, expect, it } from 'vitest';
import { inEffect } from '@/lib/facts/effect';
import type { ResourceState } from '@/lib/observation/resource-state';
import { CDS, VHDS } from '@/lib/xds/resource-type';
import { type AnyMessage, clusterOf, encodeMessage, packed } from '@/tests/support/builders/xds-wire';
import { TappedStream } from '@/tests/support/tapped-stream';

const service = 'envoy.service.discovery.v3';

interface Sent {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly resource?: AnyMessage;
}

/** An Envoy on a delta stream, which answers each response. */
class Delta {
  readonly stream = new TappedStream({ isDelta: true });
  readonly #typeUrl: string;
  readonly #userAgentName: string;
  #count = 0;

  constructor(typeUrl: string, userAgentName = 'envoy') {
    this.#typeUrl = typeUrl;
    this.#userAgentName = userAgentName;
  }

  subscribe(...names: string[]): this {
    return this.#request({ resourceNamesSubscribe: names });
  }

  /** The response and its answer. */
  receive(resources: readonly Sent[], removed: readonly string[] = [], error?: string): this {
    this.#count += 1;
    const version = String(this.#count);
    const response = {
      ...{ typeUrl: this.#typeUrl, nonce: version, systemVersionInfo: version, removedResources: removed },
      resources: resources.map((each) => ({ version, ...each })),
    };
    this.stream.send('down', encodeMessage(`${service}.DeltaDiscoveryResponse`, response));
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 13, message: error } };
    return this.#request({ responseNonce: version, ...errorDetail });
  }

  get rows(): ResourceState[] {
    const [client] = this.stream.world.values();
    const [report] = client?.reports.values() ?? [];
    return [...(report?.resources.values() ?? [])];
  }

  get states(): string[] {
    return this.rows.map(({ name, clientStatus, versionInfo }) =>
      `${name} ${clientStatus} ${versionInfo}`.trim(),
    );
  }

  #request(fields: object): this {
    const node = { id: 'e', userAgentName: this.#userAgentName };
    const request = { node, typeUrl: this.#typeUrl, ...fields };
    this.stream.send('up', encodeMessage(`${service}.DeltaDiscoveryRequest`, request));
    return this;
  }
}

function host(name: string, domain = name): AnyMessage {
  return packed(VHDS.typeUrl, { name, domains: [domain] });
}

describe('a collection of xDS-TP', () => {
  const folder = 'xdstp://shop/envoy.config.cluster.v3.Cluster/mesh';
  const member = (name: string, as = name): Sent => ({
    name: `${folder}/${name}`,
    resource: clusterOf(`${folder}/${name}`, as),
  });

  it('its resources are rows as those of a subscription to everything, and the collection is none', () => {
    const client = new Delta(CDS.typeUrl).subscribe(`${folder}/*`);
    expect(client.states).toEqual([]);
    client.receive([member('a'), member('b')]);
    expect(client.states).toEqual([`${folder}/a ACKED 1`, `${folder}/b ACKED 1`]);
    client.receive([member('b', 'other')], [], `Error adding/updating cluster(s) ${folder}/b: wrong`);
    expect(client.states).toEqual([`${folder}/a ACKED 1`, `${folder}/b NACKED 1`]);
    client.receive([member('b', 'third')], [`${folder}/a`]);
    expect(client.states).toEqual([`${folder}/b ACKED 3`]);
  });

  it('what the client has not subscribed to is no row', () => {
    const other = 'xdstp://shop/envoy.config.cluster.v3.Cluster/other/a';
    const nested = `${folder}/deeper/a`;
    const client = new Delta(CDS.typeUrl).subscribe(`${folder}/*`);
    client.receive([other, nested].map((name) => ({ name, resource: clusterOf(name) })));
    expect(client.states).toEqual([]);
  });

  it('the parameters are a part of its name', () => {
    const client = new Delta(CDS.typeUrl).subscribe(`${folder}/*?zone=a`);
    const names = [`${folder}/a?zone=a`, `${folder}/a?zone=b`];
    client.receive(names.map((name) => ({ name, resource: clusterOf(name) })));
    expect(client.states).toEqual([`${folder}/a?zone=a ACKED 1`]);
  });
});

describe('VHDS', () => {
  it('an alias that was requested is no row once its virtual host has come', () => {
    const client = new Delta(VHDS.typeUrl).subscribe().subscribe('routes/a.example');
    expect(client.states).toEqual(['routes/a.example REQUESTED']);
    client.receive([{ name: 'routes/all', aliases: ['routes/a.example'], resource: host('all') }]);
    expect(client.states).toEqual(['routes/all ACKED 1']);
    client.subscribe('routes/a.example');
    expect(client.states).toEqual(['routes/all ACKED 1']);
  });

  it('an alias subscribes to its virtual host', () => {
    const client = new Delta(VHDS.typeUrl).subscribe('routes/a.example');
    client.receive([{ name: 'routes/all', aliases: ['routes/a.example'], resource: host('all') }]);
    expect(client.states).toEqual(['routes/all ACKED 1']);
  });

  it.each([
    ['the response removes the name', [], ['routes/no.example']],
    [
      'the response has an alias without a resource',
      [{ name: 'routes/no', aliases: ['routes/no.example'] }],
      [],
    ],
  ])('a host that a request made up is no issue: %s', (_, resources, removed) => {
    const client = new Delta(VHDS.typeUrl).subscribe().subscribe('routes/no.example');
    client.receive(resources, removed);
    expect(client.states).toEqual(['routes/no.example DOES_NOT_EXIST']);
    expect(client.stream.issues).toEqual([]);
  });

  it('Envoy keeps a removed virtual host whose own name differs from that of the resource', () => {
    const client = new Delta(VHDS.typeUrl).subscribe();
    client.receive([{ name: 'routes/all', resource: host('all') }]);
    client.receive([], ['routes/all']);
    expect(client.states).toEqual(['routes/all DOES_NOT_EXIST 1']);
    expect(client.rows.map((row) => inEffect(row).kind)).toEqual(['payload']);
  });

  it('Envoy removes a virtual host that has the name of the resource', () => {
    const client = new Delta(VHDS.typeUrl).subscribe();
    client.receive([{ name: 'routes/all', resource: host('routes/all') }]);
    client.receive([], ['routes/all']);
    expect(client.states).toEqual([]);
  });
});

describe('ODCDS', () => {
  it('a cluster that a request made up is no issue, and one that is rejected is', () => {
    const client = new Delta(CDS.typeUrl).subscribe().receive([{ name: 'a', resource: clusterOf('a') }]);
    client.subscribe('made-up').receive([], ['made-up']);
    expect(client.states).toEqual(['a ACKED 1', 'made-up DOES_NOT_EXIST']);
    expect(client.stream.issues).toEqual([]);
    client.receive([{ name: 'made-up', resource: clusterOf('made-up') }], [], 'wrong');
    expect(client.states).toEqual(['a ACKED 1', 'made-up NACKED']);
    expect(client.stream.issues).toEqual(['nack made-up']);
  });

  it('a gRPC client names the clusters of its config', () => {
    const client = new Delta(CDS.typeUrl, 'gRPC Go').subscribe('a').receive([], ['a']);
    expect(client.stream.issues).toEqual(['absent a']);
  });
});
