import { describe, expect, it } from 'vitest';
import { findCollection } from '@/lib/xds/resource-name';
import { CDS, VHDS } from '@/lib/xds/resource-type';
import { configStatusOf } from '@/server/lab/management-server/client-status-service';
import {
  type DeltaRequest,
  type DeltaState,
  initialDeltaState,
  planDelta,
  receiveDelta,
  sentDelta,
} from '@/server/lab/management-server/delta-state';
import type { ResourceView } from '@/server/lab/management-server/snapshot-store';
import { viewBuilder } from '@/tests/support/lab-views';

const view = viewBuilder(CDS.typeUrl);

/** `answer` is what the server sends, as "+name" and "-name". */
class Story {
  state: DeltaState = initialDeltaState;
  nonces = 0;

  constructor(public view: ResourceView) {}

  ask(request: Partial<DeltaRequest> = {}): string {
    const whole = {
      typeUrl: CDS.typeUrl,
      subscribe: [],
      unsubscribe: [],
      initialResourceVersions: new Map<string, string>(),
      responseNonce: '',
      errorDetail: null,
    };
    const { state, reading } = receiveDelta(this.state, { ...whole, ...request }, 1000);
    this.state = state;
    return reading;
  }

  answer(): string[] | undefined {
    const plan = planDelta(CDS.typeUrl, this.state, this.view);
    if (plan === undefined) return undefined;
    this.nonces += 1;
    this.state = sentDelta(this.state, plan, { nonce: String(this.nonces), at: 2000 });
    return [...plan.resources.map(({ name }) => `+${name}`), ...plan.removed.map((name) => `-${name}`)];
  }
}

it('a subscription to a collection, or to the virtual hosts of a route configuration, covers what is in it', () => {
  const folder = 'xdstp://shop/envoy.config.cluster.v3.Cluster/mesh';
  const story = new Story(view({ [`${folder}/a`]: '1', [`${folder}/deeper/b`]: '1', c: '1' }));
  story.ask({ subscribe: [`${folder}/*`] });
  expect(story.answer()).toEqual([`+${folder}/a`]);
  story.view = view({ c: '1' });
  expect(story.answer()).toEqual([`-${folder}/a`]);
  expect(findCollection(VHDS.typeUrl, 'routes/host')).toBe('routes');
});

describe('delta', () => {
  it('sends everything to a legacy wildcard, then only differences', () => {
    const story = new Story(view({ a: '1', b: '1' }));
    story.ask();
    expect(story.answer()).toEqual(['+a', '+b']);
    expect(story.answer()).toBeUndefined();
    story.view = view({ b: '2', c: '1' });
    expect(story.answer()).toEqual(['+b', '+c', '-a']);
    expect(story.answer()).toBeUndefined();
  });

  it('answers a first wildcard even if there is no resource', () => {
    const story = new Story(view({}));
    story.ask();
    expect(story.answer()).toEqual([]);
    expect(story.answer()).toBeUndefined();
  });

  it('answers an unknown name at once, and sends the resource when it exists', () => {
    const story = new Story(view({}));
    story.ask({ subscribe: ['a'] });
    expect(story.answer()).toEqual(['-a']);
    expect(story.answer()).toBeUndefined();
    story.view = view({ a: '1' });
    expect(story.answer()).toEqual(['+a']);
  });

  it('resends an unchanged resource after a repeated subscription', () => {
    const story = new Story(view({ a: '1', b: '1' }));
    story.ask({ subscribe: ['a', 'b'] });
    story.answer();
    story.ask({ subscribe: ['a'] });
    expect(story.answer()).toEqual(['+a']);
  });

  it('answers an unsubscription under a wildcard with the resource or its removal', () => {
    const story = new Story(view({ a: '1' }));
    story.ask();
    story.answer();
    story.ask({ subscribe: ['a', 'x'] });
    expect(story.answer()).toEqual(['+a', '-x']);
    story.ask({ unsubscribe: ['a'] });
    expect(story.answer()).toEqual(['+a']);
    story.ask({ unsubscribe: ['x'] });
    expect(story.answer()).toEqual(['-x']);
  });

  it('does not answer an unsubscription without a wildcard', () => {
    const story = new Story(view({ a: '1' }));
    story.ask({ subscribe: ['a'] });
    story.answer();
    story.ask({ unsubscribe: ['a'] });
    expect(story.answer()).toBeUndefined();
    story.view = view({ a: '2' });
    expect(story.answer()).toBeUndefined();
    story.ask({ subscribe: ['a'] });
    expect(story.answer()).toEqual(['+a']);
  });

  it('accepts the versions of a reconnecting client, and removes deleted resources', () => {
    const story = new Story(view({ a: '1', b: '2' }));
    const initialResourceVersions = new Map(Object.entries({ a: '1', b: '1', c: '1' }));
    story.ask({ subscribe: ['a', 'b', 'c'], initialResourceVersions });
    expect(story.answer()).toEqual(['+b', '-c']);
  });

  it('honours a subscription change whatever its nonce is', () => {
    const story = new Story(view({ a: '1', b: '1' }));
    story.ask({ subscribe: ['a'] });
    story.answer();
    story.view = view({ a: '2', b: '1' });
    story.answer();
    expect(story.ask({ responseNonce: '1', subscribe: ['b'] })).toBe('ack');
    expect(story.answer()).toEqual(['+b']);
    expect(story.ask({ responseNonce: 'of another stream', unsubscribe: ['b'] })).toBe('subscription');
    expect(story.answer()).toBeUndefined();
  });

  it('keeps the answer to each response', () => {
    const story = new Story(view({ a: '1' }));
    story.ask();
    story.answer();
    story.view = view({ a: '1', b: '1' });
    story.answer();
    expect(story.ask({ responseNonce: '2', errorDetail: 'no' })).toBe('nack');
    expect(story.ask({ responseNonce: '1' })).toBe('ack');
    const statuses = ['a', 'b'].map((name) => configStatusOf(story.state.deliveries.get(name)));
    expect(statuses).toEqual(['SYNCED', 'ERROR']);
    expect(story.answer()).toBeUndefined();
  });
});
