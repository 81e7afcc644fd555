import { describe, expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import {
  applySubscription,
  type RequestTarget,
  readAnswer,
} from '@/server/collect/tap/recording/apply-request';
import { ClientHoldings } from '@/server/collect/tap/recording/client-holdings';
import type { ObservedRequest } from '@/server/collect/tap/recording/decode-request';
import type { PendingResponse } from '@/server/collect/tap/recording/pending-responses';
import { RowChanges } from '@/server/collect/tap/recording/row-changes';
import { newStreamType } from '@/server/collect/tap/recording/stream-type';
import { sampleNode } from '../../../support/builders/observation-samples';

/** A stream of clusters that has subscribed to a and b. */
function openTarget(options: Partial<RequestTarget> = {}): RequestTarget {
  const type = newStreamType(false);
  for (const name of ['a', 'b']) type.wants.names.add(name);
  const held = new ClientHoldings(sampleNode('n')).typeOf(CDS.typeUrl);
  held.subscriptions.add(type.wants);
  return {
    ...{
      type,
      holdings: held,
      wants: type.wants,
      at: 100,
      changes: new RowChanges(),
      receipt: { at: 100, clockMs: 30 },
    },
    ...{ isDelta: false, isPolled: false, userAgentName: 'gRPC Go', ...options },
  };
}

function requestOf(fields: Partial<ObservedRequest>): ObservedRequest {
  return {
    ...{ node: null, typeUrl: CDS.typeUrl, versionInfo: '', responseNonce: '', resourceNames: [] },
    ...{ unsubscribedNames: [], initialVersions: new Map(), errorDetail: null, errorCode: 0, ...fields },
  };
}

function responseOf(versionInfo: string): PendingResponse {
  const rest = { receivedMs: 20, at: 90, isMarked: false, isDelta: false, removed: [] };
  const body = { typeUrl: CDS.typeUrl, bytes: new Uint8Array([10, 1, 97]), hash: `hash of ${versionInfo}` };
  return { ...rest, versionInfo, resources: [{ name: 'a', body, apiVersion: 'v3', version: '' }] };
}

describe('readAnswer()', () => {
  it('an ACK accepts the response, and states the time since it', () => {
    const target = openTarget();
    const ack = readAnswer(requestOf({ responseNonce: '1', versionInfo: '1' }), responseOf('1'), target);
    expect(ack).toEqual({ kind: 'ack-sent', nonce: '1', tookMs: 10 });
    expect(target.holdings.rows.get('a')).toMatchObject({ clientStatus: 'ACKED', hash: 'hash of 1' });
  });

  it('a NACK that is repeated with another subscription is about the same version and rows', () => {
    const target = openTarget();
    const nack = requestOf({ responseNonce: '1', errorDetail: 'a is bad', errorCode: 3 });
    expect(readAnswer(nack, responseOf('1'), target)).toMatchObject({ rejectedVersion: '1', tookMs: 10 });
    const again = { ...target, changes: new RowChanges() };
    expect(readAnswer(nack, undefined, again)).toEqual({
      ...{ kind: 'nack-sent', nonce: '1', rejectedVersion: '1', errorDetail: 'a is bad', errorCode: 3 },
    });
    expect(again.changes.done().changed).toMatchObject([{ name: 'a', clientStatus: 'NACKED' }]);
  });

  it('a poll of REST does not state how long the client took', () => {
    const target = openTarget({ isPolled: true });
    expect(readAnswer(requestOf({ responseNonce: '1' }), responseOf('1'), target)).not.toHaveProperty(
      'tookMs',
    );
  });
});

describe('applySubscription()', () => {
  const first = { added: ['a'], dropped: [], isChanged: true, isFirst: true };

  it('the first request without a version shows that the client holds nothing of the type', () => {
    const target = openTarget();
    readAnswer(requestOf({ responseNonce: '1' }), responseOf('1'), target);
    applySubscription(requestOf({}), first, { isAnswer: false, isLate: false }, target);
    expect(target.holdings.rows.get('a')).toMatchObject({ clientStatus: 'REQUESTED', hash: null });
  });

  it('the first request that was recorded of a stream that was open before does not', () => {
    const target = openTarget();
    readAnswer(requestOf({ responseNonce: '1' }), responseOf('1'), target);
    applySubscription(requestOf({}), first, { isAnswer: false, isLate: true }, target);
    expect(target.holdings.rows.get('a')).toMatchObject({ clientStatus: 'ACKED', hash: 'hash of 1' });
  });

  it('in delta the initial versions are what the client holds', () => {
    const target = openTarget({ isDelta: true });
    const request = requestOf({ initialVersions: new Map([['b', '7']]) });
    applySubscription(request, { ...first, added: [] }, { isAnswer: false, isLate: false }, target);
    expect(target.holdings.rows.get('b')).toMatchObject({ versionInfo: '7' });
  });
});
