import type { NodeInfo } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { clientIdOf } from '@/server/client-id';
import { polledHealth } from '@/server/collect/source-kind/source-kind';
import { Forwarder } from '@/server/forwarding/forwarder';
import { SourceReporter } from '@/server/forwarding/source-reporter';
import { type Body, type Emission, systemClock } from '@/server/observe';
import { initialSourceStatus } from '@/server/source-status';
import type { SourceDescription } from '@/server/sources/source-registry';
import { openPostgres } from '@/server/store/open-postgres';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { StoreDatabase } from '@/server/store/schema';
import { StateStore } from '@/server/store/state';
import { bodyOf } from '../support/builders/recorder-emissions';
import { clusterOf, endpointsOf, listenerOf, routeOf } from '../support/builders/xds-wire';
import { simulatedNode } from '../support/simulated-fleet';
import { tempDir } from './measure';

export interface CollectorOptions {
  readonly url: string;
  readonly name: string;
  /** The number of its first client in the fleet. */
  readonly first: number;
  readonly clients: number;
}

export type CollectorTask =
  | { readonly kind: 'record'; readonly perSecond: number }
  | { readonly kind: 'stop' }
  /** One client changes, now. */
  | { readonly kind: 'change'; readonly version: string };

export interface CollectorReport {
  readonly appended: number;
  /** null: not known yet. */
  readonly waiting: number | null;
  readonly problem: string;
}

const shops = 50;
/** So many clients in a row get the same new endpoints; one of 200 rejects them. */
const clientsOfPush = 1_000;
const rejectedEvery = 200;
const tickMs = 50;
const reportMs = 200;
const appendedAtOnce = 2_000;
const retention = { maxAgeMs: 1e15, maxBytes: 1e15 };

interface RecordedClient {
  readonly clientId: string;
  readonly node: NodeInfo;
  readonly shop: string;
}

function clientOf(index: number): RecordedClient {
  const { id, cluster = '', locality, metadata = {} } = simulatedNode(index);
  const { region = '', zone = '', subZone = '' } = locality ?? {};
  return {
    clientId: clientIdOf(id, ''),
    shop: `shop-${index % shops}`,
    node: {
      ...{ id, cluster, locality: { region, zone, subZone }, metadata, clientFeatures: [] },
      ...{ userAgentName: 'gRPC Go', userAgentVersion: '1.64.0' },
    },
  };
}

function rowOf(name: string, body: Body, versionInfo: string, at: number): ResourceState {
  return {
    ...{ typeUrl: body.typeUrl, name, versionInfo, clientStatus: 'ACKED', configStatus: 'UNKNOWN' },
    ...{ lastUpdated: at, errorState: null, hash: body.hash, sizeBytes: body.bytes.byteLength },
    ...{ isStatic: false, changedAt: at },
  };
}

function rejected(row: ResourceState, versionInfo: string): ResourceState {
  const details = `EDS resource ${row.name}: endpoint weight ${versionInfo} rejected`;
  const errorState = { details, versionInfo, lastUpdateAttempt: row.changedAt, failedHash: row.hash };
  return { ...row, versionInfo: '', clientStatus: 'NACKED', hash: null, sizeBytes: null, errorState };
}

/** What all clients of a shop have: a resource of each type. */
function bodiesOf(shop: string): Body[] {
  const messages = [listenerOf(shop, shop), routeOf(shop, shop), clusterOf(shop, shop), endpointsOf(shop)];
  return messages.map(({ type_url, value }) => bodyOf(value, type_url));
}

function assignmentOf(shop: string, weight: number): Body {
  const { type_url, value } = endpointsOf(shop, weight);
  return bodyOf(value, type_url);
}

/**
 * Records what CSDS would report of some clients with the recorder and the forwarder of a collector. Resolves when all clients are
 * recorded once; from then on, `report` is called with its state.
 */
export async function runCollector(
  { url, name, first, clients: count }: CollectorOptions,
  report: (state: CollectorReport) => void,
): Promise<(task: CollectorTask) => void> {
  const clients = Array.from({ length: count }, (_, index) => clientOf(first + index));
  const target = `${name}.bench:50051`;
  const sourceId = `csds:${target}`;
  const recorder = await openRecorder({ dataDir: tempDir(), clock: systemClock, retention });
  let appended = 0;
  const append = (emission: Emission): void => {
    recorder.append(emission);
    appended += 1;
  };
  const observe = ({ clientId, node }: RecordedClient, changed: ResourceState[], bodies: Body[]): void => {
    const base = {
      kind: 'client-config-changed',
      at: Date.now(),
      vantage: 'csds',
      sourceId,
      side: 'client',
    } as const;
    append({ observation: { ...base, clientId, node, scope: '', changed, removed: [] }, bodies });
  };
  append({
    observation: {
      ...{ kind: 'source-declared', at: Date.now(), vantage: 'csds', sourceId },
      source: { kind: 'csds', target },
    },
    bodies: [],
  });

  let database: StoreDatabase | undefined;
  const forwarder = new Forwarder({
    ...{ clock: systemClock, collector: name, recorder },
    open: async () => {
      database = await openPostgres({ url });
      return database;
    },
  });
  const description: SourceDescription = {
    ...{ id: sourceId, kind: 'csds', target, label: target, origin: 'flag', security: 'plain' },
    ...{ notices: [], health: polledHealth },
  };
  const reporter = new SourceReporter({
    ...{ clock: systemClock, collector: name, name },
    state: async () => {
      return database && new StateStore({ database, onDamage: () => undefined });
    },
    listSources: () => {
      const at = Date.now();
      const known = new Map(clients.map(({ clientId }) => [clientId, at]));
      return [{ description, status: { ...initialSourceStatus, state: 'up', clients: known } }];
    },
  });
  forwarder.start();
  reporter.start();

  const initial = Array.from({ length: shops }, (_, shop) => bodiesOf(`shop-${shop}`));
  for (const [index, client] of clients.entries()) {
    const bodies = initial[(first + index) % shops] ?? [];
    const at = Date.now();
    const rows = bodies.map((body) => rowOf(client.shop, body, '0', at));
    observe(client, rows, index < shops ? bodies : []);
    if (index % appendedAtOnce === 0) await recorder.keepPace();
  }
  await recorder.flushed();

  let next = 0;
  let assignments: readonly Body[] = [];
  const changeNext = (): void => {
    const push = Math.floor(next / clientsOfPush);
    if (next % clientsOfPush === 0)
      assignments = Array.from({ length: shops }, (_, shop) => assignmentOf(`shop-${shop}`, 2 + push));
    // The first client is the one whose changes are waited for.
    const index = 1 + (next % (clients.length - 1));
    const client = clients[index];
    const body = assignments[(first + index) % shops];
    if (client === undefined || body === undefined) throw new Error('bench: expected a client');
    const version = String(2 + push);
    const row = rowOf(client.shop, body, version, Date.now());
    observe(client, [next % rejectedEvery === 0 ? rejected(row, version) : row], [body]);
    next += 1;
  };
  let recording: NodeJS.Timeout | undefined;
  setInterval(() => {
    const { problem, reachedSeq } = forwarder.state;
    report({ appended, problem, waiting: reachedSeq === null ? null : appended - reachedSeq });
  }, reportMs);
  return (task) => {
    if (task.kind === 'record') {
      const [startedAt, before] = [Date.now(), next];
      recording = setInterval(() => {
        const due = ((Date.now() - startedAt) / 1_000) * task.perSecond;
        while (next - before < due) changeNext();
      }, tickMs);
    } else if (task.kind === 'stop') clearInterval(recording);
    else {
      const [client] = clients;
      if (client === undefined) throw new Error('bench: expected a client');
      const body = assignmentOf(client.shop, 1 + (appended % 1_000_000));
      observe(client, [rowOf(client.shop, body, task.version, Date.now())], [body]);
    }
  };
}
