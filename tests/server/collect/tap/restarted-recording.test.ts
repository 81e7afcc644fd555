import { describe, expect, it } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { type AnyMessage, endpointsOf, packed } from '@/tests/support/builders/xds-wire';
import { deltaAds, RecordingStory as Story } from '@/tests/support/recording-story';

function cluster(name: string, timeout = 1): AnyMessage {
  return packed(CDS.typeUrl, { name, connectTimeout: { seconds: timeout } });
}

const both = [cluster('a'), cluster('b')];
const changedBoth = [cluster('a', 2), cluster('b', 2)];
const lost = { messages: 2, bytes: 100, from: 1, reason: 'the recording thread was restarted' };

/** Clusters a and b are accepted at version 1. `names`: what the client requests; none are the wildcard. */
function withTwoClusters(names = ['a', 'b']): Story {
  const story = new Story();
  story.open();
  story.request({ resourceNames: names });
  story.response('1', both);
  story.ack('1', { resourceNames: names });
  return story;
}

/** Another recording thread begins, and `missed` messages were lost between the two. */
function restart(story: Story, missed?: typeof lost, path?: string): void {
  story.restart();
  story.open('s', path, true);
  if (missed !== undefined) story.event({ kind: 'gap', streamId: 's', at: 2, ...missed });
}

describe('after a restart of the recording thread', () => {
  it('rows are as before if no message was missed, and the next answer changes them', () => {
    const story = withTwoClusters();
    restart(story);
    expect(story.allRows()).toEqual(['a ACKED 1', 'b ACKED 1']);
    story.response('2', [cluster('a', 2), cluster('b')]);
    story.nack('cluster a: no');
    expect(story.allRows()).toEqual(['a NACKED 1', 'b ACKED 2']);
  });

  it('rows are UNKNOWN if messages were missed, until an answer shows their state', () => {
    const story = withTwoClusters();
    restart(story, lost);
    expect(story.allRows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 1']);
    story.response('3', both);
    story.ack('3');
    expect(story.allRows()).toEqual(['a ACKED 3', 'b ACKED 3']);
  });

  it('an answer to a response that the thread before has recorded shows that rows may have changed', () => {
    const story = withTwoClusters();
    story.response('2', changedBoth);
    restart(story);
    expect(story.allRows()).toEqual(['a ACKED 1', 'b ACKED 1']);
    story.ack('2');
    expect(story.allRows()).toEqual(['a UNKNOWN 1', 'b UNKNOWN 1']);
  });

  it('what the client requests no longer has no row, and what it requests since then has one', () => {
    const story = withTwoClusters();
    restart(story, lost);
    story.response('3', [cluster('b', 3)]);
    story.ack('3', { resourceNames: ['b', 'c'] });
    expect(story.allRows()).toEqual(['b ACKED 3', 'c REQUESTED ']);
  });

  it('a wildcard has the clusters of the next response', () => {
    const story = withTwoClusters([]);
    restart(story);
    story.response('2', [cluster('b'), cluster('new')]);
    story.ack('2', { resourceNames: [] });
    expect(story.allRows()).toEqual(['b ACKED 2', 'new ACKED 2']);
  });

  it('a rejected payload that is ACKed proves nothing, as without the restart', () => {
    const story = withTwoClusters();
    story.response('2', [cluster('a', 2), cluster('b')]);
    story.nack('cluster a: no');
    restart(story);
    story.response('3', [cluster('a', 2), cluster('b')]);
    story.ack('3');
    const changed = story.take().flatMap((each) => ('changed' in each ? each.changed : []));
    expect(changed.find(({ name, versionInfo }) => name === 'a' && versionInfo === '3')).toMatchObject({
      clientStatus: 'ACKED',
      errorState: { details: 'cluster a: no' },
      otherVersions: [{ stage: 'active', versionInfo: '1' }],
    });
  });

  it('the rows of a stream are not deleted by a response on another one of the client', () => {
    const story = new Story();
    for (const [stream, name] of [
      ['s', 'a'],
      ['t', 'b'],
    ] as const) {
      const names = { resourceNames: [name] };
      story.open(stream);
      story.request(names, stream);
      story.response('1', [cluster(name)], {}, stream);
      story.request({ ...names, versionInfo: '1', responseNonce: 'n1' }, stream);
    }
    restart(story);
    story.open('t', undefined, true);
    story.response('2', [cluster('a', 2)]);
    story.ack('2', { resourceNames: ['a'] });
    expect(story.allRows()).toEqual(['a ACKED 2', 'b ACKED 1']);
  });

  it('updates and removals of delta are applied', () => {
    const story = new Story();
    const named = (version: string, timeout: number) =>
      ['a', 'b'].map((name) => ({ name, version, resource: cluster(name, timeout) }));
    story.open('s', deltaAds);
    story.deltaRequest({});
    story.deltaResponse({ nonce: 'n1', resources: named('1', 1) });
    story.deltaRequest({ responseNonce: 'n1' });
    const eds = { typeUrl: EDS.typeUrl };
    story.deltaRequest({ ...eds, resourceNamesSubscribe: ['a'] });
    story.deltaResponse({
      ...eds,
      nonce: 'n2',
      resources: [{ name: 'a', version: '1', resource: endpointsOf('a') }],
    });
    story.deltaRequest({ ...eds, responseNonce: 'n2' });
    expect(story.allRows()).toEqual(['a ACKED 1', 'b ACKED 1', 'a ACKED 1']);
    restart(story, undefined, deltaAds);
    story.deltaResponse({
      nonce: 'n3',
      resources: [...named('2', 2).slice(1), { name: 'new', version: '1', resource: cluster('new') }],
    });
    story.deltaRequest({ responseNonce: 'n3' });
    story.deltaResponse({ nonce: 'n4', removedResources: ['a'] });
    story.deltaRequest({ responseNonce: 'n4' });
    expect(story.allRows()).toEqual(['b ACKED 2', 'a ACKED 1', 'new ACKED 1']);
  });

  it('the end of a stream that closed meanwhile is reported', () => {
    const story = withTwoClusters();
    story.restart();
    story.take();
    story.close();
    expect(story.take()).toMatchObject([{ kind: 'stream-closed', streamId: 's' }]);
  });

  it('a client that connects again holds what it held, and loses what is absent', () => {
    const story = withTwoClusters();
    story.close();
    story.restart();
    story.open('again');
    story.request({ resourceNames: ['a', 'b'], versionInfo: '1' }, 'again');
    story.response('2', [cluster('a')], {}, 'again');
    story.request({ resourceNames: ['a', 'b'], versionInfo: '2', responseNonce: 'n2' }, 'again');
    expect(story.allRows()).toEqual(['a ACKED 2', 'b UNKNOWN 1']);
  });
});
