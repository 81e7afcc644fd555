import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { defaultTls } from '@/server/transport/grpc/credentials-config';
import { freePort } from '../../support/free-port';
import { waitUntil } from '../../support/wait-until';
import type { Account, AccountRow } from '../account';
import { startBackend } from '../backend';
import { checkServer, plainServerAt, saveCheckRuns } from '../check-server';
import { ConfigDir } from '../config-dir';
import { EnvoyAccount } from '../envoy/account';
import { callListeners } from '../envoy/start';
import { getJson } from '../get-json';
import { type ObservedEnvoy, ObservedEnvoys, type ObservedStoryOptions } from '../observed-envoys';
import type { MomentOf } from '../results';
import { findEntrances, type Servers, startXdscope } from '../xdscope';
import { type GatewayConfig, gatewayConfig, rejectedPatch, slowRule } from './config';
import { isAnswered, readGatewayLog } from './log';
import { issueCertificates, startGateway, xdsTarget } from './start';

const patienceMs = 60_000;

/**
 * The server checks that Envoy Gateway does not pass. Its snapshot cache is in ADS mode: a request in SotW for some of the resources is
 * not answered.
 */
const missed = ['S5', 'S8', 'S12', 'S17', 'S18', 'S21', 'S22', 'S23', 'S25', 'D5', 'D7', 'T2'];

/**
 * Envoy Gateway with the Envoy that it starts, which reaches it through two taps with mTLS. Rows are compared with config_dump
 * and with the log of Envoy Gateway, which has every answer.
 */
export async function runGatewayStory(options: ObservedStoryOptions): Promise<void> {
  const { controlPlane, envoy, idleMs, areChecksSaved, results, print } = options;
  const workDir = path.join(options.workDir, 'envoy-gateway');
  mkdirSync(workDir, { recursive: true });
  const of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol: 'delta' },
    ...{ server: `envoy-gateway ${controlPlane.version}`, chapter: 'envoy-gateway', moment: 'start' },
  };
  const observed: ObservedEnvoy[] = [];
  const story = new ObservedEnvoys(of, results, print, observed);
  const stops: (() => Promise<void> | void)[] = [];
  try {
    const backends = [await startBackend('envoy'), await startBackend('envoy')] as const;
    for (const backend of backends) stops.push(() => backend.close());
    const [web, admin] = [await freePort(), await freePort()];
    const config = new ConfigDir(path.join(workDir, 'config'));
    const usual = { envoyVersion: envoy.version, ports: { web, admin }, backendPort: backends[0].port };
    config.set('gateway', gatewayConfig(usual));
    const certificates = await issueCertificates(controlPlane, workDir);
    const { tapTls } = certificates;
    const observers: Pick<ObservedEnvoy, 'vantage' | 'xdscope'>[] = [];
    let entrances: Servers = [xdsTarget];
    for (const vantage of ['tap', 'admin', 'tap+admin'] as const) {
      const servers = entrances;
      entrances = await findEntrances(vantage, servers);
      const xdscope = await startXdscope({ vantage, servers, entrances, workDir, tapTls });
      stops.unshift(() => xdscope.stop());
      observers.push({ vantage, xdscope });
    }
    const adminPort = await freePort();
    const started = await startGateway(controlPlane, {
      ...{ certificates, config, workDir, adminPort, envoyVersion: envoy.version },
      envoyBinary: path.join(envoy.dir, 'envoy', '_bin', 'envoy'),
      entrance: entrances[0],
    });
    stops.unshift(() => started.stop());
    const adminTarget = `127.0.0.1:${adminPort}`;
    const { calls, stop } = callListeners({ 'shop/eg/web': web, 'shop/eg/admin': admin });
    stops.unshift(stop);
    const envoyAccount = new EnvoyAccount(adminTarget, 'delta');
    const account = {
      read: async (): Promise<Account> => ({
        rows: (await envoyAccount.read(readGatewayLog(started.logFile))).map(withContentVersion),
        calls: Object.fromEntries(calls),
      }),
    };
    const nodeId = await readNodeId(adminTarget);
    for (const { vantage, xdscope } of observers) {
      await xdscope.observe(adminTarget);
      await waitUntil(
        `xdscope (${vantage}) reports ${nodeId}`,
        () => xdscope.isReporting(nodeId),
        patienceMs,
      );
      observed.push({ vantage, xdscope, nodeId, adminTarget, account });
    }

    const changed = async (moment: string, change: () => void): Promise<void> => {
      story.begin(moment);
      const before = readGatewayLog(started.logFile).length;
      change();
      await waitUntil(
        'Envoy answers Envoy Gateway',
        async () => {
          const events = readGatewayLog(started.logFile);
          return events.slice(before).some(({ kind }) => kind === 'response') && isAnswered(events);
        },
        patienceMs,
      );
      await story.compare();
    };

    story.begin('first answers');
    await story.compare();
    const set = (more: Partial<GatewayConfig>) => config.set('gateway', gatewayConfig({ ...usual, ...more }));
    await changed('a rule is added to the route', () => set({ rules: slowRule }));
    await changed('the backend changes', () => set({ rules: slowRule, backendPort: backends[1].port }));
    await changed('a patched cluster is rejected', () => config.set('patch', rejectedPatch));
    await changed('the patch is removed', () => config.remove('patch'));
    await changed('a listener is removed', () => set({ ports: { web } }));
    await story.idle(idleMs);

    await changed('a rule is added again', () => set({ ports: { web }, rules: slowRule }));
    story.begin('each rule of the protocol that needs no change');
    const run = await checkServer(
      {
        ...{ name: 'Envoy Gateway', version: controlPlane.version, missed },
        server: { ...plainServerAt(xdsTarget), credentials: { ...defaultTls, ...tapTls.upstreamTls } },
        node: { id: 'server-checks', cluster: 'shop/eg' },
      },
      print,
    );
    if (areChecksSaved) saveCheckRuns([run]);
    story.pass();
  } catch (error) {
    story.fail(error);
  } finally {
    for (const stop of stops) await stop();
  }
}

/**
 * The log has nonces instead of versions. config_dump has the version with which the content came: Envoy Gateway sends
 * unchanged resources under other versions, which are hashes of maps in any order.
 */
function withContentVersion(row: AccountRow): AccountRow {
  const { answer, effect } = row;
  if (answer === undefined) return row;
  return { ...row, answer: { state: answer.state, version: '', contentVersion: effect?.version ?? '' } };
}

async function readNodeId(adminTarget: string): Promise<string> {
  const { node } = await getJson<{ readonly node: { readonly id: string } }>(
    `http://${adminTarget}/server_info`,
  );
  return node.id;
}
