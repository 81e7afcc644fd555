import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { RemovedSources, removedSourcesEntry } from '@/server/live/removed-sources';
import { emissionOf, nodeOf, resourceOf } from '@/tests/support/builders/recorder-emissions';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { openKept } from '@/tests/support/test-state';

const probeId = 'ads:127.0.0.1:9';
const csdsId = 'csds:127.0.0.1:1';
/** Less than ten minutes ago: no client is evicted as one that was seen only briefly. */
const startedAt = Date.now() - 60_000;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-removed-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Records what an earlier run observed: a probe's resources at 1 s and 8 s, and a client that CSDS reports, at 2 s. */
async function record(): Promise<void> {
  const recorder = await openWholeRecorder({ dataDir });
  const base = { vantage: 'probe', sourceId: probeId, clientId: 'probe' } as const;
  const stream = { server: 's', method: 'StreamAggregatedResources', node: nodeOf('probe'), scope: '' };
  const held = { kind: 'cache-changed', removed: [], reason: 'a response' } as const;
  const observations: Observation[] = [
    {
      ...{ kind: 'source-declared', at: startedAt, vantage: 'probe', sourceId: probeId },
      source: { kind: 'ads', target: '127.0.0.1:9', server: '127.0.0.1:9', transport: 'ads' },
    },
    { ...base, ...stream, kind: 'stream-opened', at: startedAt + 1_000, streamId: 's1' },
    { ...base, ...held, at: startedAt + 1_000, changed: [resourceOf('cluster-1')] },
    emissionOf(startedAt + 2_000, null).observation,
    { ...base, ...held, at: startedAt + 8_000, changed: [resourceOf('cluster-2')] },
  ];
  for (const observation of observations) recorder.append({ observation, bodies: [] });
  await recorder.close();
}

const openRemoved = async () => new RemovedSources(await openKept(removedSourcesEntry, dataDir));

async function run<T>(flags: readonly string[], work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const argv = ['--no-lab', '--data-dir', dataDir, ...flags];
  const runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

async function listClients({ api }: Runtime): Promise<string[]> {
  const page = await api.ask('clients', {}, { params: {} });
  return page.items.map(({ id }) => id).sort();
}

async function findProbeThen({ api }: Runtime): Promise<string | undefined> {
  const at = new Date(startedAt + 4_000).toISOString();
  const propagation = await api.askClient('propagation', { clientId: 'client-a', at }, {});
  return propagation?.sources.sotw?.sourceId;
}

describe('a removed source', () => {
  it('its clients go; Propagation finds a removed probe at a moment of the past, in this run and after a restart', async () => {
    await record();
    await run([], async (runtime) => {
      await runtime.api.runCommand('POST sources', {
        params: {},
        body: { kind: 'ads', target: '127.0.0.1:9' },
      });
      expect(await listClients(runtime)).toEqual(['client-a', 'probe']);
      await runtime.api.runCommand('DELETE sources/{id}', { params: { id: probeId } });
      expect((await openRemoved()).removed).toEqual([probeId]);
      await expect.poll(() => listClients(runtime)).toEqual(['client-a']);
      expect(await findProbeThen(runtime)).toBe(probeId);
    });
    for (let restart = 0; restart < 2; restart++) {
      await run([], async (runtime) => {
        await expect.poll(() => listClients(runtime)).toEqual(['client-a']);
        expect(await findProbeThen(runtime)).toBe(probeId);
      });
    }
  });

  it('its clients do not come back with a run that was killed before it wrote a checkpoint without them', async () => {
    await record();
    const removed = await openRemoved();
    for (const sourceId of [probeId, csdsId]) await removed.add(sourceId, []);
    await run([], async (runtime) => {
      await expect.poll(() => listClients(runtime)).toEqual([]);
    });
  });

  it('one that is a source again keeps its clients, also when a later run is without it', async () => {
    await record();
    await (await openRemoved()).add(csdsId, []);
    await run(['--csds', '127.0.0.1:1'], async (runtime) => {
      expect(await listClients(runtime)).toEqual(['client-a', 'probe']);
    });
    await run([], async (runtime) => {
      await new Promise(setImmediate);
      expect(await listClients(runtime)).toEqual(['client-a', 'probe']);
    });
  });
});

it('the ids of the newest 1,000 removed sources are kept', async () => {
  const sources = await openRemoved();
  for (let index = 0; index < 1_003; index++) await sources.add(`csds:a:${index}`, []);
  const { removed } = await openRemoved();
  expect([removed.length, removed[0], removed.at(-1)]).toEqual([1_000, 'csds:a:3', 'csds:a:1002']);
});
