import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';
import path from 'node:path';
import { patienceMs } from '@/lib/issues/issue-at';
import type { ConnectionsPage } from '@/lib/views/connections/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { SourcePage } from '@/lib/views/sources/schema';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEnvoyProcess } from '../envoy/start';
import type { Prepared } from '../peer';
import type { Results } from '../results';
import { startXdscope, type Xdscope } from '../xdscope';
import { type Backend, startBackend, startBackends } from './backends';
import { allConnections, statementsOf, stateOfIssues, verdictOf } from './read-views';
import { assertKnown, describeRow, isWrong, matrixOf, type Outcome, type Row } from './rows';
import type { FileType, Request, Response, Situation } from './situation';
import { situations, usualSituations } from './situations';

export const chapter = 'statements';

const requestsSent = 20;
/** The outlier detection and the health checks of the situations end within it. */
export const settlingMs = 4_000;
/** An issue that follows from the config counts after this time. */
const issueMs = patienceMs + 1_000;
/** The views are read again if the outcome is another one afterwards. */
const mostAttempts = 3;
/** A request without an answer for so long has failed. */
const patienceOfRequestMs = 5_000;
/** Situations mostly wait. */
const atOnce = 8;

/**
 * Sends requests to an Envoy in each situation, and compares their outcome with what the views of xdscope state. `only`: a
 * pattern of the names of situations. `isWhole`: in all of them.
 */
export async function runStatements(options: {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly only?: string | undefined;
  readonly isWhole: boolean;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { prepared, results, print } = options;
  const peer = `envoy ${prepared.version}`;
  const of = { flavor: 'envoy', peer, protocol: 'sotw', server: 'scripted', chapter } as const;
  const workDir = path.join(options.workDir, `envoy-${prepared.version}-${chapter}`);
  mkdirSync(workDir, { recursive: true });
  const backends = await startBackends();
  const servers = ['127.0.0.1:1'] as const;
  const xdscope = await startXdscope({ vantage: 'admin', servers, entrances: servers, workDir });
  const rows: Row[] = [];
  const pattern = new RegExp(options.only ?? '');
  const all = options.isWhole ? situations : usualSituations;
  const names = all({ port: () => 0, file: () => '' }).map(({ name }) => name);
  const left = names.flatMap((name, index) => (pattern.test(name) ? [index] : []));
  const runNext = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const moment = names[index] ?? '';
      try {
        const found = await tryOne(index, { prepared, workDir, backends, xdscope });
        rows.push(...found);
        assertStatements(found);
        print(results.pass({ ...of, moment }));
      } catch (error) {
        print(results.fail({ ...of, moment }, error));
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, runNext));
  } finally {
    await xdscope.stop();
    for (const { server } of backends.values()) server?.close();
  }
  for (const line of matrixOf(rows)) print(line);
  if (options.only !== undefined) return;
  const moment = 'statements that are unknown';
  try {
    assertKnown(rows);
    print(results.pass({ ...of, moment }));
  } catch (error) {
    print(results.fail({ ...of, moment }, error));
  }
}

export function assertStatements(rows: readonly Row[]): void {
  const wrong = rows.filter(isWrong);
  if (wrong.length > 0) throw new Error(wrong.map(describeRow).join('; '));
  if (!rows.some(({ stated }) => stated !== 'unknown'))
    throw new Error('expected a statement, got "unknown" of every view');
}

interface Parts {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly backends: ReadonlyMap<string, Backend>;
  readonly xdscope: Xdscope;
}

async function tryOne(index: number, { prepared, workDir, backends, xdscope }: Parts): Promise<Row[]> {
  const dir = path.join(workDir, String(index));
  mkdirSync(dir);
  let status = 200;
  const turning = await startBackend((_, response) => {
    response.statusCode = status;
  });
  const own = { web: await freePort(), other: await freePort(), turning: turning.port };
  const ports = new Map([
    ...Object.entries(own),
    ...[...backends].map(([name, { port }]) => [name, port] as const),
  ]);
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const fileOf = (type: FileType): string => path.join(dir, `${type}.json`);
  const found = situations({ port: portOf, file: fileOf })[index];
  if (found === undefined) throw new Error(`expected situation ${index}, got none`);
  const situation = withOwnNames(found, index);
  const { listeners, clusters, bootstrap, requests } = situation;
  const node = `statements-${index}`;
  const write = (type: FileType, content: object): void => {
    writeFileSync(`${fileOf(type)}.new`, JSON.stringify(content));
    // Envoy watches for moves.
    renameSync(`${fileOf(type)}.new`, fileOf(type));
  };
  const files = Object.entries(situation.files ?? {}) as [FileType, readonly Response[]][];
  for (const [type, [first]] of files) if (first !== undefined) write(type, first);
  const outcomes = async (): Promise<Outcome[]> => {
    const all: Outcome[] = [];
    for (const request of requests) all.push(await outcomeOf(request, portOf));
    return all;
  };
  if (situation.turning !== undefined) [status] = situation.turning;
  const envoy = await startEnvoyProcess(prepared, dir, (adminPort) => ({
    ...bootstrap,
    node: { id: node, cluster: 'statements', ...bootstrap?.node },
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: adminPort } } },
    static_resources: { listeners, clusters },
  }));
  try {
    const rows: Row[] = [];
    const add = (row: Omit<Row, 'situation'>) => rows.push({ situation: found.name, ...row });
    for (const [type, versions] of files) {
      let rejected = 0;
      for (const [at, version] of versions.entries()) {
        if (at > 0) write(type, version);
        const now = await updates(envoy.adminTarget, type, at + 1);
        const measured = now > rejected ? 'rejected' : 'accepted';
        const stated = found.isOfOther ? undefined : await verdictOf(version, xdscope);
        if (stated !== undefined)
          add({ about: `${type}, version ${at + 1}`, view: 'validate', stated, measured });
        rejected = now;
      }
    }
    const { observe, get, clientIds } = xdscope;
    await observe(envoy.adminTarget);
    await waitUntil('xdscope reports the Envoy', async () => (await clientIds(node)).length > 0);
    await get('issues');
    for (const command of situation.commands ?? [])
      await fetch(`http://${envoy.adminTarget}/${command}`, { method: 'POST' });
    if (situation.held !== undefined) void isServed(situation.held, portOf);
    // The first requests cause ejections, and the measured ones follow.
    const earlier = await outcomes();
    if (situation.turning !== undefined) [, status] = situation.turning;
    await pause(settlingMs);
    const [id = ''] = await clientIds(node);
    const answersOf = async (): Promise<number> => {
      const { items } = await get<SourcePage>('sources');
      return items.find(({ target }) => target === envoy.adminTarget)?.answers ?? 0;
    };
    const polled = async (): Promise<void> => {
      const polls = await answersOf();
      await waitUntil('xdscope has polled', async () => (await answersOf()) >= polls + 2);
    };
    const sent = [earlier];
    const readViews = async (before: ConnectionsPage, measured: readonly Outcome[]): Promise<Row[]> => {
      const read: Row[] = [];
      for (const [at, outcome] of measured.entries()) {
        const request = requests[at];
        if (request === undefined) continue;
        const { listener, headers } = found.requests[at] ?? request;
        const { serverName } = request;
        const about = [`${listener}${request.path}`, ...Object.values(headers ?? {}), serverName]
          .filter(Boolean)
          .join(' ');
        // Counters are of a cluster, whichever request led to it.
        const isSame = (of: readonly Outcome[]): boolean =>
          of.every((each, other) => each === outcome || !leadsToSame(request, requests[other]));
        const outcomeOfAll = [...sent, measured].every(isSame) ? outcome : 'some fail';
        const sharesHosts = measured.some(
          (each, other) => each !== outcome && leadsToSame(request, requests[other]),
        );
        const known = { outcome, outcomeOfAll, before, sharesHosts };
        const stated = await statementsOf(request, id, known, xdscope);
        read.push(...stated.map((each) => ({ situation: found.name, about, ...each })));
      }
      return read;
    };
    // On a busy machine a health check can fail in between.
    for (let attempt = 1; ; attempt++) {
      await polled();
      const before = await get<ConnectionsPage>(`clients/${id}/connections?${allConnections}`);
      const measured = await outcomes();
      await polled();
      await pause(issueMs);
      await whenListed(requests, measured, { id, xdscope });
      const read = await readViews(before, measured);
      const again = await outcomes();
      if (again.every((outcome, at) => outcome === measured[at])) {
        rows.push(...read);
        break;
      }
      if (attempt === mostAttempts)
        throw new Error(`expected the outcomes ${measured.join(', ')} again, got ${again.join(', ')}`);
      sent.push(measured, again);
    }
    return rows;
  } finally {
    turning.server.close();
    await envoy.stop();
  }
}

function leadsToSame({ clusters = [] }: Request, other: Request | undefined): boolean {
  return other?.clusters?.some((each) => clusters.includes(each)) === true;
}

const ownNames: ReadonlySet<unknown> = new Set([
  ...['web', 'copy', 'routes', 'cert', 'a', 'b', 'gone'],
  ...['leaf', 'first', 'second', 'local', 'silent'],
]);

/** Gives the resources names of their own: an issue of several clients with the same cause is one. */
function withOwnNames(situation: Situation, index: number): Situation {
  return JSON.parse(JSON.stringify(situation), (_, value: unknown) =>
    ownNames.has(value) ? `${value}-${index}` : value,
  );
}

const statistics: Readonly<Record<FileType, string>> = {
  listeners: 'listener_manager\\.lds',
  routes: 'http.*\\.rds\\..*',
  clusters: 'cluster_manager\\.cds',
  endpoints: 'cluster\\.a-.*',
  secrets: 'sds\\..*',
  extensions: 'extension_config_discovery\\..*',
};

/** Resolves when Envoy has answered so many versions of a file: how many of them it has rejected. */
function updates(adminTarget: string, type: FileType, count: number): Promise<number> {
  return waitUntil(`Envoy has read ${count} versions of its ${type}`, async () => {
    const filter = `^${statistics[type]}\\.update_(success|rejected)$`;
    const response = await fetch(`http://${adminTarget}/stats?filter=${encodeURIComponent(filter)}`);
    const counts = new Map<string, number>();
    for (const [, kind = '', value] of (await response.text()).matchAll(/update_(\w+): (\d+)$/gm))
      counts.set(kind, (counts.get(kind) ?? 0) + Number(value));
    const { success = 0, rejected = 0 } = Object.fromEntries(counts);
    return success + rejected >= count ? { rejected } : undefined;
  }).then(({ rejected }) => rejected);
}

/** The configs of many clients are checked one after the other, those that change every ten seconds at most. */
const listedMs = 25_000;

/** Resolves when the issues of a client are those of the requests that fail, or after a time. */
async function whenListed(
  requests: readonly Request[],
  measured: readonly Outcome[],
  { id, xdscope }: { readonly id: string; readonly xdscope: Xdscope },
): Promise<void> {
  const deadline = Date.now() + listedMs;
  while (Date.now() < deadline) {
    const page = await xdscope.get<IssuePage>(`issues?client=${encodeURIComponent(id)}`);
    const isCurrent = (request: Request, at: number): boolean => {
      const { statement, isCounted } = stateOfIssues(page, request);
      if (measured[at] === 'succeeds') return statement === 'unknown' || isCounted;
      return request.clusters === undefined || statement !== 'unknown';
    };
    if (requests.every(isCurrent)) return;
    await pause(1_000);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export async function outcomeOf(request: Request, portOf: (name: string) => number): Promise<Outcome> {
  let succeeded = 0;
  for (let sent = 0; sent < requestsSent; sent++) {
    const begin = Date.now();
    if (await isServed(request, portOf, patienceOfRequestMs)) succeeded += 1;
    else if (sent === 0 && Date.now() - begin >= patienceOfRequestMs) return 'fails';
  }
  if (succeeded === requestsSent) return 'succeeds';
  return succeeded === 0 ? 'fails' : 'some fail';
}

function isServed(
  { port = 'web', path: url, headers = {}, isTls, isRedis, serverName, intended = 200, authority }: Request,
  portOf: (name: string) => number,
  withinMs?: number,
): Promise<boolean> {
  if (isRedis) return isCommandAnswered(url, portOf(port));
  const target = {
    host: '127.0.0.1',
    port: portOf(port),
    path: url,
    headers,
    agent: false,
    servername: serverName,
    ...(withinMs !== undefined && { signal: AbortSignal.timeout(withinMs) }),
  };
  return new Promise((resolve) => {
    const get = isTls ? getHttps : getHttp;
    const verification = { rejectUnauthorized: authority !== undefined, ca: authority };
    const request = get({ ...target, ...verification }, (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode === intended);
    });
    request.on('error', () => resolve(false));
  });
}

function isCommandAnswered(command: string, port: number): Promise<boolean> {
  const words = command.split(' ');
  const text = words.map((word) => `$${word.length}\r\n${word}\r\n`).join('');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`*${words.length}\r\n${text}`));
    socket
      .once('data', (answer) => {
        resolve(answer.toString() === '+OK\r\n');
        socket.destroy();
      })
      .on('error', () => resolve(false))
      .on('close', () => resolve(false));
  });
}
