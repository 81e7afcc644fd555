import { expect, it } from 'vitest';
import { effectStageOf } from '@/lib/observation/effect-stage';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeMessage, packed } from '@/tests/support/builders/xds-wire';
import { TappedStream } from '@/tests/support/tapped-stream';

const service = 'envoy.service.discovery.v3';
const manager = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

type Json = Record<string, unknown>;

/** A client of this kind that runs listener a, its routes r, cluster c and its endpoints e. */
class Client {
  readonly stream = new TappedStream();
  readonly #names = new Map<string, string[]>();
  #nonces = 0;

  constructor(
    readonly userAgentName: string,
    readonly userAgentVersion = '1.85.0',
  ) {
    for (const [typeUrl, name, body] of resources) {
      this.subscribe(typeUrl, [name]);
      this.respond(typeUrl, [body]);
    }
  }

  subscribe(typeUrl: string, names: string[], answer: object = {}): void {
    this.#names.set(typeUrl, names);
    const { userAgentName, userAgentVersion } = this;
    const node = { id: 'e', userAgentName, userAgentVersion };
    const request = { node, typeUrl, resourceNames: names, responseNonce: `n${this.#nonces}`, ...answer };
    this.stream.send('up', encodeMessage(`${service}.DiscoveryRequest`, request));
  }

  /** Sends a response, which the client ACKs, or NACKs with the text. */
  respond(typeUrl: string, bodies: readonly Json[], text?: string): void {
    this.#nonces += 1;
    const type = typeUrl.slice(typeUrl.indexOf('/') + 1);
    const versionInfo = `v${this.#nonces}`;
    const response = {
      typeUrl,
      versionInfo,
      nonce: `n${this.#nonces}`,
      resources: bodies.map((body) => packed(type, body)),
    };
    this.stream.send('down', encodeMessage(`${service}.DiscoveryResponse`, response));
    const answer = text === undefined ? { versionInfo } : { errorDetail: { code: 3, message: text } };
    this.subscribe(typeUrl, this.#names.get(typeUrl) ?? [], answer);
  }

  state(typeUrl: string, name: string): string {
    const row = this.stream.row(typeUrl, name);
    return [row?.clientStatus, row?.doubt, row?.hash === null ? 'empty' : ''].filter(Boolean).join(' ');
  }
}

const listener = (name: string, stat = 's', routeConfigName = 'r'): Json => ({
  name,
  apiListener: {
    apiListener: packed(manager, {
      statPrefix: stat,
      rds: { routeConfigName, configSource: { ads: {} } },
    }),
  },
});
const cluster = (name: string): Json => ({
  name,
  type: 'EDS',
  edsClusterConfig: { serviceName: 'e', edsConfig: { ads: {} } },
});
const resources: readonly [string, string, Json][] = [
  [LDS.typeUrl, 'a', listener('a')],
  [RDS.typeUrl, 'r', { name: 'r' }],
  [CDS.typeUrl, 'c', cluster('c')],
  [EDS.typeUrl, 'e', { clusterName: 'e' }],
];

it('a gRPC client that unsubscribes from what a deleted resource refers to has dropped it', () => {
  for (const [userAgent, typeUrl, name, referenced] of [
    ['gRPC Go', LDS.typeUrl, 'a', RDS.typeUrl],
    ['gRPC Java', CDS.typeUrl, 'c', EDS.typeUrl],
    ['gRPC C-core linux', CDS.typeUrl, 'c', EDS.typeUrl],
    ['gRPC Node Pure JS', LDS.typeUrl, 'a', RDS.typeUrl],
  ] as const) {
    const client = new Client(userAgent);
    client.respond(typeUrl, []);
    expect(client.state(typeUrl, name)).toBe('UNKNOWN deleted');
    // A management server that removes it again shows nothing.
    client.respond(typeUrl, []);
    expect(client.state(typeUrl, name)).toBe('UNKNOWN deleted');
    client.subscribe(referenced, []);
    expect(client.state(typeUrl, name)).toBe('DOES_NOT_EXIST empty');
  }
});

it('the rejection of a resource that was deleted does not show that the client keeps what it had before', () => {
  const client = new Client('gRPC Go');
  client.respond(CDS.typeUrl, []);
  client.respond(CDS.typeUrl, [{ ...cluster('c'), lbPolicy: 'MAGLEV' }], 'bad policy');
  expect(client.state(CDS.typeUrl, 'c')).toBe('NACKED deleted');
  client.subscribe(EDS.typeUrl, []);
  expect(client.state(CDS.typeUrl, 'c')).toBe('NACKED empty');
});

it('C-core keeps its subscription to routes in any case', () => {
  const client = new Client('gRPC C-core linux');
  client.respond(LDS.typeUrl, []);
  client.subscribe(RDS.typeUrl, []);
  expect(client.state(LDS.typeUrl, 'a')).toBe('UNKNOWN deleted');
});

it('what another cluster refers to as well shows nothing about the deleted one', () => {
  const client = new Client('gRPC Go');
  client.subscribe(CDS.typeUrl, ['c', 'd']);
  client.respond(CDS.typeUrl, [cluster('c'), cluster('d')]);
  client.respond(CDS.typeUrl, [cluster('d')]);
  client.subscribe(EDS.typeUrl, ['e', 'x']);
  expect(client.state(CDS.typeUrl, 'c')).toBe('UNKNOWN deleted');
});

it('other clients have no setting that keeps a deleted resource', () => {
  const client = new Client('envoy');
  client.respond(CDS.typeUrl, []);
  expect(client.state(CDS.typeUrl, 'c')).toBe('DOES_NOT_EXIST empty');
});

it('a resource that is added again is in use, unless the client is known to ignore it', () => {
  const go = new Client('gRPC Go');
  go.respond(LDS.typeUrl, []);
  go.respond(LDS.typeUrl, [listener('a')]);
  expect(go.state(LDS.typeUrl, 'a')).toBe('ACKED');

  const node = new Client('gRPC Node Pure JS', '1.14.0');
  node.respond(CDS.typeUrl, []);
  node.subscribe(EDS.typeUrl, []);
  node.respond(CDS.typeUrl, [cluster('c')]);
  expect(node.state(CDS.typeUrl, 'c')).toBe('ACKED added-again');
  node.subscribe(EDS.typeUrl, ['e']);
  expect(node.state(CDS.typeUrl, 'c')).toBe('ACKED');

  const core = new Client('gRPC C-core linux', 'C-core 43.0.0 Python 1.66.2');
  core.respond(LDS.typeUrl, []);
  core.respond(LDS.typeUrl, [listener('a')]);
  expect(core.state(LDS.typeUrl, 'a')).toBe('ACKED added-again');
  core.respond(LDS.typeUrl, [listener('a', 'other')]);
  expect(core.state(LDS.typeUrl, 'a')).toBe('ACKED added-again');
  core.respond(RDS.typeUrl, [{ name: 'r' }]);
  expect(core.state(LDS.typeUrl, 'a')).toBe('ACKED added-again');
  core.respond(RDS.typeUrl, [{ name: 'r', virtualHosts: [{ name: 'x' }] }]);
  expect(core.state(LDS.typeUrl, 'a')).toBe('ACKED');
  core.respond(LDS.typeUrl, [listener('a')]);
  expect(core.state(LDS.typeUrl, 'a')).toBe('ACKED replaced');
});

it('C-core reads a listener that is added again once its routes have changed, also before, or with other routes', () => {
  const core = () => {
    const client = new Client('gRPC C-core linux', 'C-core 43.0.0 Python 1.66.2');
    client.respond(LDS.typeUrl, []);
    return client;
  };
  const before = core();
  before.respond(RDS.typeUrl, [{ name: 'r', virtualHosts: [{ name: 'x' }] }]);
  before.respond(LDS.typeUrl, [listener('a')]);
  expect(before.state(LDS.typeUrl, 'a')).toBe('ACKED');

  const other = core();
  other.respond(LDS.typeUrl, [listener('a', 's', 'other-routes')]);
  expect(other.state(LDS.typeUrl, 'a')).not.toContain('added-again');
});

it('an Envoy keeps routes and endpoints that the management server removes', () => {
  const state = (typeUrl: string, name: string) => {
    const stream = new TappedStream({ isDelta: true });
    const node = { id: 'e', userAgentName: 'envoy' };
    const type = typeUrl.slice(typeUrl.indexOf('/') + 1);
    const send = (message: Json) =>
      stream.send('up', encodeMessage(`${service}.DeltaDiscoveryRequest`, { node, typeUrl, ...message }));
    const respond = (message: Json) => {
      stream.send('down', encodeMessage(`${service}.DeltaDiscoveryResponse`, { typeUrl, ...message }));
      send({ responseNonce: message.nonce });
    };
    send({ resourceNamesSubscribe: [name, 'never'] });
    const body = typeUrl === EDS.typeUrl ? { clusterName: name } : { name };
    respond({ nonce: '1', resources: [{ name, version: '1', resource: packed(type, body) }] });
    respond({ nonce: '2', removedResources: [name, 'never'] });
    const rowOf = (each: string) => {
      const row = stream.row(typeUrl, each);
      return `${row?.clientStatus} ${row?.hash === null ? 'empty' : row && effectStageOf(row)}`;
    };
    return [rowOf(name), rowOf('never')];
  };
  expect(state(RDS.typeUrl, 'r')).toEqual(['DOES_NOT_EXIST kept', 'DOES_NOT_EXIST empty']);
  expect(state(EDS.typeUrl, 'e')).toEqual(['DOES_NOT_EXIST kept', 'DOES_NOT_EXIST empty']);
  expect(state(CDS.typeUrl, 'c')).toEqual(['DOES_NOT_EXIST empty', 'DOES_NOT_EXIST empty']);
});

it('whether a client keeps what it had accepted before a NACK is unknown if fail_on_data_errors could be set', () => {
  const nacked = (userAgent: string, version: string) => {
    const client = new Client(userAgent, version);
    client.respond(RDS.typeUrl, [{ name: 'r', virtualHosts: [{ name: 'x' }] }], 'r: invalid');
    return client;
  };
  expect(nacked('gRPC Go', '1.85.0').state(RDS.typeUrl, 'r')).toBe('NACKED');
  expect(nacked('gRPC C-core linux', 'C-core 43.0.0 Python 1.66.2').state(RDS.typeUrl, 'r')).toBe('NACKED');
  const core = nacked('gRPC C-core linux', 'C-core 58.0.0 Python 1.85.1');
  expect(core.state(RDS.typeUrl, 'r')).toBe('NACKED rejected');
  core.respond(RDS.typeUrl, [{ name: 'r' }]);
  expect(core.state(RDS.typeUrl, 'r')).toBe('ACKED');
});

it('a changed cluster of Envoy may have no endpoints once a response with endpoints is rejected', () => {
  const stream = new TappedStream();
  const node = { id: 'e', userAgentName: 'envoy' };
  let nonces = 0;
  const respond = (typeUrl: string, body: Json, answer?: 'ack' | 'nack'): void => {
    nonces += 1;
    const [responseNonce, versionInfo] = [`n${nonces}`, `v${nonces}`];
    const type = typeUrl.slice(typeUrl.indexOf('/') + 1);
    const response = { typeUrl, versionInfo, nonce: responseNonce, resources: [packed(type, body)] };
    stream.send('down', encodeMessage(`${service}.DiscoveryResponse`, response));
    if (answer === undefined) return;
    const resourceNames = typeUrl === EDS.typeUrl ? ['e'] : [];
    const error = { errorDetail: { code: 13, message: 'drop_overload is not unique' } };
    const request = {
      node,
      typeUrl,
      resourceNames,
      responseNonce,
      ...(answer === 'ack' ? { versionInfo } : error),
    };
    stream.send('up', encodeMessage(`${service}.DiscoveryRequest`, request));
  };
  const state = () => [stream.row(EDS.typeUrl, 'e')?.clientStatus, stream.row(EDS.typeUrl, 'e')?.doubt];
  const clusterOf = (altStatName: string): Json => ({ ...cluster('c'), altStatName });
  const endpoints = (zone: string): Json => ({
    clusterName: 'e',
    endpoints: [{ locality: { zone } }],
  });
  for (const [typeUrl, names] of [
    [CDS.typeUrl, []],
    [EDS.typeUrl, ['e']],
  ] as const)
    stream.send(
      'up',
      encodeMessage(`${service}.DiscoveryRequest`, { node, typeUrl, resourceNames: [...names] }),
    );
  respond(CDS.typeUrl, clusterOf('1'), 'ack');
  respond(EDS.typeUrl, endpoints('1'), 'ack');
  // The endpoints before a rejected update stay in use, unless the cluster has changed.
  respond(EDS.typeUrl, endpoints('2'), 'nack');
  expect(state()).toEqual(['NACKED', undefined]);
  respond(CDS.typeUrl, clusterOf('2'));
  respond(EDS.typeUrl, endpoints('2'), 'nack');
  expect(state()).toEqual(['NACKED', 'without-endpoints']);
  respond(CDS.typeUrl, clusterOf('2'), 'ack');
  respond(EDS.typeUrl, endpoints('3'), 'nack');
  expect(state()).toEqual(['NACKED', 'without-endpoints']);
  respond(EDS.typeUrl, endpoints('1'), 'ack');
  expect(state()).toEqual(['ACKED', undefined]);
  respond(EDS.typeUrl, endpoints('2'), 'nack');
  expect(state()).toEqual(['NACKED', undefined]);
  respond(EDS.typeUrl, endpoints('1'), 'ack');
  // Envoy answers when the changed cluster no longer warms, with the endpoints before if none came.
  respond(CDS.typeUrl, clusterOf('3'), 'ack');
  respond(EDS.typeUrl, endpoints('2'), 'nack');
  expect(state()).toEqual(['NACKED', undefined]);
});
