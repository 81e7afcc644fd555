import { describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import {
  type DeltaStep,
  type DeltaStreamState,
  initialDeltaStreamState,
  onDeltaResponse,
  onDeltaStreamClosed,
  onDeltaStreamOpened,
  subscribeDelta,
} from '@/server/collect/xds/stream/delta-stream-state';
import type { SentRequest, Subscription, Verdict } from '@/server/collect/xds/stream/xds-channel';
import { everything, everythingAnd, nothing, only } from '@/tests/support/builders/subscriptions';

type Step = (state: DeltaStreamState) => DeltaStep | DeltaStreamState;

/** Applies the steps in order and returns the requests. */
function play(...steps: Step[]): SentRequest[] {
  let state = initialDeltaStreamState;
  const requests: SentRequest[] = [];
  for (const step of steps) {
    const result = step(state);
    if ('requests' in result) {
      state = result.state;
      requests.push(...result.requests);
    } else {
      state = result;
    }
  }
  return requests;
}

const holding = (versions: Record<string, string>) => () => new Map(Object.entries(versions));
const holdingNothing = holding({});
const opened = (state: DeltaStreamState): DeltaStep => onDeltaStreamOpened(state, holdingNothing);
const openedHolding = (versions: Record<string, string>) => (state: DeltaStreamState) =>
  onDeltaStreamOpened(state, holding(versions));
const want = (typeUrl: string, subscription: Subscription) => (state: DeltaStreamState) =>
  subscribeDelta(state, typeUrl, subscription, holdingNothing);
const answer = (typeUrl: string, nonce: string, verdict: Verdict) => (state: DeltaStreamState) =>
  onDeltaResponse(state, { typeUrl, versionInfo: 'ignored', nonce, verdict });
const accept = (typeUrl: string, nonce: string) => answer(typeUrl, nonce, { kind: 'accepted' });

/** The names that are added and removed, as "+a -b". */
function differenceOf({ resourceNames, unsubscribed }: SentRequest): string {
  return [...resourceNames.map((name) => `+${name}`), ...unsubscribed.map((name) => `-${name}`)].join(' ');
}

describe('subscribed and unsubscribed names (xDS protocol: incremental xDS)', () => {
  const table: { title: string; wants: Subscription[]; sent: string[] }[] = [
    { title: 'the wildcard is two empty lists at first', wants: [everything], sent: [''] },
    { title: 'a name is added', wants: [only('a')], sent: ['+a'] },
    {
      title: 'the wildcard of empty lists is removed as the star',
      wants: [everything, everythingAnd('a'), only('a'), nothing],
      sent: ['', '+a', '-*', '-a'],
    },
    {
      title: 'a name is removed while the wildcard is subscribed',
      wants: [everythingAnd('a'), everything],
      sent: ['+* +a', '-a'],
    },
    {
      title: 'names are added and removed in one request',
      wants: [only('a', 'b'), only('b', 'c')],
      sent: ['+a +b', '+c -a'],
    },
    {
      title: 'a name that returns is added again',
      wants: [only('a', 'b'), only('b'), only('a', 'b')],
      sent: ['+a +b', '-a', '+a'],
    },
    {
      title: 'a later wildcard is the star',
      wants: [only('a'), nothing, everything],
      sent: ['+a', '-a', '+*'],
    },
    {
      title: 'an empty subscription sends no first request, because empty lists would be the wildcard',
      wants: [nothing],
      sent: [],
    },
    {
      title: 'an equal subscription sends nothing',
      wants: [only('a', 'b'), only('b', 'a')],
      sent: ['+a +b'],
    },
  ];
  test.each(table)('$title', ({ wants, sent }) => {
    const requests = play(opened, ...wants.map((each) => want(CDS.typeUrl, each)));
    expect(requests.map(differenceOf)).toEqual(sent);
  });

  test('a change is sent at once, without a nonce', () => {
    const requests = play(
      opened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, 'n1'),
      want(EDS.typeUrl, only('a', 'b')),
      want(EDS.typeUrl, only('b')),
    );
    expect(requests.map((each) => [each.reason, each.responseNonce, differenceOf(each)])).toEqual([
      ['subscription', '', '+a'],
      ['ack', 'n1', ''],
      ['subscription', '', '+b'],
      ['subscription', '', '-a'],
    ]);
  });

  test('a new stream subscribes to everything again, with the star if there are names', () => {
    const requests = play(
      opened,
      want(CDS.typeUrl, everythingAnd('a')),
      want(EDS.typeUrl, only('a')),
      want(EDS.typeUrl, only('b', 'c')),
      want(LDS.typeUrl, only('l')),
      want(LDS.typeUrl, nothing),
      onDeltaStreamClosed,
      opened,
    );
    expect(requests.slice(-2).map((each) => [each.typeUrl, differenceOf(each)])).toEqual([
      [CDS.typeUrl, '+* +a'],
      [EDS.typeUrl, '+b +c'],
    ]);
  });
});

describe('initial_resource_versions', () => {
  const held = { a: '1', b: '2', c: '3' };

  test('have all cached versions for the wildcard', () => {
    const requests = play(want(CDS.typeUrl, everything), openedHolding(held));
    expect(Object.fromEntries(requests[0]?.initialResourceVersions ?? [])).toEqual(held);
  });

  test('have the cached versions of subscribed names', () => {
    const requests = play(want(CDS.typeUrl, only('b', 'new')), openedHolding(held));
    expect(Object.fromEntries(requests[0]?.initialResourceVersions ?? [])).toEqual({ b: '2' });
    expect(requests[0]?.resourceNames).toEqual(['b', 'new']);
  });

  test('are only in the first request of a type on a stream', () => {
    const requests = play(
      openedHolding(held),
      (state) => subscribeDelta(state, CDS.typeUrl, only('a'), holding(held)),
      (state) => subscribeDelta(state, CDS.typeUrl, only('a', 'b'), holding(held)),
      accept(CDS.typeUrl, 'n1'),
      (state) => subscribeDelta(state, EDS.typeUrl, only('c'), holding(held)),
    );
    expect(requests.map((each) => Object.fromEntries(each.initialResourceVersions))).toEqual([
      { a: '1' },
      {},
      {},
      { c: '3' },
    ]);
  });
});

describe('ACKs and NACKs', () => {
  test('an ACK has the nonce, but neither version nor names', () => {
    const requests = play(opened, want(CDS.typeUrl, only('a')), accept(CDS.typeUrl, 'n1'));
    expect(requests.at(-1)).toEqual({
      isDelta: true,
      reason: 'ack',
      typeUrl: CDS.typeUrl,
      withNode: false,
      versionInfo: '',
      responseNonce: 'n1',
      resourceNames: [],
      unsubscribed: [],
      initialResourceVersions: new Map(),
      errorDetail: '',
    });
  });

  test('a NACK has the nonce and the reason', () => {
    const rejection: Verdict = { kind: 'rejected', errorDetail: 'broken' };
    const requests = play(opened, want(CDS.typeUrl, only('a')), answer(CDS.typeUrl, 'n1', rejection));
    expect(requests.at(-1)).toMatchObject({ reason: 'nack', responseNonce: 'n1', errorDetail: 'broken' });
  });

  test('each ACK has the nonce of its response, in any order', () => {
    const requests = play(
      opened,
      want(CDS.typeUrl, everything),
      accept(CDS.typeUrl, 'n2'),
      accept(CDS.typeUrl, 'n1'),
    );
    expect(requests.slice(1).map(({ responseNonce }) => responseNonce)).toEqual(['n2', 'n1']);
  });

  test('are not sent for a type that was never requested, or after the end of the stream', () => {
    expect(play(opened, accept(CDS.typeUrl, 'n1'))).toEqual([]);
    const requests = play(
      opened,
      want(CDS.typeUrl, everything),
      onDeltaStreamClosed,
      accept(CDS.typeUrl, 'n1'),
    );
    expect(requests).toHaveLength(1);
  });
});

test('the node is in the first request of each stream only', () => {
  const requests = play(
    want(LDS.typeUrl, everything),
    want(CDS.typeUrl, everything),
    opened,
    accept(LDS.typeUrl, 'n1'),
    onDeltaStreamClosed,
    opened,
  );
  expect(requests.map(({ withNode }) => withNode)).toEqual([true, false, false, true, false]);
});
