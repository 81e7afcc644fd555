import { describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { buildEvents } from '@/lib/views/events/build-events';
import type { ClientStatus } from '@/lib/xds/status';
import { numbered, sampleReport, sampleResource } from '../../../support/builders/observation-samples';

function eventsOf(changed: ReturnType<typeof sampleResource>[], before?: ClientStatus) {
  return numbered([sampleReport({ changed })]).flatMap((observation) =>
    buildEvents(observation, { nodeIdOf: () => 'web', previousStatus: () => before }),
  );
}

const errorState = {
  details: 'weight must be >= 1',
  versionInfo: '3',
  lastUpdateAttempt: null,
  failedHash: null,
};

describe('buildEvents()', () => {
  it('reports a rejection with its reason', () => {
    expect(eventsOf([sampleResource({ clientStatus: 'NACKED', errorState })])).toMatchObject([
      {
        nodeId: 'web',
        resourceName: 'cart',
        status: 'NACKED',
        isTrouble: true,
        text: 'CDS cart NACKED: weight must be >= 1',
      },
    ]);
  });

  it('reports that a rejected resource is accepted again, but no ordinary update', () => {
    expect(eventsOf([sampleResource()], 'NACKED')).toMatchObject([{ isTrouble: false, status: 'ACKED' }]);
    expect(eventsOf([sampleResource()], 'ACKED')).toEqual([]);
    expect(eventsOf([sampleResource()], undefined)).toEqual([]);
  });

  describe('of a probe', () => {
    const about = { at: 1, vantage: 'probe', sourceId: 'ads:a', clientId: 'c1', streamId: 's1' } as const;
    const ack = { ...about, kind: 'ack-sent', typeUrl: 'CDS', versionInfo: '1', nonce: 'n' } as const;
    const context = { nodeIdOf: () => 'web', previousStatus: () => 'ACKED' as const };
    const texts = (observation: Observation) =>
      numbered([observation]).flatMap((each) => buildEvents(each, context).map(({ text }) => text));
    const missing = sampleResource({ clientStatus: 'DOES_NOT_EXIST' });

    it('infers why a resource does not exist if the client reports no reason', () => {
      expect(texts({ ...ack, changed: [missing], removed: [] })).toEqual([
        'CDS cart DOES_NOT_EXIST: removed by the server',
      ]);
      expect(texts({ ...about, kind: 'timer-expired', changed: [missing], removed: [] })).toEqual([
        'CDS cart DOES_NOT_EXIST: no server sent it in time',
      ]);
    });

    it('reports a resource whose time to live has passed', () => {
      const { typeUrl, name } = missing;
      const removed = [{ typeUrl, name }];
      expect(texts({ ...about, kind: 'timer-expired', timer: 'ttl', changed: [], removed })).toEqual([
        'CDS cart is removed: its time to live passed without a renewal',
      ]);
    });

    it('reports that a resource stays in use despite an error, and the failure of a server only once', () => {
      const kept = sampleResource({ ambientError: { code: 'NOT_FOUND', details: 'deleted', since: 1 } });
      expect(texts({ ...ack, changed: [kept], removed: [] })).toEqual([
        'CDS cart stays in use despite NOT_FOUND: deleted',
      ]);
      const { ambientError } = kept;
      const since = sampleResource({ clientStatus: 'DOES_NOT_EXIST', ambientError });
      expect(texts({ ...ack, changed: [since], removed: [] })).toEqual([
        'CDS cart DOES_NOT_EXIST: removed by the server (the previous version stays in use)',
      ]);
      expect(
        texts({ ...about, kind: 'cache-changed', reason: 'lost', changed: [kept], removed: [] }),
      ).toEqual([]);
    });
  });

  it('limits a thousand rejections of one observation to twenty events and a count', () => {
    const many = Array.from({ length: 1_000 }, (_, i) =>
      sampleResource({ name: `c${i}`, clientStatus: 'NACKED' }),
    );
    const events = eventsOf(many);
    expect(events).toHaveLength(21);
    expect(events.at(-1)).toMatchObject({
      text: 'and 980 resources more',
      isTrouble: true,
      status: undefined,
    });
  });

  it('contains the node id of a client in its first observation', () => {
    const [event] = numbered([
      {
        kind: 'server-switched',
        at: 1,
        vantage: 'probe',
        sourceId: 'ads:a',
        clientId: 'c1',
        authority: null,
        from: 'a:1',
        to: 'b:1',
        reason: 'a:1 cannot be reached',
        direction: 'fallback',
        node: { ...sampleReport().node, id: 'web-7' },
      },
    ]).flatMap((each) => buildEvents(each, { nodeIdOf: () => undefined, previousStatus: () => undefined }));
    expect(event?.nodeId).toBe('web-7');
  });

  it('reports the servers and the reason of a fallback', () => {
    const switched = {
      kind: 'server-switched',
      at: 1,
      vantage: 'probe',
      sourceId: 'ads:a',
      clientId: 'c1',
      authority: 'shop',
      from: 'a:1',
      to: 'b:1',
      reason: 'a:1 cannot be reached',
    } as const;
    const context = { nodeIdOf: () => 'web', previousStatus: () => undefined };
    const [fallback, back] = numbered([
      { ...switched, direction: 'fallback' },
      { ...switched, direction: 'return', authority: null },
    ]).flatMap((observation) => buildEvents(observation, context));
    expect(fallback).toMatchObject({
      text: 'xDS client of authority "shop" falls back from a:1 to b:1: a:1 cannot be reached',
      isTrouble: true,
    });
    expect(back).toMatchObject({ isTrouble: false, text: expect.stringMatching(/^xDS client returns from/) });
  });
});
