import { afterEach, expect, test } from 'vitest';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { type FreezingProxy, startFreezingProxy } from '../../../support/freezing-proxy';
import { type ProbeStory, probeStory } from '../../../support/xds-probe-story';

let server: ManagementServer | undefined;
let proxy: FreezingProxy | undefined;
let story: ProbeStory | undefined;

afterEach(async () => {
  await story?.probe.close();
  proxy?.close();
  await server?.close();
});

test('pings detect a half-open connection', async () => {
  server = new ManagementServer({ clock: systemClock });
  proxy = await startFreezingProxy(await server.listen());
  story = probeStory({ target: proxy.target, clock: systemClock, settings: { keepaliveMs: 100 } });
  story.probe.start();
  await story.nth('request-sent', 1);

  proxy.freeze();
  await story.nth('stream-closed', 1);
  expect(story.probe.status.state).not.toBe('up');
});
