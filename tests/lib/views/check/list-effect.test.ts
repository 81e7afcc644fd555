import { expect, it } from 'vitest';
import { listEffect } from '@/lib/views/check/list-effect';
import { CDS } from '@/lib/xds/resource-type';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { resolverOver } from '../../../support/builders/resolve-mesh';
import { endpoints, type MeshResource, shopOfCart } from '../../../support/builders/topology-mesh';

const cart = endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80'] }]);
const withCluster = (own: Partial<MeshResource>): MeshResource[] =>
  [...shopOfCart, cart].map((each) => (each.typeUrl === CDS.typeUrl ? { ...each, ...own } : each));
const bodyWith = (more: object): Partial<MeshResource> => ({
  body: { ...shopOfCart.find(({ typeUrl }) => typeUrl === CDS.typeUrl)?.body, ...more },
});

it.each<readonly [string, MeshResource[], RegExp]>([
  [
    'a setting that is not modelled',
    withCluster(
      bodyWith({ lbSubsetConfig: { subsetSelectors: [{ keys: ['v'] }], allowRedundantKeys: true } }),
    ),
    /allow_redundant_keys/,
  ],
])('the shares of an Envoy are not known for the reason that Failover states: %s', (_, resources, reason) => {
  const resolver = resolverOver(resources, { profile: 'envoy' });
  const { lines } = listEffect(resolver, 'envoy-1.40', new Set(['cart']));
  const text = lines.find(({ what, at }) => what === 'cluster' && at === 'cart')?.text;
  const query = { cluster: 'cart', changes: [], seconds: 0, find: '' };
  const { notes } = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  expect(notes).toEqual([expect.stringMatching(reason)]);
  expect(text).toContain(notes[0]);
});
