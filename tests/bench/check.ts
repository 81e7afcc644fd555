import { createHash, randomBytes } from 'node:crypto';
import { type ClientReport, resourceKey } from '@/lib/observation/client-state';
import type { World } from '@/lib/observation/fold';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { CheckApi } from '@/server/answers/check/check-api';
import { GraphBuilder } from '@/server/answers/graph/graph-builder';
import { ClientRows } from '@/server/answers/subjects/client-rows';
import { ClientSubjects } from '@/server/answers/subjects/client-subjects';
import { noSettings } from '@/server/answers/subjects/known-settings';
import { encodeBody } from '@/server/codec/encode-body';
import { Validator } from '@/server/compute/validate/document-validator';
import { systemClock } from '@/server/observe';
import { ClientAtCache } from '@/server/store/past/client-at-cache';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import { sampleNode, sampleResource } from '../support/builders/observation-samples';
import { openLiveState } from '../support/open-live-state';
import { type Measured, measure, print, printFigure, tempDir } from './measure';

/** POST check of a folder of resources against a fleet, by its event loop: how long it takes and blocks. */
const resources = 500;
const rounds = 5;
/** The versions of the fleet, one after the other. */
const userAgents = [
  ...['1.64.0', '1.73.0', '1.82.0', '1.85.0'].map((version) => ['gRPC Go', version] as const),
  ...['1.60.0', '1.76.0', '1.85.0'].map((version) => ['gRPC Java', version] as const),
  ...['1.36.2', '1.40.0'].map((version) => ['envoy', version] as const),
  ['gRPC Node Pure JS', '1.14.1'] as const,
];

const document = Array.from({ length: resources }, (_, index) =>
  index % 2 === 0
    ? { typeUrl: CDS.typeUrl, name: `c${index}`, body: clusterOf(`c${index}`) }
    : { typeUrl: EDS.typeUrl, name: `c${index - 1}`, body: endpointsOf(`c${index - 1}`) },
);

function clusterOf(name: string): object {
  const lbPolicy = name.endsWith('4') ? 'MAGLEV' : 'ROUND_ROBIN';
  return { name, type: 'EDS', connectTimeout: '1s', lbPolicy, edsClusterConfig: { edsConfig: { ads: {} } } };
}

function endpointsOf(clusterName: string): object {
  const lbEndpoints = Array.from({ length: 10 }, (_, index) => ({
    endpoint: { address: { socketAddress: { address: `10.0.0.${index}`, portValue: 80 } } },
  }));
  const locality = { region: 'eu', zone: 'eu-1' };
  return { clusterName, endpoints: [{ locality, loadBalancingWeight: 1, lbEndpoints }] };
}

/** Each client has all resources of the document. */
function buildWorld(clients: number): World {
  const held = new Map(
    document.map(({ typeUrl, name, body }) => {
      const hash = createHash('sha256').update(encodeBody(typeUrl, body)).digest('hex');
      return [resourceKey({ typeUrl, name }), sampleResource({ typeUrl, name, hash })];
    }),
  );
  return new Map(
    Array.from({ length: clients }, (_, index) => {
      const [userAgentName, userAgentVersion] = userAgents[index % userAgents.length] ?? ['', ''];
      const clientId = `client-${index}`;
      const report: ClientReport = {
        ...{ sourceId: `csds:${index}`, vantage: 'csds', side: 'client' },
        ...{ firstSeenAt: 1, lastChangedAt: 1, goneAt: null, goneReason: '', resources: held },
      };
      const node = { ...sampleNode(clientId), userAgentName, userAgentVersion };
      const reports = new Map([[report.sourceId, report]]);
      return [clientId, { clientId, node, nodeSourceId: report.sourceId, scope: '', reports, seq: 1 }];
    }),
  );
}

async function checkAgainst(clients: number, client: string | undefined): Promise<Measured<unknown>> {
  const clock = systemClock;
  const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };
  const recorder = await openRecorder({ dataDir: tempDir(), clock, retention });
  const freshnessOf: FreshnessOf = () => ({ freshness: 'live', reason: '', lastSeenAt: 1 });
  const live = openLiveState({ clock, freshnessOf }, { world: buildWorld(clients), newestSeq: 1 });
  const graphs = new GraphBuilder({ recorder });
  const validate = new Validator({ redactionKey: randomBytes(32), recorder });
  const findSettings = () => noSettings;
  const rows = new ClientRows({ live, freshnessOf });
  const past = new ClientAtCache({ clock, recorder, findToday: (id) => live.world.get(id) });
  const subjects = new ClientSubjects({ clock, live, rows, past, freshnessOf, findSettings });
  const checks = new CheckApi({
    ...{ graphs, recorder, live, findSettings, validate },
    measuredRequests: {
      find: async () => new Map(),
      findBreakers: () => new Map(),
      findStandstill: () => undefined,
    },
    findSubject: async (ref) =>
      'clientId' in ref ? subjects.find(ref.clientId, undefined) : Promise.resolve(undefined),
  });
  const bytes = Buffer.from(
    JSON.stringify({ resources: document.map(({ typeUrl, body }) => ({ '@type': typeUrl, ...body })) }),
  );
  const check = () => checks.check({ bytes, client, ...(client !== undefined && { whole: 'true' }) });
  await check();
  let best: Measured<unknown> | undefined;
  for (let round = 0; round < rounds; round++) {
    const measured = await measure(check);
    if (best === undefined || measured.busyMs < best.busyMs) best = measured;
  }
  await Promise.all([graphs.close(), validate.close(), recorder.close()]);
  if (best === undefined) throw new Error('bench: expected a round, got none');
  return best;
}

print(`POST check of ${resources} resources, ${userAgents.length} client versions`);
const figures = new Map<string, Measured<unknown>>();
for (const [name, clients, client] of [
  ['10 clients', 10, undefined],
  ['1,000 clients', 1_000, undefined],
  ['1,000 clients, compared with one', 1_000, 'client-0'],
] as const) {
  const measured = await checkAgainst(clients, client);
  figures.set(name, measured);
  const { wallMs, cpuMs, busyMs, blockMs } = measured;
  printFigure(
    name,
    `${wallMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of the processor, event loop busy ${busyMs.toFixed(0)}, longest block ${blockMs.toFixed(0)} ms (aim 50 ms)`,
  );
}
const [few, many, compared] = [...figures.values()];
if (few !== undefined && many !== undefined && compared !== undefined) {
  printFigure('ratio of 1,000 clients to 10, time of the event loop', (many.busyMs / few.busyMs).toFixed(1));
  printFigure('ratio with a compared client to without', (compared.busyMs / many.busyMs).toFixed(1));
}
process.exit(0);
