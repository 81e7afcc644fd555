import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ResourceState } from '@/lib/observation/observation';
import { findTrust } from '@/lib/resolve/validate-row';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { ClientRows } from '@/server/answers/resources/client-rows';
import { LiveState } from '@/server/live/live-state';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/open-recorder';
import { endpointsOf, type MeshBody, meshOf } from './resolve-mesh';
import { watchLoop } from './watch-loop';

const clusters = 30_000;
const rounds = 20;
const perObservation = 2_000;

const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
const clock = systemClock;
const freshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 }) as const;
const recorder = await openRecorder({ dataDir, clock, retention: { maxAgeMs: 1e12, maxBytes: 1e12 } });
const live = new LiveState(
  {
    clock: { ...clock, setTimeout: () => ({ cancel: () => undefined }) },
    append: recorder.append.bind(recorder),
    publish: () => undefined,
    freshnessOf,
  },
  { world: new Map(), newestSeq: 0 },
);
const graphs = new GraphBuilder({ recorder, clock });
const rows = new ClientRows({ live, freshnessOf });
const reports = [{ sourceId: 'bench', vantage: 'probe', side: 'client' }] as const;
/** As if a client of the profile had reported it: no rules are applied. */
const ownWord = [{ sourceId: 'bench', vantage: 'csds', side: 'client' }] as const;

function observe(mesh: readonly MeshBody[]): void {
  const bodies = mesh.map(({ typeUrl, bytes }) => {
    return { typeUrl, bytes, hash: createHash('sha256').update(bytes).digest('hex') };
  });
  const changed = mesh.map(
    ({ typeUrl, name }, at): ResourceState => ({
      typeUrl,
      name,
      versionInfo: '1',
      clientStatus: 'ACKED',
      configStatus: 'UNKNOWN',
      hash: bodies[at]?.hash ?? null,
      sizeBytes: bodies[at]?.bytes.length ?? null,
      lastUpdated: null,
      errorState: null,
      isStatic: false,
      changedAt: clock.now(),
    }),
  );
  live.observe({
    observation: {
      kind: 'client-config-changed',
      at: clock.now(),
      vantage: 'probe',
      sourceId: 'bench',
      clientId: 'big',
      side: 'client',
      node: {
        id: 'big',
        cluster: '',
        locality: null,
        userAgentName: '',
        userAgentVersion: '',
        clientFeatures: [],
        metadata: {},
      },
      scope: '',
      changed,
      removed: [],
    },
    bodies,
  });
}

const query = {
  errors: 'a88',
  listener: 'shop',
  offset: 0,
  limit: 100,
  find: '',
  endpoints: 0,
  starts: '',
  hostsFrom: {},
  routesFrom: {},
} as const;

function ask(profile: 'core' | 'envoy', by: typeof reports | typeof ownWord = reports, builder = graphs) {
  const trust = findTrust({ profile, userAgentName: '', reports: by });
  const source = { list: 'client big', rows: async () => (await rows.find('big'))?.rows ?? [] };
  return watchLoop(() => builder.resolve(source, { ...query, profile, trust }));
}

interface Measured {
  readonly tookMs: number;
  readonly blockMs: number;
  readonly cpuMs: number;
}

const show = (text: string, { tookMs, blockMs, cpuMs }: Measured): void => {
  process.stdout.write(
    `${text.padEnd(48)} ${tookMs.toFixed(0).padStart(6)} ms (processor ${cpuMs.toFixed(0)} ms)   longest block ${blockMs.toFixed(0).padStart(4)} ms\n`,
  );
};

try {
  const mesh = meshOf(clusters);
  for (let from = 0; from < mesh.length; from += perObservation) {
    observe(mesh.slice(from, from + perObservation));
    await recorder.flushed();
  }
  process.stdout.write(
    `one probe, ${mesh.length} resources, rules applied: question to answer, main thread\n`,
  );
  const made = await watchLoop(async () => rows.find('big'));
  show('rows of the client', made);
  const first = await ask('core');
  const { byStatus } = first.result.clusters;
  if (byStatus.ok !== clusters)
    throw new Error(`bench: expected ${clusters} ok, got ${JSON.stringify(byStatus)}`);
  show('first answer', first);
  show('the same again', await ask('core'));
  const changes: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    observe([endpointsOf(`cluster-${(round * 7_919) % clusters}`, 1_000 + round)]);
    await recorder.flushed();
    changes.push(await ask('core'));
  }
  const middle = changes.sort((a, b) => a.tookMs - b.tookMs)[Math.floor(rounds / 2)];
  const worst = changes.at(-1);
  if (middle !== undefined) show('after one changed EDS resource (median)', middle);
  if (worst !== undefined) show('after one changed EDS resource (worst)', worst);
  show("another profile's first answer (Envoy)", await ask('envoy'));
  const others = new GraphBuilder({ recorder, clock });
  show('first answer about a client at its word', await ask('core', ownWord, others));
  await others.close();
  process.stdout.write(
    `peak memory of the process ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB\n`,
  );
} finally {
  await graphs.close();
  await recorder.close();
  rmSync(dataDir, { recursive: true });
}
