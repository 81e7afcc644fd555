import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import type { ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { clusterOf } from '../../../support/builders/xds-wire';
import { ClientStories, only, rowsOf, serverAt } from '../../../support/xds-client-story';
import { type ProbeStory, probeNodeId, resourceOf, until } from '../../../support/xds-probe-story';

const cart = (from: string) => resourceOf('cart', clusterOf('cart', from));
const pay = (from: string) => resourceOf('pay', clusterOf('pay', from));

describe('a client with two servers (gRFC A71)', () => {
  let stories: ClientStories;
  let first: { server: ManagementServer; target: string };
  let second: { server: ManagementServer; target: string };

  beforeEach(async () => {
    stories = new ClientStories();
    first = await stories.server({ noncePrefix: 'first-' });
    second = await stories.server({ noncePrefix: 'second-' });
    second.server.setResources('*', [cart('second'), pay('second')], 'second-v1');
  });
  afterEach(() => stories.close());

  function start(settings: Partial<ProbeSettings> = {}): ProbeStory {
    const servers = [serverAt(first.target), serverAt(second.target)];
    return stories.start(first.target, { servers, interest: only(CDS.typeUrl, 'cart', 'pay'), ...settings });
  }

  const switches = (story: ProbeStory) =>
    story.of('server-switched').map(({ direction, from, to }) => [direction, from, to]);

  test('falls back when the first server fails, and returns when it sends resources again', async () => {
    // 1. The first server ends the stream without a response.
    first.server.setSilent(true);
    const story = start();
    await until(() => expect(first.server.connectedNodes()).toEqual([probeNodeId]));
    expect(second.server.connectedNodes()).toEqual([]);
    first.server.stopStreams();
    // 2. All names are requested from the second server, and the switch is reported.
    await until(() => expect(rowsOf(story.reported).get('pay')?.clientStatus).toBe('ACKED'));
    expect(rowsOf(story.reported).get('cart')?.versionInfo).toBe('second-v1');
    expect(switches(story)).toEqual([['fallback', first.target, second.target]]);
    expect(story.of('server-switched')[0]).toMatchObject({ authority: null });
    // The node was reported by the earlier stream.
    expect(story.of('server-switched')[0]).not.toHaveProperty('node');
    expect(story.probe.status).toMatchObject({ state: 'up' });
    expect(story.probe.status.notes.join('; ')).toContain(`fallen back to ${second.target}`);
    // 3. The first server is retried. A stream without a response changes nothing.
    stories.clock.advance(1_200);
    await until(() => expect(first.server.connectedNodes()).toEqual([probeNodeId]));
    expect(switches(story)).toHaveLength(1);
    // 4. Its first resource makes it active again, and the second server is disconnected.
    first.server.setResources('*', [cart('first')], 'first-v1');
    first.server.setSilent(false);
    await until(() => expect(rowsOf(story.reported).get('cart')?.versionInfo).toBe('first-v1'));
    await until(() => expect(second.server.connectedNodes()).toEqual([]));
    expect(switches(story)).toEqual([
      ['fallback', first.target, second.target],
      ['return', second.target, first.target],
    ]);
    expect(story.probe.status.notes).toEqual([]);
    // 5. The client still has an open stream.
    await until(() => expect(story.of('stream-closed').at(-1)).toMatchObject({ othersOpen: 1 }));
  });

  test('does not send versions and nonces of one server to the other', async () => {
    first.server.setResources('*', [cart('first'), pay('first')], 'first-v1');
    const asked: { server: string; versionInfo: string; responseNonce: string }[] = [];
    for (const [server, each] of [
      ['first', first.server],
      ['second', second.server],
    ] as const) {
      each.onRequest(({ versionInfo, responseNonce }) => asked.push({ server, versionInfo, responseNonce }));
    }
    const story = start({ interest: only(CDS.typeUrl, 'cart', 'new') });
    await story.nth('ack-sent', 1);
    first.server.setSilent(true);
    first.server.stopStreams();
    await story.nth('stream-closed', 1);
    stories.clock.advance(1_200);
    await until(() => expect(first.server.connectedNodes()).toHaveLength(1));
    first.server.stopStreams();
    await until(() =>
      expect(asked).toContainEqual(expect.objectContaining({ server: 'second', versionInfo: 'second-v1' })),
    );
    for (const { server, versionInfo, responseNonce } of asked) {
      if (versionInfo !== '') expect(versionInfo).toBe(`${server}-v1`);
      if (responseNonce !== '') expect(responseNonce).toMatch(new RegExp(`^${server}-`));
    }
  });

  test('does not fall back while all wanted resources are known, including absent ones', async () => {
    // 1. One cluster is sent, the other does not exist.
    first.server.setResources('*', [cart('first')], 'first-v1');
    const story = start();
    await story.nth('ack-sent', 1);
    stories.clock.advance(15_000);
    await until(() => expect(rowsOf(story.reported).get('pay')?.clientStatus).toBe('DOES_NOT_EXIST'));
    // 2. The server fails, and no other one is needed.
    first.server.setSilent(true);
    first.server.stopStreams();
    await story.nth('stream-closed', 1);
    stories.clock.advance(1_200);
    await until(() => expect(first.server.connectedNodes()).toHaveLength(1));
    first.server.stopStreams();
    await story.nth('source-down', 1);
    expect(switches(story)).toEqual([]);
    expect(rowsOf(story.reported).get('cart')).toMatchObject({
      clientStatus: 'ACKED',
      versionInfo: 'first-v1',
    });
  });

  test('falls back at once with fallback_on_reachability_only (gRFC A95)', async () => {
    const name = 'xdstp://shop/envoy.config.cluster.v3.Cluster/cart';
    first.server.setResources('*', [resourceOf(name, clusterOf(name, 'first'))], 'first-v1');
    const authority = {
      servers: [serverAt(first.target), serverAt(second.target)],
      clientListenerResourceNameTemplate: '%s',
      fallbackOnReachabilityOnly: true,
    };
    const story = stories.start(first.target, {
      authorities: new Map([['shop', authority]]),
      interest: only(CDS.typeUrl, name),
    });
    await story.nth('ack-sent', 1);
    first.server.setSilent(true);
    first.server.stopStreams();
    await story.nth('stream-closed', 1);
    stories.clock.advance(1_200);
    await until(() => expect(first.server.connectedNodes()).toHaveLength(1));
    first.server.stopStreams();
    await until(() => expect(switches(story)).toEqual([['fallback', first.target, second.target]]));
    expect(story.of('server-switched')[0]).toMatchObject({ authority: 'shop' });
  });

  test('reports the problem of each server when none can be reached', async () => {
    first.server.setSilent(true);
    second.server.setSilent(true);
    const story = start();
    await until(() => expect(first.server.connectedNodes()).toHaveLength(1));
    first.server.stopStreams();
    await until(() => expect(second.server.connectedNodes()).toHaveLength(1));
    second.server.stopStreams();
    await until(() => expect(story.probe.status.problem?.message).toContain(`; ${second.target}: `));
    const { state, problem, notes } = story.probe.status;
    expect(state).toBe('down');
    const restarting = 'the management server is restarting';
    expect(problem?.message).toBe(`${first.target}: ${restarting}; ${second.target}: ${restarting}`);
    expect(notes.join()).not.toContain('fallen back');
    expect(story.of('source-down').at(-1)?.problem.message).toBe(problem?.message);
  });

  test('reports lost connectivity when the last server has failed, until one answers', async () => {
    first.server.setSilent(true);
    second.server.setSilent(true);
    const story = start();
    await until(() => expect(first.server.connectedNodes()).toHaveLength(1));
    first.server.stopStreams();
    await until(() => expect(second.server.connectedNodes()).toHaveLength(1));
    expect(rowsOf(story.reported).get('cart')?.errorState).toBeNull();
    second.server.stopStreams();
    const lost = await story.nth('cache-changed', 1);
    expect(lost.reason).toContain(second.target);
    expect(rowsOf(story.reported).get('cart')).toMatchObject({
      clientStatus: 'REQUESTED',
      errorState: { details: expect.stringMatching(/cannot be reached \((?!.*Resolution note)/) },
    });
    second.server.setSilent(false);
    stories.clock.advance(1_200);
    await until(() =>
      expect(rowsOf(story.reported).get('cart')).toMatchObject({ clientStatus: 'ACKED', errorState: null }),
    );
  });
});
