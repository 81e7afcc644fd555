import { expect, it } from 'vitest';
import { identifyClient } from '@/server/client-id';
import { nodeOfRun } from '@/server/interop-runs/case-network';
import { InteropRuns } from '@/server/interop-runs/interop-runs';
import { SavedInteropRuns } from '@/server/interop-runs/saved-interop-runs';
import { systemClock } from '@/server/observe';
import { openTestState } from '../../support/test-state';

const unused = () => Promise.reject(new Error('expected no run'));

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
      sources: { openTap: unused, observeClient: () => [], remove: unused },
      identify: () => ({ clientId: 'unused', isReported: false }),
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
