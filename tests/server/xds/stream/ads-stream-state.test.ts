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
} from '@/server/xds/stream/ads-stream-state';
import type { SentRequest, Subscription } from '@/server/xds/stream/xds-channel';
import { everything, everythingAnd, nothing, only } from '@/tests/support/subscriptions';

/** Runs steps one after the other and gathers what went over the wire. */
function play(...steps: ((state: AdsStreamState) => AdsStep | AdsStreamState)[]): {
  state: AdsStreamState;
  requests: SentRequest[];
} {
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
  return { state, requests };
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
    { title: 'everything is the empty list at first', wants: [everything], sent: [[]] },
    { title: 'a name is a name', wants: [only('a')], sent: [['a']] },
    {
      title: 'everything, then one, then nothing, then everything, then everything and one',
      wants: [everything, only('a'), nothing, everything, everythingAnd('a')],
      sent: [[], ['a'], [], ['*'], ['*', 'a']],
    },
    {
      title: 'everything and a name needs the star from the start',
      wants: [everythingAnd('a')],
      sent: [['*', 'a']],
    },
    { title: 'nothing is not asked for: the empty list would be everything', wants: [nothing], sent: [] },
    {
      title: 'everything that was an empty list is named before an empty list can take it back',
      wants: [everything, nothing, only('a')],
      sent: [[], ['*'], [], ['a']],
    },
    {
      title: 'nothing that stays nothing is not reported',
      wants: [nothing, only('a'), nothing, nothing],
      sent: [['a'], []],
    },
    { title: 'the same again sends nothing', wants: [only('a', 'b'), only('b', 'a')], sent: [['a', 'b']] },
    { title: 'dropping the last name sends the empty list', wants: [only('a'), nothing], sent: [['a'], []] },
    {
      title: 'every request repeats the whole subscription',
      wants: [only('a'), only('a', 'b'), only('b')],
      sent: [['a'], ['a', 'b'], ['b']],
    },
  ];
  for (const { title, wants, sent } of table) {
    test(title, () => {
      const { requests } = play(onStreamOpened, ...wants.map((each) => want(CDS.typeUrl, each)));
      expect(requests.map(({ resourceNames }) => resourceNames)).toEqual(sent);
    });
  }

  test('what was named on one stream does not bind the next', () => {
    const { requests } = play(
      onStreamOpened,
      want(CDS.typeUrl, only('a')),
      want(CDS.typeUrl, everything),
      onStreamClosed,
      onStreamOpened,
    );
    expect(requests.map(({ resourceNames }) => resourceNames)).toEqual([['a'], ['*'], []]);
  });
});

describe('the node', () => {
  test('goes into the first request of each stream only', () => {
    const { requests } = play(
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
});

describe('a name that is dropped and wanted again while a response is on its way', () => {
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
  const sent = ({ requests }: { requests: SentRequest[] }) =>
    requests.slice(4).map((each) => [each.reason, each.responseNonce, each.resourceNames]);

  test('is left out of the answer, and asked for after it', () => {
    expect(sent(play(...crossing, awaiting('n2', 'b')))).toEqual([
      ['ack', 'n2', ['a']],
      ['subscription', 'n2', ['a', 'b']],
    ]);
  });

  test('once: the next answer names it as any other', () => {
    expect(sent(play(...crossing, awaiting('n2', 'b'), awaiting('n3', 'b'))).slice(2)).toEqual([
      ['ack', 'n3', ['a', 'b']],
    ]);
  });

  test('leaves nothing to ask for when it came, when it is not wanted again, or when a wildcard keeps it', () => {
    expect(sent(play(...crossing, awaiting('n2')))).toEqual([['ack', 'n2', ['a', 'b']]]);
    const dropped = play(...crossing.slice(0, 4), awaiting('n2', 'b')).requests;
    expect(dropped.slice(3).map(({ resourceNames }) => resourceNames)).toEqual([['a']]);
    const widened = [...crossing.slice(0, 4), want(EDS.typeUrl, everythingAnd('a', 'b'))];
    expect(sent(play(...widened, awaiting('n2', 'b')))).toEqual([['ack', 'n2', ['*', 'a', 'b']]]);
  });

  test('does not outlive the stream', () => {
    const { requests } = play(...crossing, onStreamClosed, onStreamOpened, awaiting('n1', 'b'));
    expect(requests.at(-1)).toMatchObject({ reason: 'ack', resourceNames: ['a', 'b'] });
  });

  test('is all that was named: the answer is the empty list, which means nothing after a name', () => {
    const { requests } = play(
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
  test('an ACK carries the version and the nonce of its response', () => {
    const { requests } = play(onStreamOpened, want(EDS.typeUrl, only('a')), accept(EDS.typeUrl, '7', 'n1'));
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

  test('a NACK carries the last accepted version, the new nonce and the reason', () => {
    const { requests } = play(
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

  test('a NACK of a response whose good part is in use carries its version, where the client says so', () => {
    const errorDetail = 'broken in part';
    const { requests } = play(
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

  test('a NACK of the very first response has an empty version', () => {
    const { requests } = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      reject(EDS.typeUrl, '1', 'n1', 'no'),
    );
    expect(requests.at(-1)).toMatchObject({ versionInfo: '', responseNonce: 'n1' });
  });

  test('a good response after a NACK is accepted, even under the version string that was rejected', () => {
    const { requests } = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      reject(EDS.typeUrl, '1', 'n1', 'no'),
      accept(EDS.typeUrl, '1', 'n2'),
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'ack', versionInfo: '1', responseNonce: 'n2' });
  });

  test('the version survives the stream, the nonce does not', () => {
    const { requests } = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      onStreamClosed,
      onStreamOpened,
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'subscription', versionInfo: '7', responseNonce: '' });
  });

  test('a later subscription repeats version and nonce', () => {
    const { requests } = play(
      onStreamOpened,
      want(EDS.typeUrl, only('a')),
      accept(EDS.typeUrl, '7', 'n1'),
      want(EDS.typeUrl, only('a', 'b')),
    );
    expect(requests.at(-1)).toMatchObject({ reason: 'subscription', versionInfo: '7', responseNonce: 'n1' });
  });

  test('types do not share versions or nonces', () => {
    const { requests } = play(
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

  test('a type that was never asked for gets neither ACK nor NACK', () => {
    const { requests } = play(onStreamOpened, accept('type.googleapis.com/made.Up', '1', 'n1'));
    expect(requests).toEqual([]);
  });

  test('a type that is wanted no more, and that the new stream was not asked for, gets no answer: it would ask for all', () => {
    const { requests } = play(
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

  test('a response that was read after its stream had ended keeps the version and sends nothing', () => {
    const { requests } = play(
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

test('what is wanted before the stream is open is asked for when it opens', () => {
  const { requests } = play(
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
