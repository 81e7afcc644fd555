import { describe, expect, it } from 'vitest';
import { noFailing } from '@/lib/facts/failing-endpoints';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { cart, edge, start } from '@/tests/support/builders/envoy-edge';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import { type MeshResource, routeConfig, topologyInput } from '@/tests/support/builders/topology-mesh';

const inspector = (type: string): object => ({
  typedConfig: { '@type': `type.googleapis.com/envoy.extensions.filters.listener.${type}` },
});

/** The listener "edge", which listens on port 80, with a filter chain for each port; 0: for any. */
function listen(ports: readonly number[], more: object = {}): MeshResource {
  const plain = edge();
  const [chain] = (plain.body as { filterChains: object[] }).filterChains;
  const filterChains = ports.map((destinationPort) => ({
    ...chain,
    name: `of ${destinationPort}`,
    filterChainMatch: destinationPort === 0 ? {} : { destinationPort },
  }));
  return { ...plain, body: { ...plain.body, filterChains, ...more } };
}

function resolve(listener: MeshResource) {
  const mesh = [listener, routeConfig('routes', { '/': 'cart' }), ...cart];
  const resolver = resolverOver(mesh, { start, profile: 'envoy' });
  const { chains, error, notes } = resolver.listener;
  return { status: resolver.status, error, notes, failures: chains.map(({ failure }) => failure?.text) };
}

describe('the destination port of a filter chain', () => {
  const text = 'no connection matches it: the destination port must be 9999, and the listener listens on 80';

  it('that no connection can have makes the listener fail if there is no other chain', () => {
    expect(resolve(listen([9999]))).toMatchObject({ status: 'error', error: text });
  });

  it('that no connection can have is a note if another chain takes the connections', () => {
    expect(resolve(listen([9999, 0]))).toMatchObject({
      ...{ status: 'resolved', error: '', failures: [text, undefined] },
      notes: [`filter chain "of 9999": ${text}`],
    });
  });

  it('that no connection can have is the trouble of the listener in the graph, unless another chain takes them', () => {
    const belowOf = (...ports: number[]) => {
      const { nodes } = buildTopology(
        topologyInput([listen(ports), routeConfig('routes', { '/': 'cart' }), ...cart]),
      );
      return nodes.find(({ kind }) => kind === 'listener')?.below;
    };
    expect(belowOf(9999)).toEqual({ status: 'UNHEALTHY', text });
    expect(belowOf(9999, 0)).toBeUndefined();
  });

  it.each([
    ['is that of the listener', {}, 80],
    ['is that of a further address', { additionalAddresses: [{ address: socket(9999) }] }, 9999],
    ['can be that before a redirection', { useOriginalDst: true }, 9999],
    ['can be any of a transparent listener', { transparent: true }, 9999],
    [
      'can be restored by a listener filter',
      { listenerFilters: [inspector('original_dst.v3.OriginalDst')] },
      9999,
    ],
    ['is chosen by the kernel', { address: socket(0) }, 9999],
    ['is that of the listener which hands over', { bindToPort: false }, 9999],
  ])('does not matter if it %s', (_, more, port) => {
    expect(resolve(listen([port], more)).failures).toEqual([undefined]);
  });

  it('is not changed by a filter that inspects TLS', () => {
    const listenerFilters = [inspector('tls_inspector.v3.TlsInspector')];
    expect(resolve(listen([9999], { listenerFilters })).failures).toEqual([text]);
  });
});

function socket(portValue: number): object {
  return { socketAddress: { address: '0.0.0.0', portValue } };
}

it('states of a client that serves no request that each filter chain fails, until it serves again', () => {
  const mesh = [listen([0]), routeConfig('routes', { '/': 'cart' }), ...cart];
  const resolver = resolverOver(mesh, { start, profile: 'envoy' });
  resolver.setFailing({ ...noFailing, standstill: 'it is initializing' });
  expect(resolver.listener).toMatchObject({ error: 'it is initializing' });
  resolver.setFailing(noFailing);
  expect(resolver.listener).toMatchObject({ error: '' });
});
