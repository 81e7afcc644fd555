import { expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import type { LiveState } from '@/server/live/live-state';
import { initialSourceStatus, type SourceStatus } from '@/server/source-status';
import { SourcePublisher } from '@/server/sources/source-publisher';
import { openLiveState } from '@/tests/support/open-live-state';
import { sampleReport } from '../../support/builders/observation-samples';
import { ManualClock } from '../../support/recorder-manual-clock';

const sourceId = 'csds:a:1';
const source = { id: sourceId, kind: 'csds' } as const;

/** A source of which the log of an earlier run knows `count` clients. */
function start(count: number) {
  const clock = new ManualClock();
  const ended: string[] = [];
  const live: LiveState = openLiveState({ clock });
  const observe = (observation: Observation): void => {
    if (observation.kind === 'client-gone') ended.push(observation.clientId);
    live.observe({ observation, bodies: [] });
  };
  for (let index = 0; index < count; index++) {
    observe(sampleReport({ at: 1, sourceId, clientId: `c${index}`, changed: [] }));
  }
  let status: SourceStatus = initialSourceStatus;
  const publisher = new SourcePublisher({
    ...{ clock, live, publish: () => undefined },
    observe: ({ observation }) => observe(observation),
    lifetimes: { sourceRemoved: async () => undefined },
    statusOf: () => status,
  });
  const become = (state: SourceStatus['state'], ...named: string[]): void => {
    const before = status;
    status = { ...status, state, clients: new Map(named.map((clientId) => [clientId, 1])) };
    publisher.changed(source, before, status);
  };
  const allTurns = async (): Promise<void> => {
    for (let before = -1; before < ended.length; ) {
      before = ended.length;
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
  };
  return { ended, become, allTurns };
}

const count = 30_000;

it('reports that a first answer does not confirm are ended in turns of the event loop', async () => {
  const { ended, become, allTurns } = start(count);
  become('up', 'c0');
  expect(ended.length).toBeGreaterThan(0);
  expect(ended.length).toBeLessThan(count / 2);
  await allTurns();
  expect(ended).toHaveLength(count - 1);
  expect(ended).not.toContain('c0');
});

it('a client that the next answer names while reports are being ended stays', async () => {
  const { ended, become, allTurns } = start(count);
  become('up', 'c0');
  const last = `c${count - 1}`;
  become('up', 'c0', last);
  await allTurns();
  expect(ended).toHaveLength(count - 2);
  expect(ended).not.toContain(last);
});

it('reports of a source that goes down are ended only when it is up again', async () => {
  const { ended, become, allTurns } = start(count);
  become('up', 'c0');
  const atOnce = ended.length;
  become('down');
  await allTurns();
  expect(ended).toHaveLength(atOnce);
  become('up', 'c0');
  await allTurns();
  expect(ended).toHaveLength(count - 1);
});
