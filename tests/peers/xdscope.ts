import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import { describeWaitingSummary } from '@/lib/views/client/describe-waiting';
import type { clientSummary } from '@/lib/views/client/schema';
import type { ClientFindings } from '@/lib/views/findings/schema';
import type { HistoryPage } from '@/lib/views/history/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { resourceRow } from '@/lib/views/resources/row-schema';
import type { resourcePage } from '@/lib/views/resources/schema';
import type { Source, SourcePage } from '@/lib/views/sources/schema';
import type { State } from '@/lib/xds/status';
import { projectRoot } from '@/server/project-root';
import { freePort } from '../support/free-port';
import { waitUntil } from '../support/wait-until';
import type { RequestState } from './account';
import { startChild } from './child';
import { nameOf } from './compare';

/** The vantages from which an xdscope observes a client; a pair is two sources of one xdscope. */
export const vantages = [
  ...(['csds', 'tap', 'admin', 'tap+csds', 'tap+admin'] as const),
  ...(['istiod+admin', 'istiod+tap+admin'] as const),
] as const;
export type Vantage = (typeof vantages)[number];

export interface Xdscope {
  readonly vantage: Vantage;
  readonly process: { readonly pid: number; readonly dataDir: string };
  /** Polls the client from now on. */
  observe(adminTarget: string, kind?: PolledKind): Promise<void>;
  /** The answer of the HTTP API, as in "clients". */
  get<T>(question: string): Promise<T>;
  /** The answer to POST, as of "failover/simulate". */
  post<T>(command: string, body: object): Promise<T>;
  /** Opens a document as a file, and resolves with its id when it is read. */
  open(name: string, document: object): Promise<string>;
  /** Removes a file that was opened, with its clients. */
  removeFile(id: string): Promise<void>;
  /** True if each of its sources has reported the client. */
  isReporting(nodeId: string): Promise<boolean>;
  clientIds(nodeId: string): Promise<string[]>;
  rows(nodeId: string): Promise<ShownRow[]>;
  /** The number of polls of each of its sources; infinity if it has none that polls. */
  polls(): Promise<number>;
  newestSeq(): Promise<number>;
  /** The taps relay everything, and record nothing until they are resumed. */
  pauseTaps(paused: boolean): Promise<void>;
  /** Sentences about the events in the log after this one. */
  recordedAfter(seq: number): Promise<string[]>;
  /**
   * States for each target or listener whether requests succeed with the effective config that is shown. Absent: no client
   * has it.
   */
  requests(nodeId: string, targets: readonly string[]): Promise<Record<string, RequestState>>;
  /** States what resources of the client wait for, and for how long, as its summary states it. */
  waiting(nodeId: string): Promise<string[]>;
  /** The places in the list of servers of those that delivered the resources of the scope of a target, by type. */
  deliveries(nodeId: string, target: string): Promise<Record<string, readonly number[]>>;
  /** The known bugs of the client whose symptoms it shows. */
  bugs(nodeId: string): Promise<string[]>;
  stop(): Promise<void>;
}

export type PolledKind = 'csds' | 'channelz' | 'envoy-admin';

/** The facts that xdscope states about one resource. */
export interface ShownRow {
  readonly scope: string;
  readonly typeUrl: string;
  readonly name: string;
  readonly state: State;
  readonly version: string;
  readonly contentVersion: string;
  /** The hash of the payload in effect; null: there is none. */
  readonly hash: string | null;
}

const polledKinds: Partial<Record<Vantage, PolledKind>> = {
  csds: 'csds',
  'tap+csds': 'csds',
  admin: 'envoy-admin',
  'tap+admin': 'envoy-admin',
};

type Sources = { readonly items: readonly Pick<Source, 'answers' | 'intervalMs'>[] };
type Clients = { readonly items: readonly z.infer<typeof clientSummary>[] };

/** host:port of each management server, the most preferred first. */
export type Servers = readonly [string, ...string[]];

export interface XdscopeOptions {
  readonly vantage: Vantage;
  readonly servers: Servers;
  /** The addresses at which clients reach each server: its tap, or the server if the vantage has no tap. */
  readonly entrances: Servers;
  readonly workDir: string;
  /** Further arguments. Absent: no lab. */
  readonly args?: readonly string[];
  /** Further settings of the config file. */
  readonly config?: object;
  /** `listenTls` and `upstreamTls` of the taps. Absent: they have no TLS. */
  readonly tapTls?: object;
}

export async function findEntrances(vantage: Vantage, [first, ...others]: Servers): Promise<Servers> {
  if (!vantage.startsWith('tap')) return [first, ...others];
  const tapped = async () => `127.0.0.1:${await freePort()}`;
  return [await tapped(), ...(await Promise.all(others.map(tapped)))];
}

/** Starts xdscope in a process of its own. */
export async function startXdscope(options: XdscopeOptions): Promise<Xdscope> {
  const { vantage, servers, entrances, workDir, args = ['--no-lab'], config: settings, tapTls } = options;
  const hasTap = vantage.startsWith('tap');
  const taps = entrances.map((listen, index) => ({ listen, upstream: servers[index], ...tapTls }));
  const config = path.join(workDir, `xdscope-${vantage}.json`);
  writeFileSync(config, JSON.stringify({ ...settings, taps: hasTap ? taps : [] }));
  const dataDir = path.join(workDir, `data-${vantage}`);
  const child = startChild(
    process.execPath,
    [
      path.join(projectRoot, '.build', 'main.mjs'),
      ...['--port', '0', '--no-token', '--data-dir', dataDir, ...args],
      ...['--csds-interval', '200ms', '--envoy-admin-interval', '500ms'],
      ...['--config', config],
    ],
    { env: { NODE_ENV: 'production' }, logFile: path.join(workDir, `xdscope-${vantage}.log`) },
  );
  const [url = ''] = await child.line('xdscope:');
  const get = async <T>(question: string): Promise<T> => {
    // A connection that is kept can be closed by the server while the next question is written.
    const response = await fetch(`${url}/api/v1/${question}`, { headers: { connection: 'close' } });
    if (!response.ok) throw new Error(`${question}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const send = async (
    method: 'POST' | 'PATCH' | 'DELETE',
    command: string,
    body?: object,
  ): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/${command}`, {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${command}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
  // A client that starts before its taps listen uses the fallback server.
  await waitUntil(`the taps of xdscope (${vantage}) listen`, async () => {
    const { items } = await get<SourcePage>('sources');
    return items.every(({ tap }) => tap === undefined || tap.address !== undefined);
  });
  return {
    vantage,
    process: { pid: child.pid, dataDir },
    get,
    post: async <T>(command: string, body: object) => (await send('POST', command, body)) as T,
    async observe(target, kind = polledKinds[vantage]) {
      if (kind === undefined) return;
      await send('POST', 'sources', { kind, target });
    },
    async open(name, document) {
      return ((await send('POST', `imports?name=${name}`, document)) as Source).id;
    },
    async removeFile(id) {
      await send('DELETE', `sources/${encodeURIComponent(id)}`);
    },
    async isReporting(nodeId) {
      const { items } = await get<Clients>('clients');
      const own = items.filter((client) => client.nodeId === nodeId);
      const reporting = new Set(own.flatMap(({ reports }) => reports.map((report) => report.vantage)));
      return reporting.size === vantage.split('+').length;
    },
    async clientIds(nodeId) {
      const { items } = await get<Clients>('clients');
      return items.flatMap((client) => (client.nodeId === nodeId ? [client.id] : []));
    },
    async rows(nodeId) {
      const { items } = await get<Clients>('clients');
      const own = items.filter((client) => client.nodeId === nodeId);
      const pages = own.map(async ({ id, scope }) => {
        const { items: rows } = await get<z.infer<typeof resourcePage>>(`clients/${id}/resources`);
        return rows.map((row) => shown(scope, row));
      });
      return (await Promise.all(pages)).flat();
    },
    async requests(nodeId, targets) {
      const { items } = await get<Clients>('clients');
      const own = items.filter((client) => client.nodeId === nodeId);
      const states = targets.map(async (target): Promise<[string, RequestState][]> => {
        const isOfTarget = own.find(({ scope }) => nameOf(scope) === nameOf(target));
        const client = isOfTarget ?? own.find(({ scope }) => scope === '');
        if (client === undefined) return [];
        const start = target === nameOf(target) ? 'listener' : 'target';
        const question = `clients/${client.id}/resolved?${start}=${encodeURIComponent(target)}`;
        return [[target, requestStateOf(await get<Resolved>(question))]];
      });
      return Object.fromEntries((await Promise.all(states)).flat());
    },
    async waiting(nodeId) {
      const { items } = await get<Clients>('clients');
      const all = items.flatMap((client) => (client.nodeId === nodeId ? (client.waiting ?? []) : []));
      return all.map((each) => describeWaitingSummary(each, Date.now() - each.since));
    },
    async deliveries(nodeId, target) {
      const { items } = await get<Clients>('clients');
      const own = items.filter((each) => each.nodeId === nodeId && nameOf(each.scope) === nameOf(target));
      const found: Record<string, number[]> = {};
      for (const { id } of own) {
        const page = await get<z.infer<typeof resourcePage>>(`clients/${id}/resources`);
        for (const { service, delivery } of page.items) {
          const at = servers.findIndex((server) => delivery?.servers.includes(server));
          found[service] = [...new Set([...(found[service] ?? []), at])];
        }
      }
      return found;
    },
    async bugs(nodeId) {
      const { items } = await get<Clients>('clients');
      const own = items.filter((client) => client.nodeId === nodeId);
      const found = own.map(({ id }) => get<ClientFindings>(`clients/${id}/findings?limit=1`));
      return (await Promise.all(found)).flatMap(({ notices }) => notices.map(({ id }) => id));
    },
    async polls() {
      const { items } = await get<Sources>('sources');
      const polling = items.filter(({ intervalMs }) => intervalMs !== undefined);
      return Math.min(...polling.map(({ answers }) => answers));
    },
    newestSeq: async () => (await get<HistoryPage>('history?limit=1')).newestSeq,
    async pauseTaps(paused) {
      const { items } = await get<SourcePage>('sources');
      for (const { id } of items.filter(({ tap }) => tap !== undefined))
        await send('PATCH', `sources/${id}`, { paused });
    },
    async recordedAfter(seq) {
      const { items } = await get<HistoryPage>('history?limit=100');
      return items.flatMap((event) => (event.seq > seq ? [`${event.sourceId} ${event.text}`] : []));
    },
    stop: () => child.stop('SIGTERM'),
  };
}

function shown(scope: string, row: z.infer<typeof resourceRow>): ShownRow {
  const { typeUrl, name, state, versionInfo: version, hash } = row;
  const { contentVersion = version } = row;
  return { scope, typeUrl, name, state: state ?? 'UNKNOWN', version, contentVersion, hash };
}

/** States whether the last route, which is that of every request here, leads to an endpoint. */
function requestStateOf({ status, chains, clusters }: Resolved): RequestState {
  const route = chains[0]?.virtualHosts[0]?.routes.at(-1);
  const cluster = clusters.items.find(({ name }) => name === route?.clusters[0]?.name);
  if (cluster === undefined) return status === 'unknown' ? 'UNKNOWN' : 'FAILS';
  const isUsable = cluster.use.usable > 0 || cluster.missing.some(({ why }) => why === 'in-doubt');
  if ((cluster.status !== 'ok' && cluster.status !== 'unknown') || !isUsable) return 'FAILS';
  return status === 'unknown' || cluster.status === 'unknown' ? 'UNKNOWN' : 'SUCCEEDS';
}
