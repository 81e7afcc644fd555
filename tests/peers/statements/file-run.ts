import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IssuePage } from '@/lib/views/issues/schema';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { type EnvoyProcess, startEnvoyProcess } from '../envoy/start';
import { startXdscope, type Xdscope } from '../xdscope';
import { type Backend, startBackends } from './backends';
import { statementsOf } from './read-views';
import { assertKnown, matrixOf, type Outcome, type Row } from './rows';
import { assertStatements, chapter, outcomeOf, type runStatements, settlingMs } from './run';
import type { Request, Situation, Tools } from './situation';
import { type FileSituation, type Saved, situationsOfReports } from './situations-of-reports';

/** Sends requests to Envoys, and compares the outcome with what the views state of files in which the Envoys were saved. */
export async function runFileStatements({
  prepared,
  only,
  results,
  print,
  ...options
}: Parameters<typeof runStatements>[0]): Promise<void> {
  const peer = `envoy ${prepared.version}`;
  const of = { flavor: 'envoy', peer, protocol: 'sotw', server: 'scripted', chapter } as const;
  const pattern = new RegExp(only ?? '');
  const chosen = situationsOfReports().filter(({ name }) => pattern.test(name));
  if (chosen.length === 0) return;
  const workDir = path.join(options.workDir, `envoy-${prepared.version}-${chapter}-of-files`);
  mkdirSync(workDir, { recursive: true });
  const backends = await startBackends();
  const servers = ['127.0.0.1:1'] as const;
  const xdscope = await startXdscope({ vantage: 'admin', servers, entrances: servers, workDir });
  const rows: Row[] = [];
  try {
    for (const [index, situation] of chosen.entries()) {
      const running: Running[] = [];
      try {
        for (const [node, build] of Object.entries(situation.envoys)) {
          const dir = path.join(workDir, `${index}-${node}`);
          running.push(await start(node, build, { prepared, dir, backends }));
        }
        const found = await compare(situation, running, { xdscope, workDir });
        rows.push(...found);
        assertStatements(found);
        print(results.pass({ ...of, moment: situation.name }));
      } catch (error) {
        print(results.fail({ ...of, moment: situation.name }, error));
      } finally {
        await Promise.all(running.map(({ envoy }) => envoy.stop()));
      }
    }
  } finally {
    await xdscope.stop();
    for (const { server } of backends.values()) server?.close();
  }
  for (const line of matrixOf(rows)) print(`files: ${line}`);
  if (only !== undefined) return;
  const moment = 'statements of files that are unknown';
  try {
    assertKnown(rows);
    print(results.pass({ ...of, moment }));
  } catch (error) {
    print(results.fail({ ...of, moment }, error));
  }
}

interface Running {
  readonly node: string;
  readonly envoy: EnvoyProcess;
  readonly bootstrap: object;
  readonly requests: readonly Request[];
  readonly portOf: Tools['port'];
}

interface Parts extends Pick<Parameters<typeof runStatements>[0], 'prepared'> {
  readonly dir: string;
  readonly backends: ReadonlyMap<string, Backend>;
}

/** Resolves when the Envoy has answered each of its files. */
async function start(
  node: string,
  build: FileSituation['envoys'][string],
  { prepared, dir, backends }: Parts,
): Promise<Running> {
  mkdirSync(dir);
  const own = { web: await freePort(), other: await freePort() };
  const port = (name: string): number =>
    Object.entries(own).find(([of]) => of === name)?.[1] ?? backends.get(name)?.port ?? 0;
  const tools: Tools = { port, file: (type) => path.join(dir, `${type}.json`) };
  const { listeners, clusters, files = {}, requests }: Omit<Situation, 'name'> = build(tools);
  const written = Object.entries(files).flatMap(([type, [content]]) => {
    if (content === undefined) return [];
    writeFileSync(path.join(dir, `${type}.json`), JSON.stringify(content));
    return [type];
  });
  let bootstrap = {};
  const envoy = await startEnvoyProcess(prepared, dir, (adminPort) => {
    bootstrap = {
      node: { id: node, cluster: 'statements' },
      admin: { address: { socket_address: { address: '127.0.0.1', port_value: adminPort } } },
      static_resources: { listeners, clusters },
    };
    return bootstrap;
  });
  await waitUntil(`${node} has read ${written.length} files`, async () => {
    const response = await fetch(
      `http://${envoy.adminTarget}/stats?filter=${encodeURIComponent('update_(success|rejected)$')}`,
    );
    const counts = [...(await response.text()).matchAll(/: (\d+)$/gm)].map(([, value]) => Number(value));
    return counts.filter((count) => count > 0).length >= written.length;
  });
  return { node, envoy, bootstrap, requests, portOf: port };
}

async function compare(
  { name, documents }: FileSituation,
  running: readonly Running[],
  { xdscope, workDir }: { readonly xdscope: Xdscope; readonly workDir: string },
): Promise<Row[]> {
  const outcomes = new Map<string, Outcome[]>();
  for (const { node, requests, portOf } of running) {
    const own: Outcome[] = [];
    for (const request of requests) own.push(await outcomeOf(request, portOf));
    outcomes.set(node, own);
  }
  // Outlier detection ejects what failed.
  await new Promise((resolve) => setTimeout(resolve, settlingMs));
  const saved: Record<string, Saved> = {};
  for (const { node, envoy, bootstrap } of running) {
    const read = async <T>(question: string): Promise<T> =>
      (await (await fetch(`http://${envoy.adminTarget}/${question}`)).json()) as T;
    saved[node] = {
      bootstrap,
      dump: await read<Saved['dump']>('config_dump?include_eds'),
      hosts: await read<object>('clusters?format=json'),
    };
  }
  const rows: Row[] = [];
  for (const { file, nodes, content } of documents(saved)) {
    writeFileSync(path.join(workDir, file), JSON.stringify(content));
    const opened = await xdscope.open(file, content);
    await waitUntil('the config of the file is checked', async () => {
      const { checks } = await xdscope.get<IssuePage>('issues');
      const { total } = await xdscope.get<{ readonly total: number }>('clients');
      return checks.total === total && checks.checked === total;
    });
    for (const { node, requests } of running) {
      if (nodes?.includes(node) === false) continue;
      const ids = await xdscope.clientIds(node);
      const [id] = ids;
      if (id === undefined || ids.length > 1)
        throw new Error(`${file}: expected one client of the node ${node}, got ${ids.length}`);
      for (const [at, request] of requests.entries()) {
        const outcome = outcomes.get(node)?.[at];
        if (outcome === undefined) continue;
        const stated = await statementsOf(request, id, { outcome, outcomeOfAll: outcome }, xdscope);
        const about = `${file}, ${node} ${request.listener}${request.path}`;
        rows.push(...stated.map((each) => ({ situation: name, about, ...each })));
      }
    }
    await xdscope.removeFile(opened);
  }
  return rows;
}
