import { describe, expect, test } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import {
  type AdsStep,
  type AdsStreamState,
  initialAdsStreamState,
  onResponse,
  onStreamClosed,
  onStreamOpened,
  subscribe,
} from '@/server/collect/xds/stream/ads-stream-state';
import type { SentRequest, Subscription } from '@/server/collect/xds/stream/xds-channel';
import { everything, everythingAnd, nothing, only } from '@/tests/support/builders/subscriptions';

/** Applies the steps in order and returns the requests. */
function play(...steps: ((state: AdsStreamState) => AdsStep | AdsStreamState)[]): SentRequest[] {
  let state = initialAdsStreamState;
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

const want = (typeUrl: string, subscription: Subscription) => (state: AdsStreamState) =>
  subscribe(state, typeUrl, subscription);
const accept = (typeUrl: string, versionInfo: string, nonce: string) => (state: AdsStreamState) =>
  onResponse(state, { typeUrl, versionInfo, nonce, verdict: { kind: 'accepted' } });
const reject = (typeUrl: string, versionInfo: string, nonce: string, errorDetail: string) => {
  return (state: AdsStreamState) =>
    onResponse(state, { typeUrl, versionInfo, nonce, verdict: { kind: 'rejected', errorDetail } });
};

describe('the names on the wire (xDS protocol: how the client specifies what resources to return)', () => {
  const table: { title: string; wants: Subscription[]; sent: string[][] }[] = [
    { title: 'the wildcard is the empty list at first', wants: [everything], sent: [[]] },
    { title: 'a name is sent', wants: [only('a')], sent: [['a']] },
    {
      title: 'the wildcard after a name is the star',
      wants: [everything, only('a'), nothing, everything, everythingAnd('a')],
      sent: [[], ['a'], [], ['*'], ['*', 'a']],
    },
    {
      title: 'the wildcard with a name is the star from the start',
      wants: [everythingAnd('a')],
      sent: [['*', 'a']],
    },
    {
      title: 'an empty subscription sends no first request, because the empty list would be the wildcard',
      wants: [nothing],
      sent: [],
    },
    {
      title: 'a wildcard of the empty list is sent as the star before the empty list ends it',
      wants: [everything, nothing, only('a')],
      sent: [[], ['*'], [], ['a']],
    },
    {
      title: 'an empty subscription that stays empty sends nothing',
      wants: [nothing, only('a'), nothing, nothing],
      sent: [['a'], []],
    },
    {
      title: 'an equal subscription sends nothing',
      wants: [only('a', 'b'), only('b', 'a')],
      sent: [['a', 'b']],
    },
    { title: 'removing the last name sends the empty list', wants: [only('a'), nothing], sent: [['a'], []] },
    {
      title: 'each request contains the whole subscription',
      wants: [only('a'), only('a', 'b'), only('b')],
      sent: [['a'], ['a', 'b'], ['b']],
    },
  ];
  test.each(table)('$title', ({ wants, sent }) => {
    const requests = play(onStreamOpened, ...wants.map((each) => want(CDS.typeUrl, each)));
    expect(requests.map(({ resourceNames }) => resourceNames)).toEqual(sent);
  });

  test('names of one stream do not affect the next', () => {
    const requests = play(
      onStreamOpened,
      want(CDS.typeUrl, only('a')),
      want(CDS.typeUrl, everything),
      onStreamClosed,
      onStreamOpened,
    );
    expect(requests.map(({ resourceNames }) => resourceNames)).toEqual([['a'], ['*'], []]);
  });
});

test('the node is in the first request of each stream only', () => {
  const requests = play(
    want(LDS.typeUrl, everything),
    want(CDS.typeUrl, everything),
    onStreamOpened,
    accept(LDS.typeUrl, '1', 'n1'),
    onStreamClosed,
    onStreamOpened,
  );
  expect(requests.map(({ typeUrl, withNode }) => [typeUrl, withNode])).toEqual([
    [LDS.typeUrl, true],
    [CDS.typeUrl, false],
    [LDS.typeUrl, false],
    [LDS.typeUrl, true],
    [CDS.typeUrl, false],
  ]);
});

describe('a name that is removed and added again while a response is in flight', () => {
  const awaiting =
    (nonce: string, ...awaited: string[]) =>
    (state: AdsStreamState) =>
      onResponse(state, {
        typeUrl: EDS.typeUrl,
        versionInfo: nonce,
        nonce,
        verdict: { kind: 'accepted' },
        isAwaited: (name) => awaited.includes(name),
      });
  const crossing = [
    onStreamOpened,
    want(EDS.typeUrl, only('a', 'b')),
    awaiting('n1'),
    want(EDS.typeUrl, only('a')),
    want(EDS.typeUrl, only('a', 'b')),
  ];
  const sent = (requests: SentRequest[]) =>
    requests.slice(4).map((each) => [each.reason, each.responseNonce, each.resourceNames]);

  test('is not in the ACK and is requested after it', () => {
    expect(sent(play(...crossing, awaiting('n2', 'b')))).toEqual([
      ['ack', 'n2', ['a']],
      ['subscription', 'n2', ['a', 'b']],
    ]);
  });

  test('is in the next ACK', () => {
    expect(sent(play(...crossing, awaiting('n2', 'b'), awaiting('n3', 'b'))).slice(2)).toEqual([
      ['ack', 'n3', ['a', 'b']],
    ]);
  });

  test('is not requested again if it was received, is not subscribed, or is covered by a wildcard', () => {
    expect(sent(play(...crossing, awaiting('n2')))).toEqual([['ack', 'n2', ['a', 'b']]]);
    const dropped = play(...crossing.slice(0, 4), awaiting('n2', 'b'));
    expect(dropped.slice(3).map(({ resourceNames }) => resourceNames)).toEqual([['a']]);
    const widened = [...crossing.slice(0, 4), want(EDS.typeUrl, everythingAnd('a', 'b'))];
    expect(sent(play(...widened, awaiting('n2', 'b')))).toEqual([['ack', 'n2', ['*', 'a', 'b']]]);
  });

  test('is in the ACKs of the next stream', () => {
    const requests = play(...crossing, onStreamClosed, onStreamOpened, awaiting('n1', 'b'));
    expect(requests.at(-1)).toMatchObject({ reason: 'ack', resourceNames: ['a', 'b'] });
  });

  test('makes the ACK the empty list if it is the only name', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('b')),
      want(EDS.typeUrl, nothing),
      want(EDS.typeUrl, only('b')),
      awaiting('n1', 'b'),
    );
    expect(requests.slice(3).map(({ resourceNames }) => resourceNames)).toEqual([[], ['b']]);
  });
});

describe('versions and nonces', () => {
  test('an ACK has the version and the nonce of its response', () => {
    const requests = play(onStreamOpened, want(EDS.typeUrl, only('a')), accept(EDS.typeUrl, '7', 'n1'));
    expect(requests.at(-1)).toEqual({
      isDelta: false,
      reason: 'ack',
      typeUrl: EDS.typeUrl,
      withNode: false,
      versionInfo: '7',
      responseNonce: 'n1',
      resourceNames: ['a'],
      unsubscribed: [],
      initialResourceVersions: new Map(),
      errorDetail: '',
    });
  });

  test('a NACK has the last accepted version, the new nonce and the reason', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      reject(EDS.typeUrl, '8', 'n2', 'broken'),
    );
    expect(requests.at(-1)).toMatchObject({
      reason: 'nack',
      versionInfo: '7',
      responseNonce: 'n2',
      resourceNames: ['a'],
      errorDetail: 'broken',
    });
  });

  test('a NACK of a partly accepted response has its version if the client moves the version', () => {
    const errorDetail = 'broken in part';
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      (state) =>
        onResponse(state, {
          typeUrl: EDS.typeUrl,
          versionInfo: '8',
          nonce: 'n2',
          verdict: { kind: 'rejected', errorDetail, movesVersion: true },
        }),
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'nack', versionInfo: '8', errorDetail });
  });

  test('a NACK of the first response has an empty version', () => {
    const requests = play(onStreamOpened, want(EDS.typeUrl, only('a')), reject(EDS.typeUrl, '1', 'n1', 'no'));
    expect(requests.at(-1)).toMatchObject({ versionInfo: '', responseNonce: 'n1' });
  });

  test('a valid response after a NACK is accepted, even with the version that was rejected', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      reject(EDS.typeUrl, '1', 'n1', 'no'),
      accept(EDS.typeUrl, '1', 'n2'),
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'ack', versionInfo: '1', responseNonce: 'n2' });
  });

  test('the next stream has the version, but not the nonce', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      onStreamClosed,
      onStreamOpened,
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'subscription', versionInfo: '7', responseNonce: '' });
  });

  test('a later subscription has version and nonce', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      want(EDS.typeUrl, only('a', 'b')),
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'subscription', versionInfo: '7', responseNonce: 'n1' });
  });

  test('each type has its own version and nonce', () => {
    const requests = play(
      onStreamOpened,
      want(LDS.typeUrl, everything),
      want(RDS.typeUrl, only('r')),
      accept(LDS.typeUrl, '7', 'n1'),
      accept(RDS.typeUrl, '3', 'n2'),
      accept(LDS.typeUrl, '8', 'n3'),
    );
    expect(requests.slice(2).map((r) => [r.typeUrl, r.versionInfo, r.responseNonce])).toEqual([
      [LDS.typeUrl, '7', 'n1'],
      [RDS.typeUrl, '3', 'n2'],
      [LDS.typeUrl, '8', 'n3'],
    ]);
  });

  test('a type that was never requested gets neither ACK nor NACK', () => {
    const requests = play(onStreamOpened, accept('type.googleapis.com/made.Up', '1', 'n1'));
    expect(requests).toEqual([]);
  });

  test('a type that the new stream did not request gets no ACK, because its empty list would be the wildcard', () => {
    const requests = play(
      onStreamOpened,
      want(CDS.typeUrl, only('a')),
      want(CDS.typeUrl, nothing),
      onStreamClosed,
      onStreamOpened,
      accept(CDS.typeUrl, '1', 'n1'),
      want(CDS.typeUrl, only('b')),
    );
    expect(requests.map(({ resourceNames, versionInfo }) => [resourceNames, versionInfo])).toEqual([
      [['a'], ''],
      [[], ''],
      [['b'], '1'],
    ]);
  });

  test('a response that is read after the end of its stream sets the version and sends nothing', () => {
    const requests = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      onStreamClosed,
      accept(EDS.typeUrl, '7', 'n1'),
      onStreamOpened,
    );
    expect(requests.map((r) => [r.versionInfo, r.responseNonce])).toEqual([
      ['', ''],
      ['7', ''],
    ]);
  });
});

test('subscriptions before the stream opens are sent when it opens', () => {
  const requests = play(
    want(LDS.typeUrl, everything),
    want(RDS.typeUrl, nothing),
    want(EDS.typeUrl, only('a')),
    onStreamOpened,
  );
  expect(requests.map((r) => [r.typeUrl, r.resourceNames])).toEqual([
    [LDS.typeUrl, []],
    [EDS.typeUrl, ['a']],
  ]);
});
