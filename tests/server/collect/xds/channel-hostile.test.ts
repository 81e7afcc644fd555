import { afterEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { grpcTransports } from '@/server/collect/xds/stream/grpc-xds-channel';
import { everything, only } from '../../../support/builders/subscriptions';
import { type anyOf, clusterOf, encodeMessage, endpointsOf } from '../../../support/builders/xds-wire';
import { ChannelStories } from '../../../support/channel-stories';
import { resourceOf, until } from '../../../support/xds-probe-story';

const notProtobuf = Buffer.from('<html>not protobuf</html>');
const stories = new ChannelStories();
const { clock } = stories;
afterEach(() => stories.close());

describe.each(grpcTransports)('%s: a channel with a faulty server', (transport) => {
  const isDelta = transport === 'delta' || transport === 'delta-ads';
  const isPerType = transport === 'sotw' || transport === 'delta';

  async function play(options: { maxMessageBytes?: number } = {}) {
    const played = await stories.play({ transport, ...options }, ({ server, story }) => {
      server.setResource('*', resourceOf('good', clusterOf('good')));
      story.subscribe(CDS.typeUrl, everything);
    });
    const { server, requests } = played;
    await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
    const name = `envoy.service.discovery.v3.${isDelta ? 'Delta' : ''}DiscoveryResponse`;
    const push = (fields: Record<string, unknown>): void =>
      server.pushRaw(
        '*',
        encodeMessage(name, { typeUrl: CDS.typeUrl, nonce: 'odd', versionInfo: '9', ...fields }),
      );
    return { ...played, push };
  }

  /** One resource in the form of the variant. */
  const entry = (name: string, resource: ReturnType<typeof anyOf>): object =>
    isDelta ? { name, version: '9', resource } : resource;

  test.each([
    {
      title: 'a resource of another type',
      resources: [entry('e', endpointsOf('e'))],
      reason: /expected type ".*Cluster", got ".*ClusterLoadAssignment"/,
    },
    {
      title: 'the same name twice',
      resources: [entry('a', clusterOf('a')), entry('a', clusterOf('a', 'other'))],
      reason: /resources\[1\] "a": expected one resource of this name, got another copy/,
    },
  ])('rejects $title with the reason, and the stream stays open', async ({ resources, reason }) => {
    const { server, story, requests, push } = await play();
    push({ resources });
    await until(() =>
      expect(requests.at(-1)).toMatchObject({
        responseNonce: 'odd',
        errorDetail: expect.stringMatching(reason),
      }),
    );
    server.setResource('*', resourceOf('next', clusterOf('next')));
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toContain('next'));
    expect(story.closed).toEqual([]);
  });

  test('accepts an empty response, which deletes all clusters in state of the world and nothing in delta', async () => {
    const { story, requests, push } = await play();
    push({});
    await until(() => expect(requests.at(-1)).toMatchObject({ responseNonce: 'odd', errorDetail: null }));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(isDelta ? ['good'] : []);
  });

  test.skipIf(isPerType)(
    'reports a response of a type that was not requested, and does not answer it',
    async () => {
      const { server, story, requests, push } = await play();
      const before = requests.length;
      push({ typeUrl: 'type.googleapis.com/made.Up', resources: [] });
      push({ typeUrl: '', nonce: '', resources: [] });
      await until(() =>
        expect(story.responses.slice(1).map(({ typeUrl }) => typeUrl)).toEqual([
          'type.googleapis.com/made.Up',
          '',
        ]),
      );
      server.setResource('*', resourceOf('next', clusterOf('next')));
      await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toContain('next'));
      await until(() => expect(requests).toHaveLength(before + 1));
    },
  );

  test('ends the stream at an unreadable message, explains it, and backs off', async () => {
    const { server, story } = await play();
    server.pushRaw('*', notProtobuf);
    await until(() => expect(story.closed).toHaveLength(1));
    expect(story.closed[0]).toMatchObject({
      code: 'INTERNAL',
      isFailure: true,
      hadResponse: true,
      retryInMs: 1_000,
    });
    expect(await story.closed[0]?.explain()).toMatchObject({
      code: 'NOT_XDS',
      message: expect.stringMatching(
        isDelta
          ? /^expected a DeltaDiscoveryResponse, got 25 bytes/
          : /^expected a DiscoveryResponse, got 25 bytes/,
      ),
    });
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['good']);
    clock.advance(1_000);
    server.setResource('*', resourceOf('next', clusterOf('next')));
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['good', 'next']));
  });

  test('ends the stream at a message above the limit, explains it, and backs off longer each time', async () => {
    const { server, story, requests } = await play({ maxMessageBytes: 10_000 });
    const large = (name: string): void =>
      server.setResource('*', resourceOf(name, clusterOf(name, 'x'.repeat(20_000))));
    large('large');
    await until(() => expect(story.closed).toHaveLength(1));
    expect(story.closed[0]).toMatchObject({ code: 'RESOURCE_EXHAUSTED', isFailure: true, retryInMs: 1_000 });
    expect(await story.closed[0]?.explain()).toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/a message has 20\.\d kB, more than the 10\.0 kB that are accepted$/),
      hint: expect.stringMatching(/4 MiB/),
    });
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['good']);
    clock.advance(1_000);
    await until(() => expect(story.closed.map(({ retryInMs }) => retryInMs)).toEqual([1_000, 1_600]));
    server.removeResource('*', CDS.typeUrl, 'large');
    server.setResource('*', resourceOf('next', clusterOf('next')));
    requests.length = 0;
    clock.advance(1_600);
    await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['good', 'next']));
    // In delta the next stream reports the resource that is still held.
    if (isDelta) expect([...(requests[0]?.initialResourceVersions?.keys() ?? [])]).toEqual(['good']);
  });

  test('receives and sends any names', async () => {
    const names = ['__proto__', 'constructor', 'a\u0000b', '<img src=x>', 'ünï ☃', 'x'.repeat(5_000)];
    const { server, story, requests } = await play();
    server.setResources(
      '*',
      names.map((name) => resourceOf(name, endpointsOf(name))),
    );
    story.subscribe(EDS.typeUrl, only(...names));
    await until(() =>
      expect(names.filter((name) => story.find(EDS.typeUrl, name) === undefined)).toEqual([]),
    );
    server.stopStreams();
    await until(() => expect(story.closed).toHaveLength(isPerType ? 2 : 1));
    requests.length = 0;
    clock.advance(1_000);
    await until(() =>
      expect(requests.find(({ typeUrl }) => typeUrl === EDS.typeUrl)?.resourceNames).toEqual(names),
    );
  });
});
