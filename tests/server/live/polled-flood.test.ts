import { expect, it, vi } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { CsdsPoller } from '@/server/collect/csds/poll';
import { ClientLifetimes } from '@/server/live/client-lifetimes';
import type { LiveState } from '@/server/live/live-state';
import { type Observe, systemClock } from '@/server/observe';
import { openLiveState } from '@/tests/support/open-live-state';
import { patienceMs } from '@/tests/support/patience';
import { csdsAnswer, startCsdsServer } from '../../support/csds-server';

const perSource = 100;

function answerOf(first: number, count: number): Buffer {
  const config = Array.from({ length: count }, (_, index) => ({ node: { id: `made-up-${first + index}` } }));
  return csdsAnswer({ config });
}

it('a poller whose answers name other clients each time: those that went make room, and the notice counts all', async () => {
  const redactionKey = Buffer.from('tests');
  const codec = createCodec({ redactionKey });
  let answer = answerOf(0, 90);
  const peer = await startCsdsServer(() => answer);
  const sourceId = `csds:${peer.target.text}`;
  const live: LiveState = openLiveState({
    clock: systemClock,
    onFolded: (observation) => lifetimes.observe(observation),
  });
  const lifetimes: ClientLifetimes = new ClientLifetimes({
    ...{ clock: systemClock, live, isSource: (id: string) => id === sourceId },
    limits: { total: 1_000, perSource },
  });
  const observe: Observe = (emission) => {
    if (lifetimes.admit(emission.observation)) live.observe(emission);
  };
  const poller = new CsdsPoller({
    ...{ sourceId, target: peer.target.text, intervalMs: 10, maxClients: perSource, random: () => 0.5 },
    ...{ observe, clock: systemClock, codec, onStatus: () => undefined },
  });
  const notice = () => lifetimes.noticeOf(sourceId, poller.status.notAdmitted);
  try {
    poller.start();
    await vi.waitFor(() => expect(live.world.size).toBe(90), { timeout: patienceMs(60_000), interval: 5 });
    expect(notice()).toBeUndefined();
    answer = answerOf(1_000, 500);
    const once = {
      limit: 'source',
      expected: perSource,
      actual: 100 + 400 + 90,
      notAdmitted: 400,
      evicted: 90,
    };
    await vi.waitFor(() => expect(notice()).toEqual(once), { timeout: patienceMs(60_000), interval: 5 });
    answer = answerOf(2_000, 500);
    const twice = { ...once, actual: 100 + 400 + 190, evicted: 190 };
    await vi.waitFor(() => expect(notice()).toEqual(twice), { timeout: patienceMs(60_000), interval: 5 });
    expect(live.world.size).toBe(perSource);
    expect([...live.world.values()].every(({ node }) => /^made-up-20\d\d$/.test(node.id))).toBe(true);
  } finally {
    lifetimes.close();
    await poller.close();
    peer.close();
    await codec.close();
  }
});
