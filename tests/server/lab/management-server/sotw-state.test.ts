import { beforeEach, describe, expect, it } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { configStatusOf } from '@/server/lab/management-server/client-status-service';
import type { ResourceView } from '@/server/lab/management-server/snapshot-store';
import {
  initialSotwState,
  planSotw,
  receiveSotw,
  type SotwRequest,
  type SotwState,
  sentSotw,
} from '@/server/lab/management-server/sotw-state';
import { viewBuilder } from '@/tests/support/lab-views';

/** One type on one stream: `ask` is a request, `answer` what the server sends upon it, by name. */
class Story {
  readonly #typeUrl: string;

  state: SotwState = initialSotwState;
  #nonces = 0;

  constructor(
    typeUrl: string,
    public view: ResourceView,
  ) {
    this.#typeUrl = typeUrl;
  }

  ask(request: Partial<SotwRequest>): string {
    const typeUrl = this.#typeUrl;
    const whole = { typeUrl, versionInfo: '', resourceNames: [], responseNonce: '', errorDetail: null };
    const { state, reading } = receiveSotw(this.state, { ...whole, ...request }, 1000);
    this.state = state;
    return reading;
  }

  answer(): string[] | undefined {
    const plan = planSotw(this.#typeUrl, this.state, this.view);
    if (plan === undefined) return undefined;
    this.#nonces += 1;
    const response = { versionInfo: this.view.version, nonce: String(this.#nonces), at: 2000 };
    this.state = sentSotw(this.#typeUrl, this.state, plan, response);
    return plan.resources.map(({ name }) => name);
  }

  ack(resourceNames: string[], responseNonce = this.state.nonce): string {
    return this.ask({ resourceNames, responseNonce });
  }

  /** Rejects the newest response with an error message as a client of that name writes it. */
  reject(resourceNames: string[], errorDetail: string, userAgentName: string, versionInfo = ''): string {
    const typeUrl = this.#typeUrl;
    const responseNonce = this.state.nonce;
    const request = { typeUrl, versionInfo, resourceNames, responseNonce, errorDetail };
    const { state, reading } = receiveSotw(this.state, request, 1000, userAgentName);
    this.state = state;
    return reading;
  }

  nack(resourceNames: string[], responseNonce = this.state.nonce): string {
    return this.ask({ resourceNames, responseNonce, errorDetail: 'no' });
  }

  statusOf(name: string): string {
    return configStatusOf(this.state.deliveries.get(name));
  }
}

describe('state of the world, CDS: every response contains the whole subscription', () => {
  const view = viewBuilder(CDS.typeUrl);
  let story: Story;
  beforeEach(() => {
    story = new Story(CDS.typeUrl, view({ a: '1', b: '1', c: '1' }));
  });

  it('supports the wildcard sequence: everything, a, nothing, everything, everything and a', () => {
    story.ask({ resourceNames: [] });
    expect(story.answer()).toEqual(['a', 'b', 'c']);
    story.ack(['a']);
    expect(story.answer()).toBeUndefined();
    story.ask({ resourceNames: [], responseNonce: story.state.nonce });
    expect(story.answer()).toBeUndefined();
    story.ask({ resourceNames: ['*'], responseNonce: story.state.nonce });
    expect(story.answer()).toEqual(['a', 'b', 'c']);
    story.ack(['*', 'a']);
    expect(story.answer()).toBeUndefined();
  });

  it('sends nothing after an ACK, and the whole set after a change', () => {
    story.ask({ resourceNames: ['a', 'b'] });
    expect(story.answer()).toEqual(['a', 'b']);
    expect(story.ack(['a', 'b'])).toBe('ack');
    expect(story.answer()).toBeUndefined();
    story.view = view({ a: '1', b: '2', c: '1' });
    expect(story.answer()).toEqual(['a', 'b']);
  });

  it('sends nothing when only unsubscribed resources change', () => {
    story.ask({ resourceNames: ['a'] });
    story.answer();
    story.view = view({ a: '1', b: '2' });
    expect(story.answer()).toBeUndefined();
  });

  it('deletes by absence, down to an empty response', () => {
    story.ask({ resourceNames: ['a', 'b'] });
    story.answer();
    story.view = view({ a: '1' });
    expect(story.answer()).toEqual(['a']);
    story.view = view({});
    expect(story.answer()).toEqual([]);
    expect(story.answer()).toBeUndefined();
  });

  it('answers a name that does not exist immediately and once', () => {
    story.ask({ resourceNames: ['x'] });
    expect(story.answer()).toEqual([]);
    story.ack(['x']);
    expect(story.answer()).toBeUndefined();
  });

  it('does not repeat a rejected response', () => {
    story.ask({ resourceNames: ['a'] });
    story.answer();
    expect(story.nack(['a'])).toBe('nack');
    expect(story.answer()).toBeUndefined();
  });

  it('sends a resource again that was unsubscribed and subscribed again', () => {
    story.ask({ resourceNames: ['a', 'b'] });
    story.answer();
    story.ack(['a']);
    story.ask({ resourceNames: ['a', 'b'], responseNonce: story.state.nonce });
    expect(story.answer()).toEqual(['a', 'b']);
  });

  it('ignores the names of a stale request, but not its ACK or NACK', () => {
    story.ask({ resourceNames: ['a'] });
    story.answer();
    story.view = view({ a: '2', b: '1' });
    story.answer();
    expect(story.ack(['a', 'b'], '1')).toBe('stale');
    expect(story.answer()).toBeUndefined();
    expect(story.ack(['a', 'b'], '2')).toBe('ack');
    expect(story.answer()).toEqual(['a', 'b']);
  });

  it('treats a nonce of an earlier stream as empty', () => {
    expect(story.ack(['a'], '77')).toBe('subscription');
    expect(story.answer()).toEqual(['a']);
  });

  it('reads a second request with the same nonce as a subscription, not as a second answer', () => {
    story.ask({ resourceNames: ['a'] });
    story.answer();
    expect(story.nack(['a'])).toBe('nack');
    expect(story.nack(['a', 'b'])).toBe('subscription');
    expect(story.answer()).toEqual(['a', 'b']);
  });

  it('recognises a NACK by error_detail, whatever the version', () => {
    story.ask({ resourceNames: ['a'] });
    story.answer();
    const { versionInfo, nonce } = story.state;
    expect(story.ask({ resourceNames: ['a'], versionInfo, responseNonce: nonce, errorDetail: '' })).toBe(
      'nack',
    );
  });

  it('keeps accepted resources SYNCED when a later response is rejected because of another one', () => {
    story.ask({ resourceNames: ['a', 'b'] });
    story.answer();
    expect([story.statusOf('a'), story.statusOf('c')]).toEqual(['STALE', 'NOT_SENT']);
    story.ack(['a', 'b']);
    story.view = view({ a: '1', b: '2' });
    story.answer();
    story.nack(['a', 'b']);
    expect([story.statusOf('a'), story.statusOf('b')]).toEqual(['SYNCED', 'ERROR']);
  });

  const indexed =
    'xDS response validation errors: [resource index 1: Cluster message validation failed: [lb_policy is bad]]';
  const statuses = () => ['a', 'b', 'c'].map((name) => story.statusOf(name));

  it('marks the rest of a rejected response SYNCED if a client of gRFC A46 names the bad part', () => {
    story.ask({ resourceNames: [] });
    story.answer();
    expect(story.reject([], indexed, 'gRPC Node Pure JS')).toBe('nack');
    expect(statuses()).toEqual(['SYNCED', 'ERROR', 'SYNCED']);
    story.view = view({ a: '2', b: '1', c: '1' });
    story.answer();
    story.reject([], 'error parsing "ClusterResource" response: resource "b": bad', 'gRPC Go');
    expect(statuses(), 'b was rejected again, a is new').toEqual(['SYNCED', 'ERROR', 'SYNCED']);
    story.view = view({ a: '2', b: '2', c: '1' });
    story.answer();
    expect(statuses()).toEqual(['SYNCED', 'STALE', 'SYNCED']);
    story.ack([]);
    expect(statuses()).toEqual(['SYNCED', 'SYNCED', 'SYNCED']);
  });

  it('recognises such a client also by the version, which its NACK takes from the rejected response', () => {
    story.ask({ resourceNames: [] });
    story.answer();
    story.reject([], indexed, 'somebody', story.state.versionInfo);
    expect(statuses()).toEqual(['SYNCED', 'ERROR', 'SYNCED']);
  });

  it('marks everything new in a rejected response ERROR if the accepted part is unknown', () => {
    for (const [words, who] of [
      [indexed, 'somebody'],
      ['no', 'gRPC Go'],
    ] as const) {
      story = new Story(CDS.typeUrl, view({ a: '1', b: '1', c: '1' }));
      story.ask({ resourceNames: [] });
      story.answer();
      story.reject([], words, who);
      expect(statuses(), who).toEqual(['ERROR', 'ERROR', 'ERROR']);
    }
  });
});

describe('state of the world, EDS: absence means nothing', () => {
  const view = viewBuilder(EDS.typeUrl);

  it('sends only what is new, and nothing for names that do not exist', () => {
    const story = new Story(EDS.typeUrl, view({ a: '1', b: '1' }));
    story.ask({ resourceNames: ['x'] });
    expect(story.answer()).toBeUndefined();
    story.ask({ resourceNames: ['x', 'a'] });
    expect(story.answer()).toEqual(['a']);
    story.ack(['x', 'a', 'b']);
    expect(story.answer()).toEqual(['b']);
    story.view = view({ a: '2', b: '1', x: '1' });
    expect(story.answer()).toEqual(['x', 'a']);
    story.view = view({ b: '1' });
    expect(story.answer()).toBeUndefined();
  });

  it('applies the answer to an earlier response to what only that response carried', () => {
    const story = new Story(EDS.typeUrl, view({ a: '1', b: '1' }));
    story.ask({ resourceNames: ['a', 'b'] });
    story.answer();
    story.view = view({ a: '1', b: '2' });
    story.answer();
    expect(story.ack(['a', 'b'], '1')).toBe('stale');
    expect([story.statusOf('a'), story.statusOf('b')]).toEqual(['SYNCED', 'STALE']);
  });
});
