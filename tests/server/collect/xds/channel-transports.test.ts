import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { grpcTransports } from '@/server/collect/xds/stream/grpc-xds-channel';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RequestEvent } from '@/server/lab/management-server/stream-logic';
import { everything, nothing, only } from '../../../support/builders/subscriptions';
import { clusterOf, endpointsOf, listenerOf } from '../../../support/builders/xds-wire';
import { GrpcChannelStory } from '../../../support/grpc-channel-story';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { resourceOf, until } from '../../../support/xds-probe-story';

const ways = grpcTransports.flatMap((transport) =>
  (['v3', 'v2'] as const).map((apiVersion) => ({ transport, apiVersion })),
);

describe.each(ways)('$transport in $apiVersion', ({ transport, apiVersion }) => {
  const isDelta = transport === 'delta' || transport === 'delta-ads';
  const isPerType = transport === 'sotw' || transport === 'delta';
  const clock = new ManualClock();
  let server: ManagementServer;
  let port: number;
  let requests: RequestEvent[];
  let story: GrpcChannelStory;

  async function serve(options: { noncePrefix: string; port?: number }): Promise<void> {
    server = new ManagementServer({ clock, noncePrefix: options.noncePrefix });
    server.onRequest((request) => requests.push(request));
    port = Number((await server.listen(options.port)).split(':')[1]);
  }

  beforeEach(async () => {
    requests = [];
    await serve({ noncePrefix: 'first-' });
    server.setResources('*', [
      resourceOf('l', listenerOf('l')),
      resourceOf('c1', clusterOf('c1')),
      resourceOf('c2', clusterOf('c2')),
      resourceOf('e1', endpointsOf('e1')),
      resourceOf('e2', endpointsOf('e2')),
    ]);
    story = new GrpcChannelStory({ target: `127.0.0.1:${port}`, clock, transport, apiVersion });
    story.subscribe(LDS.typeUrl, everything);
    story.subscribe(CDS.typeUrl, everything);
    story.subscribe(EDS.typeUrl, only('e1'));
  });

  afterEach(async () => {
    await story.channel.stop();
    await server.close();
  });

  const verdicts = (typeUrl: string): RequestEvent[] =>
    requests.filter(
      (each) => each.typeUrl === typeUrl && (each.reading === 'ack' || each.reading === 'nack'),
    );

  async function settled(): Promise<void> {
    await until(() => {
      expect(Object.keys(story.held(LDS.typeUrl))).toEqual(['l']);
      expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c1', 'c2']);
      expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e1']);
      for (const type of [LDS, CDS, EDS]) expect(verdicts(type.typeUrl)).toHaveLength(1);
    });
  }

  /** Waits until all streams have ended, and opens the next ones. */
  async function reopen(count: number, waitMs: number): Promise<void> {
    await until(() => expect(story.closed).toHaveLength(count));
    clock.advance(waitMs);
  }

  const streams = isPerType ? 3 : 1;

  test('wildcards and names are requested, sent and accepted', async () => {
    story.channel.start();
    await settled();
    expect(story.opened.map(({ typeUrl }) => typeUrl)).toHaveLength(streams);
    expect(new Set(story.opened.map(({ streamId }) => streamId)).size).toBe(streams);
    expect(story.opened.every(({ typeUrl }) => (typeUrl === null) !== isPerType)).toBe(true);
    expect(new Set(requests.map(({ path }) => path))).toEqual(
      new Set(story.opened.map(({ method }) => method)),
    );
    expect(verdicts(CDS.typeUrl)).toMatchObject([{ reading: 'ack', nodeId: 'channel-story' }]);
    expect(story.responses.every((each) => each.apiVersion === apiVersion && each.isDelta === isDelta)).toBe(
      true,
    );
    expect(story.problems).toEqual([]);
  });

  test('changes, additions and removals are received', async () => {
    story.channel.start();
    await settled();
    const before = story.find(EDS.typeUrl, 'e1')?.bytes;
    server.setResource('*', resourceOf('e1', endpointsOf('e1', 7)));
    server.removeResource('*', CDS.typeUrl, 'c1');
    server.setResource('*', resourceOf('c3', clusterOf('c3')));
    await until(() => {
      expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c2', 'c3']);
      expect(story.find(EDS.typeUrl, 'e1')?.bytes).not.toEqual(before);
    });
  });

  test('names are added and removed on an open stream, and a name that is added again is sent again', async () => {
    story.channel.start();
    await settled();
    story.subscribe(EDS.typeUrl, only('e1', 'e2'));
    await until(() => expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e1', 'e2']));
    story.subscribe(EDS.typeUrl, only('e2'));
    story.subscribe(EDS.typeUrl, only('e1', 'e2'));
    expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e2']);
    await until(() => expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e1', 'e2']));
  });

  test('a wildcard with a name is replaced by the name, then by the wildcard', async () => {
    story.channel.start();
    await settled();
    story.subscribe(CDS.typeUrl, { wildcard: true, names: new Set(['c1']) });
    story.subscribe(CDS.typeUrl, only('c1'));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c1']);
    story.subscribe(CDS.typeUrl, everything);
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c1', 'c2']));
    expect(story.sent.filter(({ typeUrl }) => typeUrl === CDS.typeUrl).at(-1)?.errorDetail).toBe('');
  });

  test('a rejection is sent with its reason, and the next valid response is accepted', async () => {
    story.channel.start();
    await settled();
    story.rejected.add('c3');
    server.setResource('*', resourceOf('c3', clusterOf('c3')));
    await until(() => expect(verdicts(CDS.typeUrl)).toHaveLength(2));
    const nack = verdicts(CDS.typeUrl).at(-1);
    expect(nack).toMatchObject({ reading: 'nack', errorDetail: '"c3": rejected by the story' });
    expect(nack?.versionInfo).toBe(isDelta ? '' : '1');
    story.rejected.clear();
    server.setResource('*', resourceOf('c3', clusterOf('c3', 'better')));
    await until(() => expect(verdicts(CDS.typeUrl).at(-1)).toMatchObject({ reading: 'ack' }));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c1', 'c2', 'c3']);
  });

  test('gRFC A57: a stream that ends before any response is a failure with increasing back-off', async () => {
    server.setSilent(true);
    story.channel.start();
    await until(() => expect(requests).toHaveLength(3));
    server.stopStreams();
    await until(() => expect(story.closed).toHaveLength(streams));
    for (const end of story.closed) {
      expect(end).toMatchObject({ isFailure: true, hadResponse: false, wasOpened: true, retryInMs: 1_000 });
    }
    await reopen(streams, 1_000);
    await until(() => expect(requests).toHaveLength(6));
    server.stopStreams();
    await until(() => expect(story.closed).toHaveLength(2 * streams));
    expect(story.closed.at(-1)?.retryInMs).toBe(1_600);
    server.setSilent(false);
    await reopen(2 * streams, 1_600);
    await settled();
  });

  test('gRFC A57: a stream that had a response is replaced within a second, and resources are kept', async () => {
    story.channel.start();
    await settled();
    const responses = story.responses.length;
    requests.length = 0;
    server.stopStreams(status.UNAVAILABLE, 'rotated');
    await until(() => expect(story.closed).toHaveLength(streams));
    for (const end of story.closed) expect(end).toMatchObject({ isFailure: false, details: 'rotated' });
    expect(Math.max(...story.closed.map(({ retryInMs }) => retryInMs ?? 0))).toBeLessThanOrEqual(1_000);
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c1', 'c2']);
    await reopen(streams, 1_000);
    await until(() => expect(requests.filter(({ reading }) => reading === 'subscription')).toHaveLength(3));
    const cds = requests.find(({ typeUrl }) => typeUrl === CDS.typeUrl);
    expect(cds).toMatchObject({ responseNonce: '', nodeId: 'channel-story' });
    if (isDelta) {
      expect(Object.fromEntries(cds?.initialResourceVersions ?? [])).toEqual({ c1: '1', c2: '1' });
      // The server receives the held versions and sends only the resource that changes.
      server.setResource('*', resourceOf('c2', clusterOf('c2', 'changed')));
      const sentNames = (): (string | undefined)[] =>
        story.responses.slice(responses).flatMap((each) => [...each.resources].map(({ name }) => name));
      await until(() => expect(sentNames()).toContain('c2'));
      expect(sentNames()).not.toContain('c1');
      expect(sentNames()).not.toContain('l');
    } else {
      expect(cds).toMatchObject({ versionInfo: '1' });
      await until(() => expect(story.responses).toHaveLength(responses + 3));
    }
  });

  test('a restarted server with other nonces and versions replaces all resources', async () => {
    story.channel.start();
    await settled();
    await server.close();
    await until(() => expect(story.closed).toHaveLength(streams));
    requests.length = 0;
    await serve({ noncePrefix: 'second-', port });
    server.setResources(
      '*',
      [resourceOf('l', listenerOf('l', 'r')), resourceOf('c9', clusterOf('c9'))],
      'reborn',
    );
    await until(() => {
      clock.advance(1_000);
      expect(story.held(LDS.typeUrl)).toEqual({ l: 'reborn' });
      expect(story.held(CDS.typeUrl)).toEqual({ c9: 'reborn' });
    });
    await until(() => expect(verdicts(CDS.typeUrl).at(-1)?.responseNonce).toMatch(/^second-/));
    expect(requests.every(({ responseNonce }) => !responseNonce.startsWith('first-'))).toBe(true);
  });

  test('an empty response is accepted', async () => {
    server.setResources('*', []);
    story.channel.start();
    await until(() => {
      expect(verdicts(LDS.typeUrl)).toMatchObject([{ reading: 'ack' }]);
      expect(verdicts(CDS.typeUrl)).toMatchObject([{ reading: 'ack' }]);
    });
    expect(story.held(CDS.typeUrl)).toEqual({});
    expect(story.problems).toEqual([]);
  });

  test('a stopped channel starts again with its versions', async () => {
    story.channel.start();
    await settled();
    await story.channel.stop();
    expect(clock.waiting).toBe(0);
    expect(story.closed.every(({ isFailure, retryInMs }) => !isFailure && retryInMs === null)).toBe(true);
    requests.length = 0;
    story.channel.start();
    await until(() => expect(requests.map(({ typeUrl }) => typeUrl)).toContain(CDS.typeUrl));
    const cds = requests.find(({ typeUrl }) => typeUrl === CDS.typeUrl);
    if (isDelta) expect(cds?.initialResourceVersions?.size).toBe(2);
    else expect(cds?.versionInfo).toBe('1');
  });

  test('unsubscribing the last name of a type does not request all resources', async () => {
    story.channel.start();
    await settled();
    story.subscribe(EDS.typeUrl, nothing);
    if (isPerType) {
      await until(() => expect(story.closed).toMatchObject([{ typeUrl: EDS.typeUrl, isFailure: false }]));
      expect(story.closed[0]?.retryInMs).toBeNull();
      return;
    }
    const last = story.sent.filter(({ typeUrl }) => typeUrl === EDS.typeUrl).at(-1);
    expect(last).toMatchObject({ resourceNames: [], unsubscribed: isDelta ? ['e1'] : [] });
    await until(() => expect(requests.at(-1)?.typeUrl).toBe(EDS.typeUrl));
    server.setResource('*', resourceOf('c3', clusterOf('c3')));
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toContain('c3'));
    expect(story.responses.filter(({ typeUrl }) => typeUrl === EDS.typeUrl)).toHaveLength(1);
  });
});
