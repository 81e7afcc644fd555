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
} from '@/server/xds/stream/delta-stream-state';
import type { SentRequest, Subscription, Verdict } from '@/server/xds/stream/xds-channel';
import { everything, everythingAnd, nothing, only } from '@/tests/support/subscriptions';

type Step = (state: DeltaStreamState) => DeltaStep | DeltaStreamState;

/** Runs steps one after the other and gathers what went over the wire. */
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

/** "+a -b", as the request has it. */
function differenceOf({ resourceNames, unsubscribed }: SentRequest): string {
  return [...resourceNames.map((name) => `+${name}`), ...unsubscribed.map((name) => `-${name}`)].join(' ');
}

describe('the names on the wire are differences (xDS protocol: incremental xDS)', () => {
  const table: { title: string; wants: Subscription[]; sent: string[] }[] = [
    { title: 'everything is the legacy form at first: both lists empty', wants: [everything], sent: [''] },
    { title: 'a name is a name', wants: [only('a')], sent: ['+a'] },
    {
      title: 'everything, then one more, then that one alone, then nothing',
      wants: [everything, everythingAnd('a'), only('a'), nothing],
      sent: ['', '+a', '-*', '-a'],
    },
    {
      title: 'dropping a name while everything is held says so: the server owes an answer to it',
      wants: [everythingAnd('a'), everything],
      sent: ['+* +a', '-a'],
    },
    { title: 'names come and go', wants: [only('a', 'b'), only('b', 'c')], sent: ['+a +b', '+c -a'] },
    {
      title: 'a name that comes back is subscribed to again, so that the server sends it again',
      wants: [only('a', 'b'), only('b'), only('a', 'b')],
      sent: ['+a +b', '-a', '+a'],
    },
    {
      title: 'everything that comes later needs the star: empty lists would say nothing',
      wants: [only('a'), nothing, everything],
      sent: ['+a', '-a', '+*'],
    },
    { title: 'nothing is not asked for: empty lists would be everything', wants: [nothing], sent: [] },
    { title: 'the same again sends nothing', wants: [only('a', 'b'), only('b', 'a')], sent: ['+a +b'] },
  ];
  for (const { title, wants, sent } of table) {
    test(title, () => {
      const requests = play(opened, ...wants.map((each) => want(CDS.typeUrl, each)));
      expect(requests.map(differenceOf)).toEqual(sent);
    });
  }

  test('a change goes out at once, while a response is outstanding, and its nonce is empty', () => {
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

  test('a new stream subscribes to all of it anew, the star where names are with it', () => {
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

  test('tell what is held of everything', () => {
    const requests = play(want(CDS.typeUrl, everything), openedHolding(held));
    expect(Object.fromEntries(requests[0]?.initialResourceVersions ?? [])).toEqual(held);
  });

  test('tell of names only what is subscribed to', () => {
    const requests = play(want(CDS.typeUrl, only('b', 'new')), openedHolding(held));
    expect(Object.fromEntries(requests[0]?.initialResourceVersions ?? [])).toEqual({ b: '2' });
    expect(requests[0]?.resourceNames).toEqual(['b', 'new']);
  });

  test('are in the first request of a type on a stream, and in no other', () => {
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

describe('answers', () => {
  test('an ACK carries the nonce, and neither version nor names', () => {
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

  test('a NACK carries the nonce and the reason', () => {
    const rejection: Verdict = { kind: 'rejected', errorDetail: 'broken' };
    const requests = play(opened, want(CDS.typeUrl, only('a')), answer(CDS.typeUrl, 'n1', rejection));
    expect(requests.at(-1)).toMatchObject({ reason: 'nack', responseNonce: 'n1', errorDetail: 'broken' });
  });

  test('each response is answered by its own nonce, in whatever order', () => {
    const requests = play(
      opened,
      want(CDS.typeUrl, everything),
      accept(CDS.typeUrl, 'n2'),
      accept(CDS.typeUrl, 'n1'),
    );
    expect(requests.slice(1).map(({ responseNonce }) => responseNonce)).toEqual(['n2', 'n1']);
  });

  test('a type that was never asked for, and a stream that has ended, get none', () => {
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

test('the node goes into the first request of each stream only', () => {
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
