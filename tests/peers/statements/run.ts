import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, get as getHttp, type Server } from 'node:http';
import { get as getHttps } from 'node:https';
import path from 'node:path';
import { patienceMs } from '@/lib/issues/issue-at';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startEnvoyProcess } from '../envoy/start';
import type { Prepared } from '../peer';
import type { Results } from '../results';
import { startXdscope, type Xdscope } from '../xdscope';
import { type Request, type Situation, situations } from './situations';

export const chapter = 'statements';

const requestsSent = 20;
/** The outlier detection and the health checks of the situations end within it, and so does the patience of issues. */
const settlingMs = 4_000;
const names = ['web', 'good', 'sick', 'bad', 'closed'] as const;

type Outcome = 'succeeds' | 'fails' | 'some fail';
type Statement = Outcome | 'unknown';
type View = 'effective config' | 'issues' | 'graph' | 'failover';

interface Row {
  readonly situation: string;
  readonly request: string;
  readonly view: View;
  readonly stated: Statement;
  readonly measured: Outcome;
}

/** Sends requests to an Envoy in each situation, and compares their outcome with what the views of xdscope state. */
export async function runStatements(options: {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}): Promise<void> {
  const { prepared, results, print } = options;
  const peer = `envoy ${prepared.version}`;
  const of = { flavor: 'envoy', peer, protocol: 'sotw', server: 'scripted', chapter } as const;
  const workDir = path.join(options.workDir, `envoy-${prepared.version}-${chapter}`);
  mkdirSync(workDir, { recursive: true });
  const ports = new Map<string, number>();
  for (const name of names) ports.set(name, await freePort());
  const portOf = (name: string): number => ports.get(name) ?? 0;
  const backends = [
    await answerWith(portOf('good'), () => 200),
    await answerWith(portOf('sick'), (url) => (url === '/healthz' ? 500 : 200)),
    await answerWith(portOf('bad'), () => 500),
  ];
  const rows: Row[] = [];
  try {
    const all = situations(portOf, (name) => path.join(workDir, `${name}.json`));
    for (const [index, situation] of all.entries()) {
      const moment = situation.name;
      try {
        const dir = path.join(workDir, String(index));
        mkdirSync(dir);
        const found = await tryOne(situation, { prepared, workDir: dir, filesDir: workDir, portOf });
        rows.push(...found);
        const wrong = found.filter(isWrong);
        if (wrong.length > 0 && situation.notYet === undefined)
          throw new Error(wrong.map(describeRow).join('; '));
        if (!found.some(({ stated }) => stated !== 'unknown') && situation.notYet === undefined)
          throw new Error('no view states more than "unknown"');
        print(results.pass({ ...of, moment }));
      } catch (error) {
        print(results.fail({ ...of, moment }, error));
      }
    }
  } finally {
    for (const backend of backends) backend.close();
  }
  for (const line of matrixOf(rows)) print(line);
}

interface Tools {
  readonly prepared: Prepared;
  readonly workDir: string;
  readonly filesDir: string;
  readonly portOf: (name: string) => number;
}

async function tryOne(situation: Situation, { prepared, workDir, filesDir, portOf }: Tools): Promise<Row[]> {
  const files = Object.entries(situation.files ?? {});
  const write = (name: string, content: object): void => {
    const target = path.join(filesDir, `${name}.json`);
    writeFileSync(`${target}.new`, JSON.stringify(content));
    // Envoy watches for moves.
    renameSync(`${target}.new`, target);
  };
  for (const [name, [first]] of files) if (first !== undefined) write(name, first);
  const envoy = await startEnvoyProcess(prepared, workDir, (adminPort) => ({
    node: { id: 'statements', cluster: 'statements' },
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: adminPort } } },
    static_resources: { listeners: situation.listeners, clusters: situation.clusters },
  }));
  let xdscope: Xdscope | undefined;
  try {
    for (const [name, versions] of files) {
      for (const version of versions.slice(1)) {
        await updates(envoy.adminTarget, 1);
        write(name, version);
        await updates(envoy.adminTarget, 2);
      }
    }
    const servers = ['127.0.0.1:1'] as const;
    xdscope = await startXdscope({ vantage: 'admin', servers, entrances: servers, workDir });
    const { observe, get, clientIds } = xdscope;
    await observe(envoy.adminTarget);
    await waitUntil('xdscope reports the Envoy', async () => (await clientIds('statements')).length > 0);
    await get('issues');
    const rows: Row[] = [];
    // The first requests cause ejections, and the measured ones follow.
    for (const request of situation.requests) await outcomeOf(request, portOf);
    await new Promise((resolve) => setTimeout(resolve, settlingMs));
    const measured = new Map<Request, Outcome>();
    for (const request of situation.requests) measured.set(request, await outcomeOf(request, portOf));
    const polls = await xdscope.polls();
    await waitUntil('xdscope has polled', async () => ((await xdscope?.polls()) ?? 0) >= polls + 2);
    await new Promise((resolve) => setTimeout(resolve, issueMs));
    const [id = ''] = await clientIds('statements');
    for (const request of situation.requests) {
      const outcome = measured.get(request) ?? 'fails';
      for (const [view, stated] of await statementsOf(request, id, xdscope)) {
        const text = `${request.listener}${request.path}`;
        rows.push({ situation: situation.name, request: text, view, stated, measured: outcome });
      }
    }
    return rows;
  } finally {
    await xdscope?.stop();
    await envoy.stop();
  }
}

/** An issue that follows from the config counts after this time. */
const issueMs = patienceMs + 1_000;

/** Resolves when Envoy has answered so many responses of its file sources. */
async function updates(adminTarget: string, count: number): Promise<void> {
  await waitUntil(`Envoy has read ${count} versions`, async () => {
    const filter = 'filter=(rds|cluster\\.a|sds).*update_(success|rejected)';
    const text = await (await fetch(`http://${adminTarget}/stats?${filter}`)).text();
    const counts = [...text.matchAll(/: (\d+)$/gm)].map(([, value]) => Number(value));
    return counts.reduce((sum, value) => sum + value, 0) >= count;
  });
}

async function statementsOf(
  { listener, path: url, cluster }: Request,
  id: string,
  { get, post }: Pick<Xdscope, 'get' | 'post'>,
): Promise<(readonly [View, Statement])[]> {
  const resolved = await get<Resolved>(`clients/${id}/resolved?listener=${listener}`);
  const issues = await get<IssuePage>('issues');
  const graph = await get<Graph>(`clients/${id}/graph?limit=2000`);
  const rows: [View, Statement][] = [
    ['effective config', stateOfConfig(resolved, url, cluster)],
    ['issues', stateOfIssues(issues, listener, cluster)],
    ['graph', stateOfGraph(graph, cluster)],
  ];
  if (cluster === undefined) return rows.slice(0, 2);
  const body = { client: id, cluster, listener, changes: [], seconds: 0 };
  const failover = await post<FailoverSimulation>('failover/simulate', body);
  return [...rows, ['failover', stateOfFailover(failover)]];
}

function stateOfConfig({ status, clusters }: Resolved, url: string, cluster: string | undefined): Statement {
  if (status === 'error') return 'fails';
  if (status !== 'resolved') return 'unknown';
  if (cluster === undefined) return url === '/ok' ? 'succeeds' : 'unknown';
  const found = clusters.items.find(({ name }) => name === cluster);
  // The route may name another cluster than the situation has.
  if (found === undefined) return clusters.byStatus.error > 0 ? 'fails' : 'unknown';
  if (found.status !== 'ok') return found.status === 'error' ? 'fails' : 'unknown';
  if (found.resolutionNote.includes('lb_subset_config')) return 'unknown';
  const { usable, failing = 0 } = found.use;
  if (failing > 0) return 'some fail';
  return usable > 0 ? 'succeeds' : 'unknown';
}

function stateOfIssues({ items }: IssuePage, listener: string, cluster: string | undefined): Statement {
  const isFailing = items.some(({ impact: { level, text } }) => {
    if (level === 'all-fail') return text.includes(` to ${listener} fail`);
    return level === 'some-fail' && cluster !== undefined && text.includes(` to cluster ${cluster} fail`);
  });
  return isFailing ? 'fails' : 'unknown';
}

function stateOfGraph({ nodes }: Graph, cluster: string | undefined): Statement {
  const node = nodes.find((each) => each.kind === 'cluster' && each.name === cluster);
  return node?.below?.text === 'no healthy endpoint' ? 'fails' : 'unknown';
}

function stateOfFailover({ moments: [now], notes }: FailoverSimulation): Statement {
  if (notes.some((note) => note.startsWith('the whole config fails'))) return 'fails';
  if (now === undefined) return 'unknown';
  if (now.envoy.failing === 1) return 'fails';
  return now.envoy.failing > 0 ? 'some fail' : 'succeeds';
}

function isWrong({ stated, measured }: Row): boolean {
  return stated !== 'unknown' && stated !== measured;
}

function describeRow({ request, view, stated, measured }: Row): string {
  return `${view}, ${request}: stated "${stated}", measured "${measured}"`;
}

function matrixOf(rows: readonly Row[]): string[] {
  const count = (of: readonly Row[]) => {
    const wrong = of.filter(isWrong).length;
    const unknown = of.filter(({ stated }) => stated === 'unknown').length;
    return `${of.length - wrong - unknown} right, ${unknown} unknown, ${wrong} wrong`;
  };
  const views: readonly View[] = ['effective config', 'issues', 'graph', 'failover'];
  return [
    ...rows.map((row) => `${row.situation.padEnd(50)} ${describeRow(row)}`),
    ...views.map((view) => `${view.padEnd(18)} ${count(rows.filter((row) => row.view === view))}`),
    `statements: ${rows.length} rows, ${count(rows)}`,
  ];
}

async function answerWith(port: number, statusOf: (url: string) => number): Promise<Server> {
  const server = createServer((request, response) => {
    response.statusCode = statusOf(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

async function outcomeOf(request: Request, portOf: (name: string) => number): Promise<Outcome> {
  let succeeded = 0;
  for (let sent = 0; sent < requestsSent; sent++) if (await isServed(request, portOf)) succeeded += 1;
  if (succeeded === requestsSent) return 'succeeds';
  return succeeded === 0 ? 'fails' : 'some fail';
}

function isServed(
  { listener, path: url, isTls }: Request,
  portOf: (name: string) => number,
): Promise<boolean> {
  const target = { host: '127.0.0.1', port: portOf(listener), path: url, agent: false };
  return new Promise((resolve) => {
    const get = isTls ? getHttps : getHttp;
    const request = get({ ...target, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}
