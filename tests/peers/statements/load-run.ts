import { get as getHttp } from 'node:http';
import type { ConnectionsPage } from '@/lib/views/connections/schema';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import { startScriptedServer } from '../control-plane';
import { bootstrapOf, http2, startEnvoyProcess } from '../envoy/start';
import { type EnvoyRunOptions, momentsOfEnvoy, runMoments } from '../moment-run';
import { findEntrances, startXdscope } from '../xdscope';
import { startBackends } from './backends';
import { allConnections, statementsOf } from './read-views';
import { describeRow, isWrong, matrixOf, type Outcome, type Row } from './rows';
import { socket } from './situation';
import { loadSituations, resourcesOf } from './situations-of-load';

export const chapter = 'load-statements';

const requestsSent = 20;

/**
 * Requests of an Envoy of which a tap and its load reports are known, and no admin interface, and what the views of xdscope state
 * of them.
 */
export async function runLoadStatements(options: EnvoyRunOptions): Promise<void> {
  const { prepared, print } = options;
  const rows: Row[] = [];
  await runMoments(momentsOfEnvoy(chapter, options), async (run) => {
    const { workDir } = run;
    const backends = await startBackends();
    run.stopAtEnd(() => [...backends.values()].forEach(({ server }) => void server?.close()));
    const web = await freePort();
    const situations = loadSituations((name) => backends.get(name)?.port ?? 0);
    const server = await startScriptedServer();
    run.stopAtEnd(() => server.close());
    for (const { typeUrl } of [CDS, EDS, LDS]) {
      const ofType = resourcesOf(situations, web).filter((each) => each.typeUrl === typeUrl);
      const encoded = ofType.map(({ name, body = {} }) => ({
        ...{ typeUrl, name, bytes: encodeBody(typeUrl, body) },
      }));
      await server.push(typeUrl, encoded, 'v1');
    }
    const lrsPort = await freePort();
    const servers = [server.target] as const;
    const entrances = await findEntrances('tap', servers);
    const args = ['--no-lab', '--lrs-listen', `127.0.0.1:${lrsPort}`, '--lrs-interval', '1s'];
    const xdscope = await startXdscope({ vantage: 'tap', servers, entrances, workDir, args });
    run.stopAtEnd(() => xdscope.stop());
    const client = { nodeId: chapter, servers: entrances, serverFeatures: [], workDir, listenerPorts: {} };
    const envoy = await startEnvoyProcess(prepared, workDir, (adminPort) =>
      withLoadReports(bootstrapOf({ ...client, protocol: 'sotw' }, adminPort), lrsPort),
    );
    run.stopAtEnd(() => envoy.stop());
    const outcomeOf = async (name: string): Promise<Outcome> => {
      const statuses: (number | undefined)[] = [];
      for (let sent = 0; sent < requestsSent; sent++) statuses.push(await statusOf(web, `/${name}`));
      const served = statuses.filter((status) => status === 200).length;
      if (served === requestsSent) return 'succeeds';
      return served === 0 ? 'fails' : 'some fail';
    };
    await waitUntil('Envoy serves', async () => (await statusOf(web, '/healthy')) === 200);
    const all = resourcesOf(situations, web).length;
    await waitUntil('xdscope reports what Envoy accepted', async () => {
      const accepted = (await xdscope.rows(chapter)).filter(({ state }) => state === 'ACKED');
      return accepted.length === all;
    });
    const [id = ''] = await xdscope.clientIds(chapter);
    const before = await xdscope.get<ConnectionsPage>(`clients/${id}/connections?${allConnections}`);
    for (const { name, title, notCountedBy } of situations) {
      run.moment = title;
      const outcome = await outcomeOf(name);
      const request = { listener: 'web', path: `/${name}`, clusters: [name] };
      const read = () =>
        statementsOf(request, id, { outcome, outcomeOfAll: outcome, before }, xdscope).then((stated) =>
          stated.map((each): Row => ({ situation: title, about: `web/${name}`, ...each })),
        );
      // Load reports arrive every second, and issues follow from a minute of them. Requests continue.
      let found: Row[] = [];
      await waitUntil(`the views state of ${name}: ${outcome}`, async () => {
        await outcomeOf(name);
        found = await read();
        return found.every((row) => row.view === 'issues' || row.stated === outcome);
      }).catch(() => undefined);
      rows.push(...found);
      const wrong = found.filter(isWrong);
      const lacksFact =
        notCountedBy === prepared.version && found.every(({ lacking }) => lacking !== undefined);
      const isSilent =
        outcome !== 'succeeds' && !lacksFact && found.every(({ stated }) => stated === 'unknown');
      const text = isSilent ? 'no view states more than "unknown"' : wrong.map(describeRow).join('; ');
      if (text === '') print(run.pass());
      else run.fail(new Error(text));
    }
  });
  for (const line of matrixOf(rows)) print(line);
}

function withLoadReports(bootstrap: object, port: number): object {
  const { static_resources: { clusters = [], ...resources } = {} } = bootstrap as {
    readonly static_resources?: { readonly clusters?: readonly object[] };
  };
  const name = 'load-reports';
  const grpc_services = [{ envoy_grpc: { cluster_name: name } }];
  const receiver = {
    ...{ name, type: 'STATIC', connect_timeout: '1s', typed_extension_protocol_options: http2 },
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(port) } }] }],
    },
  };
  return {
    ...bootstrap,
    cluster_manager: {
      load_stats_config: { api_type: 'GRPC', transport_api_version: 'V3', grpc_services },
    },
    static_resources: { ...resources, clusters: [...clusters, receiver] },
  };
}

function statusOf(port: number, url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    getHttp({ host: '127.0.0.1', port, path: url, agent: false }, (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode);
    }).on('error', () => resolve(undefined));
  });
}
