import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '@/server/observe';
import { listenHttp1, listenHttp2, listenRaw, listenTls, type Peer } from '../../support/grpc-peers';
import { ManualClock } from '../../support/recorder-manual-clock';
import { type ProbeStory, probeStory, until } from '../../support/xds-probe-story';

describe('a probe at something that is no management server', () => {
  let peer: Peer | undefined;
  let story: ProbeStory | undefined;

  afterEach(async () => {
    await story?.probe.close();
    await peer?.close();
  });

  const peers: { title: string; listen: () => Promise<Peer>; code: string }[] = [
    { title: 'an HTTP/1 server', listen: listenHttp1, code: 'NOT_HTTP2' },
    { title: 'a TLS server', listen: listenTls, code: 'TLS_EXPECTED' },
    {
      title: 'a login page',
      listen: () => listenHttp2(200, 'text/html', '<html>sign in</html>'),
      code: 'NOT_GRPC',
    },
    { title: 'an SSH server', listen: () => listenRaw('SSH-2.0-OpenSSH_9.2\r\n'), code: 'NOT_HTTP2' },
  ];
  for (const { title, listen, code } of peers) {
    test(`${title} is explained`, async () => {
      peer = await listen();
      story = probeStory({ target: peer.target.text, clock: systemClock });
      story.probe.start();
      expect((await story.nth('source-down', 1)).problem.code).toBe(code);
      expect(story.probe.status).toMatchObject({ state: 'down', problem: { code } });
      expect(story.probe.status.failures).toBeGreaterThan(0);
    });
  }

  test('a port where nobody listens is explained, and reported once however often it is tried', async () => {
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

  test('a peer that accepts and stays silent is given up after 10 s, and explained', async () => {
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
