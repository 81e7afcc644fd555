import { expect, it } from 'vitest';
import { identifyClient } from '@/server/client-id';
import { nodeOfRun } from '@/server/interop-runs/case-network';
import { InteropRuns } from '@/server/interop-runs/interop-runs';
import { RunsFile } from '@/server/interop-runs/runs-file';
import { systemClock } from '@/server/observe';
import { tempDataDir } from '../../support/recorder-temp-dir';

const unused = () => Promise.reject(new Error('expected no run'));

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
      identify: () => ({ clientId: 'unused', isReported: false }),
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
