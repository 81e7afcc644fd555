import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '@/server/observe';
import { listenHttp2, listenRaw, type Peer } from '../../../support/grpc-peers';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { type ProbeStory, probeStory, until } from '../../../support/xds-probe-story';

describe('a probe whose target is not a management server', () => {
  let peer: Peer | undefined;
  let story: ProbeStory | undefined;

  afterEach(async () => {
    await story?.probe.close();
    await peer?.close();
  });

  test('explains a login page', async () => {
    peer = await listenHttp2(200, 'text/html', '<html>sign in</html>');
    story = probeStory({ target: peer.target.text, clock: systemClock });
    story.probe.start();
    expect((await story.nth('source-down', 1)).problem.code).toBe('NOT_GRPC');
    expect(story.probe.status).toMatchObject({ state: 'down', problem: { code: 'NOT_GRPC' } });
    expect(story.probe.status.failures).toBeGreaterThan(0);
  });

  test('explains a port without a listener, and reports it once for all attempts', async () => {
    peer = await listenRaw('');
    const { target } = peer;
    await peer.close();
    peer = undefined;
    const clock = new ManualClock();
    story = probeStory({ target: target.text, clock });
    story.probe.start();
    expect((await story.nth('source-down', 1)).problem.code).toBe('CONNECTION_REFUSED');
    clock.advance(1_000);
    await until(() => expect(story?.probe.status.failures).toBe(2));
    clock.advance(1_600);
    await until(() => expect(story?.probe.status.failures).toBe(3));
    expect(story.reported.map(({ kind }) => kind)).toEqual(['source-down']);
  });

  test('disconnects a silent peer after 10 s, and explains it', async () => {
    peer = await listenRaw('');
    const clock = new ManualClock();
    story = probeStory({ target: peer.target.text, clock });
    story.probe.start();
    await until(() => expect(story?.probe.status.lastAttemptAt).not.toBeNull());
    clock.advance(9_999);
    expect(story.probe.status.failures).toBe(0);
    clock.advance(1);
    expect((await story.nth('source-down', 1)).problem.code).toBe('SILENT');
  });
});
