import { describe, expect, test } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { Authorities } from '@/server/collect/xds/client/authorities';
import { AuthorityStory } from '@/tests/support/builders/xds-authorities';

const story = new AuthorityStory();
const [top, one] = [story.add(null, 'a'), story.add('one', 'b')];
const authorities = new Authorities(top, [one]);
const inOne = 'xdstp://one/envoy.config.cluster.v3.Cluster/c';

describe('Authorities', () => {
  test.each([
    ['an old-style name', 'c', top],
    ['a name of the authority', inOne, one],
    [
      'a name of an authority that the bootstrap lacks',
      'xdstp://two/envoy.config.cluster.v3.Cluster/c',
      'expected an authority of the bootstrap (one), got "two"',
    ],
  ])('%s', (_, name, found) => {
    expect(authorities.find(CDS.typeUrl, name)).toBe(found);
  });

  test('a name of another type than the requested one has no authority', () => {
    expect(authorities.find(LDS.typeUrl, inOne)).toMatch(/Listener.*Cluster/s);
  });

  test('names are grouped by authority and type, without those that have no authority', () => {
    const names = [`c`, inOne, 'd', 'xdstp://two/envoy.config.cluster.v3.Cluster/c'];
    const keys = names.map((name) => ({ typeUrl: CDS.typeUrl, name }));
    expect(authorities.group([...keys, { typeUrl: LDS.typeUrl, name: 'l' }])).toEqual([
      { authority: top, typeUrl: CDS.typeUrl, names: ['c', 'd'] },
      { authority: top, typeUrl: LDS.typeUrl, names: ['l'] },
      { authority: one, typeUrl: CDS.typeUrl, names: [inOne] },
    ]);
  });
});
