import { describe, expect, it } from 'vitest';
import { identifyClient } from '@/server/client-id';
import { ScopedClients } from '@/server/collect/tap/recording/scoped-clients';
import { sampleNode } from '@/tests/support/builders/observation-samples';

const node = sampleNode('shop-web');
const [cart, stock] = ['xds:///cart', 'xds:///stock'].map((target) => ({
  clientId: identifyClient(node, target),
  node,
}));

function clientsOf(...clients: readonly (typeof cart)[]): ScopedClients {
  const scoped = new ScopedClients();
  for (const client of clients) if (client !== undefined) scoped.add(client);
  return scoped;
}

describe('the client that reports load by its node id', () => {
  it('is the client of the single target of the process, with or without a stream', () => {
    expect(clientsOf(cart).findOnly('shop-web', () => true)).toBe(cart);
    expect(clientsOf(cart).findOnly('shop-web', () => false)).toBe(cart);
  });

  it('is the one with a stream if the process has several targets', () => {
    expect(clientsOf(cart, stock).findOnly('shop-web', (client) => client === stock)).toBe(stock);
  });

  it('is not known among several that have a stream, or among several that have none', () => {
    expect(clientsOf(cart, stock).findOnly('shop-web', () => true)).toBeUndefined();
    expect(clientsOf(cart, stock).findOnly('shop-web', () => false)).toBeUndefined();
  });

  it('is not one of another node, nor the client of a process as a whole', () => {
    expect(clientsOf(cart).findOnly('shop-mobile', () => true)).toBeUndefined();
    const whole = { clientId: identifyClient(node, ''), node };
    expect(clientsOf(whole).findOnly('shop-web', () => true)).toBeUndefined();
    expect(clientsOf(whole, cart).findOnly('shop-web', () => true)).toBe(cart);
  });
});
