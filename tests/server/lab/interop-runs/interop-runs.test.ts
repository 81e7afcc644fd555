import { expect, it } from 'vitest';
import { findInteropCase } from '@/lib/interop/cases/interop-cases';
import { identifyClient } from '@/server/client-id';
import { nodeOfRun } from '@/server/lab/interop-runs/case-network';
import { InteropRuns } from '@/server/lab/interop-runs/interop-runs';
import { SavedInteropRuns } from '@/server/lab/interop-runs/saved-interop-runs';
import { systemClock } from '@/server/observe';
import { openTestState } from '../../../support/test-state';
import { waitUntil } from '../../../support/wait-until';

const unused = () => Promise.reject(new Error('expected no run'));
const identify = () => ({ clientId: 'unused', isReported: false });

it('knows the clients of earlier runs by their nodes and ids', async () => {
  const nodeId = 'interop-grpc-go-ping_pong-0a1b2c3d';
  const run = {
    ...{
      id: 'run',
      case: 'ping_pong',
      client: { name: 'grpc-go', version: '1.85.0' },
      state: 'ended' as const,
    },
    ...{ startedAt: 1, reason: '', nodeId, of: 3, steps: [], flags: [], bootstrap: '', nacks: 0, stderr: '' },
  };
  const runs = new InteropRuns(
    {
      ...{ clock: systemClock, programs: [], observe: () => undefined },
      sources: { openTap: unused, observeClient: () => [], whenPolled: unused, remove: unused },
      identify,
      saved: new SavedInteropRuns(await openTestState()),
    },
    [{ ...run, steps: [], flags: [] }],
  );
  const idOf = (id: string, target: string) => identifyClient(nodeOfRun(id), target);
  expect(runs.hasClient('other', nodeId)).toBe(true);
  expect(runs.hasClient(idOf(nodeId, ''), undefined)).toBe(true);
  expect(runs.hasClient(idOf(nodeId, 'xds:///svc'), undefined)).toBe(true);
  expect(runs.hasClient(idOf('shop-web', 'xds:///svc'), 'shop-web')).toBe(false);
});

it('keeps runs that ended, the newest last, without those that are dropped', async () => {
  const state = await openTestState();
  const saved = new SavedInteropRuns(state);
  expect(await saved.read()).toEqual([]);
  const run = (id: string, startedAt: number) => ({
    ...{ id, startedAt, case: 'ping_pong', client: { name: 'grpc-go', version: '1.85.0' } },
    ...{ state: 'ended' as const, reason: '', nodeId: `interop-${id}`, of: 3, steps: [], flags: [] },
    ...{ bootstrap: '', nacks: 0, stderr: '' },
  });
  await saved.save(run('b', 1), new Set(['b']));
  await saved.save(run('a', 2), new Set(['b', 'a']));
  expect((await new SavedInteropRuns(state).read()).map(({ id }) => id)).toEqual(['b', 'a']);
  await saved.save(run('c', 3), new Set(['a', 'c']));
  expect((await new SavedInteropRuns(state).read()).map(({ id }) => id)).toEqual(['a', 'c']);
});

it('stops the runs that wait and the one that is under way, and removes them', async () => {
  const program = { name: 'silent', version: '1.0.0', command: ['sleep', '600'] };
  const saved = new SavedInteropRuns(await openTestState());
  const runs = new InteropRuns(
    {
      ...{ clock: systemClock, programs: [program], observe: () => undefined, identify },
      sources: {
        openTap: async (listen) => ({ listen, sourceId: 'tap' }),
        observeClient: () => [],
        whenPolled: async () => undefined,
        remove: async () => undefined,
      },
      saved,
    },
    [],
  );
  const cases = ['ping_pong', 'round_robin', 'csds'].flatMap((name) => findInteropCase(name) ?? []);
  runs.start(program, cases);
  await waitUntil('a client was started', async () => runs.list().some(({ state }) => state === 'running'));
  runs.stop();
  expect(runs.list().filter(({ state }) => state === 'waiting')).toEqual([]);
  await waitUntil('the run has ended', async () => !runs.isBusy(program));
  expect(runs.list()).toEqual([]);
  expect(await saved.read()).toEqual([]);
});
