import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findChildNumbers } from '@/lib/lb/find-child-numbers';
import { numberChildren } from '@/lib/lb/grpc/child-numbers';
import { grpcClients } from '@/lib/xds/profile';
import { resolveResources } from '../../support/builders/resolve-mesh';
import {
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  shopOfCart,
} from '../../support/builders/topology-mesh';

/** Each priority has one zone. */
function cart(...zones: string[]): MeshResource {
  return endpoints(
    'cart',
    zones.map((zone, priority) => ({ zone, priority, endpoints: [`10.0.0.${priority + 1}:80`] })),
  );
}

function numbersAfter(...updates: readonly (readonly MeshResource[])[]) {
  const steps = updates.map((changed, at) => ({ at, changed: resolveResources(changed), removed: [] }));
  const start = { listener: 'shop', authority: 'shop' };
  const numbers = findChildNumbers({ start, profile: 'core-1.56', grpcProfile: 'core-1.56', steps });
  return numbers.get('cart')?.numbers;
}

describe('findChildNumbers', () => {
  it('a locality that moves to another priority keeps its child', () => {
    expect(numbersAfter([...shopOfCart, cart('a', 'b')])).toEqual([0, 1]);
    expect(numbersAfter([...shopOfCart, cart('a', 'b')], [cart('b', 'a')])).toEqual([1, 0]);
    expect(numbersAfter([...shopOfCart, cart('a', 'b')], [cart('b')], [cart('c', 'b')])).toEqual([2, 1]);
  });

  it('a cluster that is removed from the config loses its numbers', () => {
    const elsewhere = [routeConfig('r', { '': 'other' }), edsCluster('other')];
    const back = [routeConfig('r', { '': 'cart' })];
    expect(numbersAfter([...shopOfCart, cart('a', 'b')], [cart('b', 'a')], elsewhere)).toBeUndefined();
    expect(numbersAfter([...shopOfCart, cart('a', 'b')], [cart('b', 'a')], elsewhere, back)).toEqual([0, 1]);
  });

  it('a cluster without endpoints keeps its counter, and one that fails as a whole restarts it', () => {
    const first = [...shopOfCart, cart('a', 'b')];
    expect(numbersAfter(first, [cart()], [cart('b', 'a')])).toEqual([2, 3]);
    const gone: MeshResource = { ...edsCluster('cart'), clientStatus: 'DOES_NOT_EXIST', body: undefined };
    expect(numbersAfter(first, [cart('b', 'a')], [gone], [edsCluster('cart')])).toEqual([0, 1]);
  });

  it.each(grpcClients)('%s: repeated localities change nothing', (kind) => {
    const members = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1 });
    const updates = fc.array(
      members.map((zones) => zones.map((zone) => [zone])),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(updates, (story) => {
        const next = numberChildren[kind];
        let before = next(null, story[0] ?? []);
        for (const update of story.slice(1)) before = next(before, update);
        expect(next(before, story.at(-1) ?? []).numbers).toEqual(before.numbers);
      }),
    );
  });
});
