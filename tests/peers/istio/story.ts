import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeCost } from '@/lib/views/sources/describe-cost';
import type { SourcePage } from '@/lib/views/sources/schema';
import { waitUntil } from '../../support/wait-until';
import { checkServer, plainServerAt, saveCheckRuns } from '../check-server';
import { ConfigDir } from '../config-dir';
import { getJson } from '../get-json';
import { type ObservedEnvoy, ObservedEnvoys, type ObservedStoryOptions } from '../observed-envoys';
import type { MomentOf } from '../results';
import { findEntrances, startXdscope } from '../xdscope';
import { SidecarAccount } from './account';
import { rejectedFilter, service, virtualService } from './config';
import { type Istiod, startIstiod, startSidecar } from './peer';

const patienceMs = 60_000;

/** The server checks that istiod does not pass. */
const missed = ['S12', 'S18', 'S19', 'D1', 'D5', 'D7', 'D12', 'T1', 'T2'];

/**
 * istiod with two sidecars: cart-1 behind a tap, checkout-1 with TLS. One xdscope polls istiod, as a client of its namespace,
 * and both Envoys. Rows are compared with config_dump and with istiod's own /debug/syncz. Another one has probes with the
 * node of cart-1, and polls istiod without an identity.
 */
export async function runIstioStory(options: ObservedStoryOptions): Promise<void> {
  const { controlPlane, envoy, idleMs, areChecksSaved, results, print } = options;
  const workDir = path.join(options.workDir, 'istio');
  mkdirSync(workDir, { recursive: true });
  const of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol: 'delta' },
    ...{ server: `istio ${controlPlane.version.slice(0, 21)}`, chapter: 'istio', moment: 'start' },
  };
  const observed: (ObservedEnvoy & { readonly account: SidecarAccount })[] = [];
  const story = new ObservedEnvoys(of, results, print, observed);
  const stops: (() => Promise<void>)[] = [];
  try {
    const config = new ConfigDir(path.join(workDir, 'config'));
    const cart = { name: 'cart-1', ip: '127.0.1.1' };
    const checkout = { name: 'checkout-1', ip: '127.0.1.2' };
    config.set('cart', service('cart', [cart]));
    config.set('checkout', service('checkout', [checkout]));
    config.set('search', service('search', [checkout]));
    const istiod = await startIstiod(controlPlane, config, workDir);
    stops.push(() => istiod.stop());
    const [tap] = await findEntrances('tap', [istiod.plain]);
    const xdscope = await startXdscope({
      ...{ vantage: 'tap+admin', servers: [istiod.plain], entrances: [tap], workDir },
      args: ['--no-lab', '--istiod-interval', '500ms'],
      config: { istiod: [asIstioSystem(istiod, workDir)] },
    });
    stops.push(() => xdscope.stop());
    const probes = await startXdscope({
      ...{ vantage: 'csds', servers: [istiod.plain], entrances: [istiod.plain], workDir },
      args: [
        ...['--no-lab', '--istiod', istiod.plain, '--istiod-interval', '500ms'],
        ...['--ads', istiod.plain, '--ads-node-preset', 'istio:cart-1.shop', '--ads-cross-check'],
      ],
    });
    stops.push(() => probes.stop());
    const binary = path.join(envoy.dir, 'envoy', '_bin', 'envoy');
    for (const [vantage, workload, entrance] of [
      ['istiod+tap+admin', cart, { tap }],
      ['istiod+admin', checkout, {}],
    ] as const) {
      const sidecar = await startSidecar(controlPlane, {
        ...{ ...workload, istiod, envoy: binary, workDir },
        ...entrance,
      });
      stops.unshift(() => sidecar.stop());
      await xdscope.observe(sidecar.adminTarget);
      const { nodeId, adminTarget } = sidecar;
      const account = new SidecarAccount(sidecar, istiod);
      observed.push({ vantage, xdscope, nodeId, adminTarget, account });
    }

    const pushed = async (moment: string, change: () => void): Promise<void> => {
      story.begin(moment);
      const before = await versionOf(istiod);
      change();
      await waitUntil('istiod pushes', async () => (await versionOf(istiod)) !== before, patienceMs);
      for (const { nodeId, account } of observed)
        await waitUntil(`${nodeId} answers`, () => account.isAnswered(), patienceMs);
      await story.compare();
    };

    story.begin('first config');
    await story.compare();
    await pushed('a VirtualService is added', () => config.set('virtual-service', virtualService));
    await pushed('an EnvoyFilter is rejected', () => config.set('rejected', rejectedFilter));
    await pushed('the EnvoyFilter is removed', () => config.remove('rejected'));
    await pushed('a service is removed', () => config.remove('search'));
    await story.idle(idleMs, [probes]);

    story.begin('probes of both variants have received all of it on one stream each');
    for (const { id, kind, state, failures, notes } of (await probes.get<SourcePage>('sources')).items) {
      if (state !== 'up' || failures > 0 || (kind === 'ads' && notes.length > 0))
        throw new Error(`${id}: ${state}, ${failures} failures, ${notes.join('; ')}`);
    }
    story.pass();

    story.begin('istiod reports the config of each proxy although the probes have the name of one');
    for (const { id, kind, state, failures, notes, cost } of (await xdscope.get<SourcePage>('sources'))
      .items) {
      if (state !== 'up' || failures > 0 || (kind === 'istiod' && notes.length > 1))
        throw new Error(`${id}: ${state}, ${failures} failures, ${notes.join('; ')}`);
      if (cost === undefined) continue;
      print(`${id}: ${describeCost(cost, Date.now())}`);
      if (kind === 'istiod' && (cost.cpu?.share ?? 0) <= 0) throw new Error(`${id}: no CPU time of istiod`);
    }
    story.pass();

    story.begin('each rule of the protocol that needs no change');
    const run = await checkServer(
      {
        ...{ name: 'istiod', version: controlPlane.version.slice(1, 21), missed },
        server: plainServerAt(istiod.plain),
        node: {
          id: 'sidecar~127.0.1.3~checks-1.shop~shop.svc.cluster.local',
          metadata: { NAMESPACE: 'shop' },
        },
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

/** istiod, polled with a token of its own namespace. */
function asIstioSystem({ secure, monitoring, rootCertFile }: Istiod, workDir: string): object {
  const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
  const jwtTokenFile = path.join(workDir, 'xdscope-token');
  const claims = { sub: 'istio-system:xdscope', exp: Math.floor(Date.now() / 1_000) + 86_400 };
  writeFileSync(jwtTokenFile, `${part({ alg: 'none' })}.${part(claims)}.c2ln`);
  const tls = { caCertificateFile: rootCertFile, serverName: 'istiod.istio-system.svc' };
  const metricsPort = Number(monitoring.split(':')[1]);
  return { target: secure, tls, jwtTokenFile, metricsPort };
}

/** The version of istiod's newest push. */
async function versionOf({ http }: Istiod): Promise<string> {
  const all = await getJson<readonly { readonly cluster_sent?: string }[]>(`http://${http}/debug/syncz`);
  return all.map(({ cluster_sent = '' }) => cluster_sent.split('/').slice(0, 2).join('/')).join(' ');
}
