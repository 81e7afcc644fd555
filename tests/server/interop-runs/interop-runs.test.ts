import { expect, it } from 'vitest';
import { findInteropCase } from '@/lib/interop/cases/interop-cases';
import { identifyClient } from '@/server/client-id';
import { nodeOfRun } from '@/server/interop-runs/case-network';
import { InteropRuns } from '@/server/interop-runs/interop-runs';
import { RunsFile } from '@/server/interop-runs/runs-file';
import { systemClock } from '@/server/observe';
import { tempDataDir } from '../../support/recorder-temp-dir';
import { waitUntil } from '../../support/wait-until';

const unused = () => Promise.reject(new Error('expected no run'));
const identify = () => ({ clientId: 'unused', isReported: false });

it('knows the clients of earlier runs by their nodes and ids', () => {
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
      identify,
      file: new RunsFile(tempDataDir()),
    },
    [{ ...run, steps: [], flags: [] }],
  );
  const idOf = (id: string, target: string) => identifyClient(nodeOfRun(id), target);
  expect(runs.hasClient('other', nodeId)).toBe(true);
  expect(runs.hasClient(idOf(nodeId, ''), undefined)).toBe(true);
  expect(runs.hasClient(idOf(nodeId, 'xds:///svc'), undefined)).toBe(true);
  expect(runs.hasClient(idOf('shop-web', 'xds:///svc'), 'shop-web')).toBe(false);
});

it('stops the runs that wait and the one that is under way, and removes them', async () => {
  const program = { name: 'silent', version: '1.0.0', command: ['sleep', '600'] };
  const dataDir = tempDataDir();
  const runs = new InteropRuns(
    {
      ...{ clock: systemClock, programs: [program], observe: () => undefined, identify },
      sources: {
        openTap: async (listen) => ({ listen, sourceId: 'tap' }),
        observeClient: () => [],
        remove: async () => undefined,
      },
      file: new RunsFile(dataDir),
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
  expect(await new RunsFile(dataDir).read()).toEqual([]);
});
