import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { clusterOf, endpointsOf } from '../../../support/builders/xds-wire';
import { ClientStories, only, rowsOf } from '../../../support/xds-client-story';
import { type ProbeStory, resourceOf, until } from '../../../support/xds-probe-story';

const lasting = (ttlMs: number | undefined, weight = 1) => ({
  ...resourceOf('cart-endpoints', endpointsOf('cart-endpoints', weight)),
  ...(ttlMs === undefined ? {} : { ttlMs }),
});

describe.each(['ads', 'delta-ads'] as const)('a resource with a time to live, over %s', (transport) => {
  let stories: ClientStories;
  let server: ManagementServer;
  let story: ProbeStory;
  const status = () => rowsOf(story.reported).get('cart-endpoints')?.clientStatus;

  beforeEach(async () => {
    stories = new ClientStories();
    const started = await stories.server();
    server = started.server;
    // In state of the world only wrapped resources have a time to live.
    server.setBehavior({ wrapsInSotw: true });
    server.setResources('*', [resourceOf('cart', clusterOf('cart', 'cart-endpoints')), lasting(5_000)]);
    story = stories.start(started.target, { transport, interest: only(CDS.typeUrl, 'cart') });
    await until(() => expect(status()).toBe('ACKED'));
  });
  afterEach(() => stories.close());

  test('is removed without a renewal, and the observation contains the timer', async () => {
    stories.clock.advance(4_999);
    expect(status()).toBe('ACKED');
    stories.clock.advance(1);
    const expired = await story.nth('timer-expired', 1);
    expect(expired).toMatchObject({
      timer: 'ttl',
      changed: [{ name: 'cart-endpoints', clientStatus: 'DOES_NOT_EXIST', hash: null }],
    });
    // The resource is sent again.
    server.setResource('*', lasting(5_000, 2));
    await until(() => expect(status()).toBe('ACKED'));
  });

  test('is renewed by heartbeats, which change no row', async () => {
    const rows = () => story.reported.flatMap((each) => ('changed' in each ? each.changed : [])).length;
    const before = rows();
    for (let beats = 1; beats <= 3; beats++) {
      stories.clock.advance(4_000);
      const responses = story.of('response-received').length;
      server.sendHeartbeats(EDS.typeUrl);
      await story.nth('response-received', responses + 1);
    }
    expect(status()).toBe('ACKED');
    expect(rows()).toBe(before);
    stories.clock.advance(5_000);
    expect(status()).toBe('DOES_NOT_EXIST');
  });

  test('has none after an update without one', async () => {
    server.setResource('*', lasting(undefined, 2));
    const hash = rowsOf(story.reported).get('cart-endpoints')?.hash;
    await until(() => expect(rowsOf(story.reported).get('cart-endpoints')?.hash).not.toBe(hash));
    stories.clock.advance(60_000);
    expect(status()).toBe('ACKED');
    expect(story.of('timer-expired')).toEqual([]);
  });

  test('has its full time after a pause of the client', async () => {
    server.setSilent(true);
    story.probe.pause();
    await until(() => expect(server.connectedNodes()).toEqual([]));
    stories.clock.advance(60_000);
    expect(status()).toBe('ACKED');
    story.probe.resume();
    await story.nth('stream-opened', 2);
    stories.clock.advance(4_999);
    expect(status()).toBe('ACKED');
    stories.clock.advance(1);
    expect(status()).toBe('DOES_NOT_EXIST');
  });

  test('expires without a stream', async () => {
    server.setSilent(true);
    server.stopStreams();
    await story.nth('stream-closed', 1);
    stories.clock.advance(5_000);
    expect(status()).toBe('DOES_NOT_EXIST');
  });
});
