import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeclaredSource, Observation } from '@/lib/observation/observation';
import type { ClientDetail } from '@/lib/views/client/schema';
import type { Runtime } from '@/server/compose/api';
import { startRuntime } from '@/server/compose/start-runtime';
import { readConfig } from '@/server/config/read-config';
import { loadReported } from '@/tests/support/builders/load-samples';
import { sampleReport, sampleResource } from '@/tests/support/builders/observation-samples';
import { inPieces } from '@/tests/support/builders/xdscope-files';
import { openWholeRecorder } from '@/tests/support/open-recorder';

const startedAt = Date.now() - 60_000;
/** Ids that say nothing of their sources, and one that says what is not so. */
const sources = {
  one: { kind: 'istiod', target: 'cp:15012' },
  two: { kind: 'envoy-admin', target: '10.0.0.9:9901' },
  'csds:3': { kind: 'lrs', target: '0.0.0.0:18001' },
} satisfies Record<string, DeclaredSource>;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-declared-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

/** Records what an earlier run observed of client c1. */
async function record(): Promise<void> {
  const recorder = await openWholeRecorder({ dataDir });
  const at = startedAt;
  const node = sampleReport().node;
  const istiod = { vantage: 'istiod', sourceId: 'one' } as const;
  const admin = { vantage: 'envoy-admin', sourceId: 'two' } as const;
  const lrs = { vantage: 'lrs', sourceId: 'csds:3' } as const;
  const ofType = sampleResource({
    name: '',
    clientStatus: 'UNKNOWN',
    configStatus: 'SYNCED',
    hash: null,
    nonces: { sent: 'n', acked: 'n' },
  });
  const observations: Observation[] = [
    ...[istiod, admin, lrs].map((base): Observation => {
      return { ...base, kind: 'source-declared', at, source: sources[base.sourceId] };
    }),
    sampleReport({ ...istiod, at, side: 'control-plane', changed: [ofType] }),
    sampleReport({ ...admin, at, changed: [sampleResource({ hash: 'a'.repeat(64) })] }),
    { ...loadReported(at, [], { clientId: 'c1' }), ...lrs, node },
  ];
  for (const observation of observations) recorder.append({ observation, bodies: [] });
  await recorder.close();
}

async function run<T>(work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const argv = ['--no-lab', '--data-dir', dataDir];
  const runtime = await startRuntime(readConfig({ argv, env: {}, cwd: dataDir, version: '0' }), '0');
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

/** Returns what pages show of the sources of a client, by target. */
async function shownOf({ api }: Runtime, client: ClientDetail) {
  const { items } = await api.ask('history', { client: client.id }, { params: {} });
  return client.reports
    .map(({ sourceId, vantage, originalVantage = vantage, target }) => {
      const kinds = items.flatMap((event) => (event.sourceId === sourceId ? [event.sourceKind] : []));
      return { target, vantage: originalVantage, kinds };
    })
    .sort((a, b) => ((a.target ?? '') < (b.target ?? '') ? -1 : 1));
}

const expected = [
  { target: '0.0.0.0:18001', vantage: 'lrs', kinds: ['lrs'] },
  { target: '10.0.0.9:9901', vantage: 'envoy-admin', kinds: ['envoy-admin'] },
  { target: 'cp:15012', vantage: 'istiod', kinds: ['istiod'] },
];

it('a source is shown as it was declared, whatever its id: live, after restarts, in the past and out of a file', async () => {
  await record();
  for (let restart = 0; restart < 2; restart++) {
    await run(async (runtime) => {
      const client = await runtime.api.findClient('c1');
      if (client === undefined) throw new Error('expected client c1');
      expect(await shownOf(runtime, client)).toEqual(expected);
      expect(client.sync).toMatchObject([{ sourceId: 'one' }]);
    });
  }
  await run(async (runtime) => {
    const { api } = runtime;
    const file = await api.answerRequest(new Request('http://localhost/api/v1/export?client=c1'));
    await api.addImport('day.xdscope', inPieces(Buffer.from(await file.arrayBuffer())), null);
    const { items } = await api.ask('clients', {}, { params: {} });
    const imported = items.find(({ id }) => id !== 'c1');
    const client = imported && (await api.findClient(imported.id));
    if (client === undefined) throw new Error('expected a client of the file');
    expect(client.reports.map(({ vantage }) => vantage)).toEqual(['dump', 'dump', 'dump']);
    expect(client.reason).toContain('from file:day.xdscope, as it was');
    expect(await shownOf(runtime, client)).toEqual(expected);
  });
  await run(async ({ api }) => {
    const { items } = await api.ask('clients', {}, { params: {} });
    expect(items).toHaveLength(2);
  });
});
