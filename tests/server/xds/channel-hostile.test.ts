import { afterEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { RequestEvent } from '@/server/lab/management-server/stream-logic';
import { grpcTransports } from '@/server/xds/stream/grpc-xds-channel';
import { everything, GrpcChannelStory, only } from '../../support/grpc-channel-story';
import { ManualClock } from '../../support/recorder-manual-clock';
import { resourceOf, until } from '../../support/xds-probe-story';
import { anyOf, clusterOf, encodeMessage, endpointsOf, wrapped } from '../../support/xds-wire';

const notProtobuf = Buffer.from('<html>not protobuf</html>');
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(grpcTransports)('%s: a server that errs', (transport) => {
  const isDelta = transport === 'delta' || transport === 'delta-ads';
  const isPerType = transport === 'sotw' || transport === 'delta';
  const clock = new ManualClock();

  async function play(options: { maxMessageBytes?: number } = {}): Promise<{
    server: ManagementServer;
    story: GrpcChannelStory;
    requests: RequestEvent[];
    push: (fields: Record<string, unknown>) => void;
  }> {
    const server = new ManagementServer({ clock });
    const requests: RequestEvent[] = [];
    server.onRequest((request) => requests.push(request));
    server.setResource('*', resourceOf('good', clusterOf('good')));
    const story = new GrpcChannelStory({ target: await server.listen(), clock, transport, ...options });
    closing.push(
      () => server.close(),
      () => story.channel.stop(),
    );
    story.subscribe(CDS.typeUrl, everything);
    story.channel.start();
    await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
    const name = `envoy.service.discovery.v3.${isDelta ? 'Delta' : ''}DiscoveryResponse`;
    const push = (fields: Record<string, unknown>): void =>
      server.pushRaw(
        '*',
        encodeMessage(name, { typeUrl: CDS.typeUrl, nonce: 'odd', versionInfo: '9', ...fields }),
      );
    return { server, story, requests, push };
  }

  /** One resource as this variant writes it. */
  const entry = (name: string, resource: ReturnType<typeof anyOf>): object =>
    isDelta ? { name, version: '9', resource } : resource;

  const rejections: { title: string; resources: object[]; reason: RegExp }[] = [
    {
      title: 'a resource of another type',
      resources: [entry('e', endpointsOf('e'))],
      reason: /expected type ".*Cluster", got ".*ClusterLoadAssignment"/,
    },
    {
      title: 'a resource of a type that nobody knows',
      resources: [entry('x', anyOf('type.googleapis.com/made.Up', notProtobuf))],
      reason: /expected type ".*Cluster", got "type.googleapis.com\/made.Up"/,
    },
    {
      title: 'a resource without a type',
      resources: [entry('x', anyOf('', notProtobuf))],
      reason: /got no type URL/,
    },
    {
      title: 'the same name twice',
      resources: [entry('a', clusterOf('a')), entry('a', clusterOf('a', 'other'))],
      reason: /resources\[1\] "a": expected one resource of this name, got another copy/,
    },
    ...(isDelta
      ? [
          {
            title: 'an empty wrapper',
            resources: [{}],
            reason: /a wrapping Resource without name or resource/,
          },
        ]
      : [
          {
            title: 'bytes that are no cluster',
            resources: [anyOf(CDS.typeUrl, notProtobuf)],
            reason: /no name can be read: 25 bytes are not a .*Cluster/,
          },
          {
            title: 'a wrapper that does not decode',
            resources: [anyOf('type.googleapis.com/envoy.service.discovery.v3.Resource', notProtobuf)],
            reason: /the wrapping Resource does not decode/,
          },
          {
            title: 'another type in a wrapper',
            resources: [wrapped('a', endpointsOf('a'))],
            reason: /resources\[0\] "a": expected type/,
          },
        ]),
  ];
  for (const { title, resources, reason } of rejections) {
    test(`${title} is rejected with the reason, and the stream lives on`, async () => {
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
  }

  test('an answer without anything in it is taken: state of the world says that there is nothing, delta says nothing', async () => {
    const { story, requests, push } = await play();
    push({});
    await until(() => expect(requests.at(-1)).toMatchObject({ responseNonce: 'odd', errorDetail: null }));
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(isDelta ? ['good'] : []);
  });

  test.skipIf(isPerType)(
    'a response of a type that was not asked for is reported, and not answered',
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

  test('a message that nobody can read ends its stream, is explained, and backs off', async () => {
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

  test('a message above the limit ends its stream, is explained, and backs off more each time', async () => {
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
    // The good one was held all the while; delta says so.
    if (isDelta) expect([...(requests[0]?.initialResourceVersions?.keys() ?? [])]).toEqual(['good']);
  });

  test('names may be anything, on the way back too', async () => {
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
