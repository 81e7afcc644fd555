import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { CDS, ECDS, LDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import { freePort } from '../support/free-port';
import { waitUntil } from '../support/wait-until';
import { bootstrapOf, startEnvoyProcess } from './envoy/start';
import { goControlPlane } from './go-control-plane/peer';
import type { Prepared } from './peer';
import type { MomentOf, Results } from './results';
import { startXdscope } from './xdscope';

export interface EcdsStoryOptions {
  readonly go: Prepared;
  readonly envoy: Prepared;
  readonly workDir: string;
  readonly results: Results;
  readonly print: (line: string) => void;
}

const nodeId = 'ecds-envoy';
const filter = 'filter-a';
const patienceMs = 60_000;

/**
 * An Envoy receives the config of an HTTP filter by ECDS from go-control-plane, in delta, through a tap. Probes of both variants
 * follow the listener to it. Rows are compared with what Envoy runs, and with what go-control-plane has sent.
 */
export async function runEcdsStory({
  go,
  envoy,
  results,
  print,
  ...options
}: EcdsStoryOptions): Promise<void> {
  const workDir = path.join(options.workDir, 'ecds');
  mkdirSync(workDir, { recursive: true });
  let of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol: 'delta', server: goControlPlane.name },
    ...{ chapter: 'ecds', moment: 'start' },
  };
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const server = await goControlPlane.start(go, { flavor: 'envoy', workDir });
    stops.unshift(() => server.close());
    const entrance = `127.0.0.1:${await freePort()}`;
    await server.push(CDS.typeUrl, [], '1');
    await server.push(LDS.typeUrl, [listener(await freePort())], '1');
    await server.push(ECDS.typeUrl, [filterConfig(1_000)], '1');
    const xdscope = await startXdscope({
      ...{ vantage: 'tap', servers: [server.target], entrances: [entrance], workDir },
      args: ['--no-lab', '--ads', server.target, '--ads-cross-check'],
    });
    stops.unshift(() => xdscope.stop());
    const client = await startEnvoyProcess(envoy, workDir, (port) =>
      bootstrapOf(
        {
          ...{ nodeId, servers: [entrance], protocol: 'delta' },
          ...{ workDir, listenerPorts: {}, serverFeatures: [] },
        },
        port,
      ),
    );
    stops.unshift(() => client.stop());

    /** The newest version of the filter config that go-control-plane has sent to Envoy. */
    const sentVersion = async () => {
      const events = await server.events();
      return events.findLast(({ kind, versions }) => kind === 'response' && versions?.[filter] !== undefined)
        ?.versions?.[filter];
    };
    const running = async () => {
      const response = await fetch(`http://${client.adminTarget}/config_dump?resource=ecds_filters`);
      return /"max_request_bytes": (\d+)/.exec(await response.text())?.[1];
    };
    const rowOf = async (client: string) => {
      const rows = await xdscope.rows(client);
      return rows.find(({ typeUrl, name }) => typeUrl === ECDS.typeUrl && name === filter);
    };
    const isTapped = async (state: string) => {
      const row = await rowOf(nodeId);
      return row?.state === state && (state !== 'ACKED' || row.version === (await sentVersion()));
    };
    /** Both probes have the same payload, in state of the world under the version of the push. */
    const isProbed = async (version: string) => {
      const [sotw, delta] = await Promise.all(
        ['', '?transport=delta-ads'].map((variant) => rowOf(`xdscope-probe@${server.target}${variant}`)),
      );
      const isAccepted = sotw?.state === 'ACKED' && delta?.state === 'ACKED';
      return isAccepted && sotw.version === version && sotw.hash === delta.hash;
    };
    const moment = async (name: string, ...conditions: (() => Promise<boolean>)[]) => {
      of = { ...of, moment: name };
      for (const condition of conditions) await waitUntil(name, condition, patienceMs);
      print(results.pass(of));
    };

    await moment(
      'the filter config is ACKED',
      async () => (await running()) === '1000',
      () => isTapped('ACKED'),
      () => isProbed('1'),
    );
    await server.push(ECDS.typeUrl, [filterConfig(undefined)], '2');
    await moment(
      'a filter config without a required field is NACKED',
      async () =>
        (await server.events()).some(({ kind, typeUrl }) => kind === 'nack' && typeUrl === ECDS.typeUrl),
      () => isTapped('NACKED'),
      // A probe observes, and sends no NACK.
      () => isProbed('2'),
    );
    if ((await running()) !== '1000')
      throw new Error('Envoy does not run the filter config of the first push');
    await server.push(ECDS.typeUrl, [filterConfig(3_000)], '3');
    await moment(
      'the next filter config is ACKED',
      async () => (await running()) === '3000',
      () => isTapped('ACKED'),
      () => isProbed('3'),
    );
    const nacks = (await server.events()).filter(({ kind }) => kind === 'nack');
    if (nacks.length !== 1) throw new Error(`expected the NACK of Envoy alone, got ${nacks.length} NACKs`);
  } catch (error) {
    print(results.fail(of, error));
  } finally {
    for (const stop of stops) await stop();
  }
}

const filters = 'type.googleapis.com/envoy.extensions.filters';
const buffer = `${filters}.http.buffer.v3.Buffer`;

function filterConfig(maxRequestBytes: number | undefined): Resource {
  const json = { name: filter, typedConfig: { '@type': buffer, maxRequestBytes } };
  return { typeUrl: ECDS.typeUrl, name: filter, bytes: encodeBody(ECDS.typeUrl, json) };
}

function listener(portValue: number): Resource {
  const configSource = { ads: {}, resourceApiVersion: 'V3' };
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: 'svc-a',
    routeConfig: {
      virtualHosts: [
        {
          ...{ name: 'all', domains: ['*'] },
          routes: [{ match: { prefix: '/' }, directResponse: { status: 200 } }],
        },
      ],
    },
    httpFilters: [
      { name: filter, configDiscovery: { configSource, typeUrls: [buffer] } },
      { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } },
    ],
  };
  const json = {
    name: 'svc-a',
    address: { socketAddress: { address: '127.0.0.1', portValue } },
    filterChains: [{ filters: [{ name: 'http', typedConfig: manager }] }],
  };
  return { typeUrl: LDS.typeUrl, name: 'svc-a', bytes: encodeBody(LDS.typeUrl, json) };
}
