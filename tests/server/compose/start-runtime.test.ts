import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { lostStreamDetails } from '@/server/compose/end-lost-streams';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { nodeOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';

const thrown: unknown[] = [];
const keep = (error: unknown) => thrown.push(error);
process.on('uncaughtException', keep);
afterEach(() => process.off('uncaughtException', keep));

/** So many that they are reported before the disk has their ends. */
const streams = 3_000;

function opened(index: number): Observation {
  const clientId = `client-${index % 100}`;
  const base = { at: 1_000 + index, vantage: 'tap', sourceId: 'tap:a', clientId } as const;
  const stream = { server: 's', method: 'StreamAggregatedResources', node: nodeOf(clientId), scope: '' };
  return { kind: 'stream-opened', ...base, ...stream, streamId: `s${index}` };
}

it('a start over a log whose streams have no ends reports its clients while it ends them', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-start-'));
  const killed = await openWholeRecorder({ dataDir });
  for (let index = 0; index < streams; index++) {
    killed.append({ observation: opened(index), bodies: [] });
    if (index % 1_000 === 0) await killed.keepPace();
  }
  await killed.close();
  const argv = ['--no-lab', '--data-dir', dataDir];
  const runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  try {
    expect(thrown).toEqual([]);
    const page = await runtime.api.ask('history', { kind: ['stream-closed'], limit: 1 }, { params: {} });
    expect(JSON.stringify(page)).toContain(lostStreamDetails);
  } finally {
    await runtime.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
