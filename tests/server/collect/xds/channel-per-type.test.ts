import { status } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { CDS, ECDS, EDS, LDS, RTDS, resourceTypes, VHDS } from '@/lib/xds/resource-type';
import { everything, nothing, only } from '../../../support/builders/subscriptions';
import { clusterOf, endpointsOf, listenerOf, packed, responseOf } from '../../../support/builders/xds-wire';
import { ChannelStories } from '../../../support/channel-stories';
import { resourceOf, until } from '../../../support/xds-probe-story';

const stories = new ChannelStories();
const { clock } = stories;
afterEach(() => stories.close());

const nameField = (typeUrl: string): string => (typeUrl === EDS.typeUrl ? 'clusterName' : 'name');

test.each(['sotw', 'delta'] as const)('%s: each type has its own stream and service', async (transport) => {
  const { server, story, requests } = await stories.play({ transport });
  const types = resourceTypes.filter((type) => transport === 'delta' || type !== VHDS);
  server.setResources(
    '*',
    types.map(({ typeUrl }) => resourceOf('it', packed(typeUrl, { [nameField(typeUrl)]: 'it' }))),
  );
  for (const { typeUrl } of types) story.subscribe(typeUrl, only('it'));
  await until(() => {
    for (const { typeUrl, service } of types)
      expect([service, story.held(typeUrl)]).toEqual([service, { it: '1' }]);
  });
  expect(new Set(story.opened.map(({ method }) => method)).size).toBe(types.length);
  for (const { typeUrl, method } of story.opened) {
    expect(requests.filter((each) => each.path === method).map((each) => each.typeUrl)).toContain(typeUrl);
  }
  // Each stream sends the node.
  expect(server.connectedNodes()).toEqual(types.map(() => 'channel-story'));
});

test('a stream exists while something of its type is wanted', async () => {
  const { server, story } = await stories.play({ transport: 'delta' });
  server.setResource('*', resourceOf('e', endpointsOf('e')));
  story.subscribe(EDS.typeUrl, nothing);
  story.subscribe(LDS.typeUrl, everything);
  await until(() => expect(story.opened.map(({ typeUrl }) => typeUrl)).toEqual([LDS.typeUrl]));
  story.subscribe(EDS.typeUrl, only('e'));
  await until(() => expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e']));
  // If the type is wanted again before its stream has ended, nothing is sent on that stream, and a new one follows.
  const sent = story.sent.length;
  story.subscribe(EDS.typeUrl, nothing);
  story.subscribe(EDS.typeUrl, only('e'));
  expect(story.sent).toHaveLength(sent);
  await until(() => expect(story.closed).toMatchObject([{ typeUrl: EDS.typeUrl, isFailure: false }]));
  clock.advance(1_000);
  await until(() => expect(Object.keys(story.held(EDS.typeUrl))).toEqual(['e']));
  expect(story.opened.map(({ typeUrl }) => typeUrl)).toEqual([LDS.typeUrl, EDS.typeUrl, EDS.typeUrl]);
});

test('a missing service of the server affects only its type', async () => {
  const { server, story } = await stories.play({ transport: 'sotw', serves: ({ type }) => type !== EDS });
  server.setResources('*', [resourceOf('c', clusterOf('c')), resourceOf('e', endpointsOf('e'))]);
  story.subscribe(EDS.typeUrl, only('e'));
  story.subscribe(CDS.typeUrl, everything);
  await until(() => {
    expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c']);
    expect(story.closed).toHaveLength(1);
  });
  const end = story.closed[0];
  expect(end).toMatchObject({
    typeUrl: EDS.typeUrl,
    code: 'UNIMPLEMENTED',
    isFailure: true,
    retryInMs: 1_000,
  });
  expect(await end?.explain()).toMatchObject({
    code: 'UNIMPLEMENTED',
    message: expect.stringMatching(/is a gRPC server, but has no EDS service$/),
  });
  server.setResource('*', resourceOf('c2', clusterOf('c2')));
  await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c', 'c2']));
  // The stream has its own back-off.
  clock.advance(1_000);
  await until(() => expect(story.closed.map(({ retryInMs }) => retryInMs)).toEqual([1_000, 1_600]));
});

test.each([
  { transport: 'sotw', apiVersion: 'v3', type: VHDS, details: 'xDS has no VHDS stream' },
  { transport: 'delta', apiVersion: 'v2', type: ECDS, details: 'xDS has no delta ECDS (v2) stream' },
] as const)(
  '$details: reported once and never requested',
  async ({ transport, apiVersion, type, details }) => {
    const { story } = await stories.play({ transport, apiVersion });
    story.subscribe(type.typeUrl, only('a'));
    story.subscribe(type.typeUrl, only('a', 'b'));
    story.subscribe(RTDS.typeUrl, only('r'));
    await until(() => expect(story.opened).toHaveLength(1));
    expect(story.closed).toMatchObject([
      {
        typeUrl: type.typeUrl,
        code: 'UNIMPLEMENTED',
        details,
        wasOpened: false,
        isFailure: true,
        retryInMs: null,
      },
    ]);
    expect(await story.closed[0]?.explain()).toMatchObject({ message: details });
  },
);

test.each(['sotw', 'delta'] as const)('%s: a response may omit its type', async (transport) => {
  const { server, story, requests } = await stories.play({ transport });
  server.setBehavior({ omitsTypeUrl: true });
  server.setResource('*', resourceOf('l', listenerOf('l')));
  story.subscribe(LDS.typeUrl, everything);
  await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
  expect(story.responses).toMatchObject([{ typeUrl: LDS.typeUrl, apiVersion: 'v3', problems: [] }]);
  expect(Object.keys(story.held(LDS.typeUrl))).toEqual(['l']);
});

test('a response of another type is rejected, and the stream stays open', async () => {
  const { server, story, requests } = await stories.play({ transport: 'sotw' });
  story.subscribe(LDS.typeUrl, everything);
  await until(() => expect(requests.at(-1)?.reading).toBe('ack'));
  server.pushRaw(
    '*',
    responseOf({ typeUrl: CDS.typeUrl, versionInfo: '9', nonce: 'odd', resources: [clusterOf('c')] }),
  );
  await until(() => expect(requests.at(-1)?.errorDetail).not.toBeNull());
  expect(story.problems).toEqual([
    `type_url: expected "${LDS.typeUrl}", the stream's, got "${CDS.typeUrl}"`,
    `resources[0]: expected type "${LDS.typeUrl}", got "${CDS.typeUrl}"`,
  ]);
  server.setResource('*', resourceOf('l', listenerOf('l')));
  await until(() => expect(Object.keys(story.held(LDS.typeUrl))).toEqual(['l']));
  expect(story.closed).toEqual([]);
});

test('a stream that breaks does not affect others', async () => {
  const { server, story } = await stories.play({ transport: 'sotw' });
  server.setResources('*', [resourceOf('c', clusterOf('c')), resourceOf('l', listenerOf('l'))]);
  story.subscribe(LDS.typeUrl, everything);
  story.subscribe(CDS.typeUrl, everything);
  await until(() => expect(story.responses).toHaveLength(2));
  server.stopStreams(status.ABORTED, 'only this one', ({ path }) => path.endsWith('StreamListeners'));
  await until(() => expect(story.closed).toMatchObject([{ typeUrl: LDS.typeUrl, code: 'ABORTED' }]));
  server.setResource('*', resourceOf('c2', clusterOf('c2')));
  await until(() => expect(Object.keys(story.held(CDS.typeUrl))).toEqual(['c', 'c2']));
  clock.advance(1_000);
  await until(() => expect(story.opened).toHaveLength(3));
});
