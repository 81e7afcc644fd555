import { describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { AuthorityStory } from '@/tests/support/builders/xds-authorities';

describe('ServerLinks', () => {
  test('authorities with the same server share one link, which requests the names of both', () => {
    const story = new AuthorityStory();
    const [top, other] = [story.add(null, 'a'), story.add('other', 'a')];
    top.typeOf(CDS.typeUrl).cache.want(['one'], 0);
    other.typeOf(CDS.typeUrl).cache.want(['two'], 0);
    top.connect();
    expect(story.take()).toEqual(['a: Cluster one', 'a: start']);
    other.connect();
    expect(story.take()).toEqual(['a: Cluster one two', 'a: start']);
    expect(top.active).toBe(other.active);
  });

  test('a link is stopped when the last authority releases it', async () => {
    const story = new AuthorityStory();
    const [top, other] = [story.add(null, 'a'), story.add('other', 'a')];
    top.typeOf(CDS.typeUrl).cache.want(['one'], 0);
    other.typeOf(CDS.typeUrl).cache.want(['two'], 0);
    for (const each of [top, other]) each.connect();
    story.take();
    other.disconnect();
    expect(story.take()).toEqual(['a: Cluster one']);
    top.disconnect();
    await story.links.released();
    expect(story.take()).toEqual(['a: stop']);
  });

  test('types are requested in the order of dependency, each at the servers that the changed authorities use', () => {
    const story = new AuthorityStory();
    const [top, other] = [story.add(null, 'a'), story.add('other', 'b')];
    top.typeOf(EDS.typeUrl).cache.want(['e'], 0);
    top.typeOf(CDS.typeUrl).cache.want(['c'], 0);
    top.connect();
    expect(story.take()).toEqual(['a: Cluster c', 'a: ClusterLoadAssignment e', 'a: start']);
    other.connect();
    other.typeOf(CDS.typeUrl).cache.want(['d'], 0);
    story.take();
    story.links.subscribe(CDS.typeUrl, [other]);
    expect(story.take()).toEqual(['b: Cluster d']);
  });
});
