import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';
import type { historyPage } from '@/lib/api/history';
import { waitUntil } from '../../support/wait-until';
import { type Cell, compareChanges, compareRows, isEqual } from '../compare';
import type { Prepared } from '../peer';
import type { MomentOf, Results } from '../results';
import { findEntrances, startXdscope, type Vantage, type Xdscope } from '../xdscope';
import { getJson, SidecarAccount } from './account';
import { rejectedFilter, service, virtualService } from './config';
import { ConfigDir, type Istiod, type Sidecar, startIstiod, startSidecar } from './peer';

const patienceMs = 60_000;
/** How long cells may differ before the difference counts. */
const settleMs = 20_000;
/** xdscope polls Envoy and istiod at least twice in this time. */
const quietMs = 2_500;

export interface IstioStoryOptions {
  readonly istio: Prepared;
  readonly envoy: Prepared;
  readonly workDir: string;
  /** How long nothing may change at the end. */
  readonly idleMs: number;
  readonly results: Results;
  readonly print: (line: string) => void;
}

type HistoryEvent = z.infer<typeof historyPage>['items'][number];

interface Observed {
  readonly sidecar: Sidecar;
  readonly vantage: Vantage;
  readonly account: SidecarAccount;
}

/**
 * istiod with two sidecars: cart-1 behind a tap, checkout-1 with TLS. One xdscope polls istiod and both Envoys. Rows are
 * compared with config_dump and with istiod's own /debug/syncz.
 */
export async function runIstioStory(options: IstioStoryOptions): Promise<void> {
  const { istio, envoy, idleMs, results, print } = options;
  const workDir = path.join(options.workDir, 'istio');
  mkdirSync(workDir, { recursive: true });
  let of: MomentOf = {
    ...{ flavor: 'envoy', peer: `envoy ${envoy.version}`, protocol: 'delta' },
    ...{ server: `istio ${istio.version.slice(0, 21)}`, chapter: 'istio', moment: 'start' },
  };
  const stops: (() => Promise<void>)[] = [];
  try {
    const config = new ConfigDir(path.join(workDir, 'config'));
    const cart = { name: 'cart-1', ip: '127.0.1.1' };
    const checkout = { name: 'checkout-1', ip: '127.0.1.2' };
    config.set('cart', service('cart', [cart]));
    config.set('checkout', service('checkout', [checkout]));
    config.set('search', service('search', [checkout]));
    const istiod = await startIstiod(istio, config, workDir);
    stops.push(() => istiod.stop());
    const [tap] = await findEntrances('tap', [istiod.plain]);
    const xdscope = await startXdscope({
      ...{ vantage: 'tap+admin', servers: [istiod.plain], entrances: [tap], workDir },
      args: ['--no-lab', '--istiod', istiod.plain, '--istiod-interval', '500ms'],
    });
    stops.push(() => xdscope.stop());
    const binary = path.join(envoy.dir, 'envoy', '_bin', 'envoy');
    const observed: Observed[] = [];
    for (const [vantage, workload, entrance] of [
      ['istiod+tap+admin', cart, { tap }],
      ['istiod+admin', checkout, {}],
    ] as const) {
      const sidecar = await startSidecar(istio, {
        ...{ ...workload, istiod, envoy: binary, workDir },
        ...entrance,
      });
      stops.unshift(() => sidecar.stop());
      await xdscope.observe(sidecar.adminTarget);
      observed.push({ sidecar, vantage, account: new SidecarAccount(sidecar, istiod) });
    }

    const compare = async (moment: string): Promise<void> => {
      of = { ...of, moment };
      const cells = await compareAll(xdscope, observed, (cell) => results.findKnown(of, cell) !== undefined);
      for (const line of results.add(of, cells, { rows: [], calls: {} })) print(line);
    };
    const pushed = async (moment: string, change: () => void): Promise<void> => {
      of = { ...of, moment };
      const before = await versionOf(istiod);
      change();
      await waitUntil('istiod pushes', async () => (await versionOf(istiod)) !== before, patienceMs);
      for (const { account, sidecar } of observed)
        await waitUntil(`${sidecar.name} answers`, () => account.isAnswered(), patienceMs);
      await compare(moment);
    };

    await compare('first config');
    await pushed('a VirtualService is added', () => config.set('virtual-service', virtualService));
    await pushed('an EnvoyFilter is rejected', () => config.set('rejected', rejectedFilter));
    await pushed('the EnvoyFilter is removed', () => config.set('rejected', ''));
    await pushed('a service is removed', () => config.set('search', ''));

    of = { ...of, moment: 'idle' };
    for (const { sidecar } of observed)
      await waitUntil(`${sidecar.name} drains nothing`, () => isDrained(sidecar), patienceMs);
    const recorded = await listRecorded(xdscope, idleMs);
    print(`${of.server}: ${recorded.length} changes recorded in ${idleMs / 1_000} s without any`);
    for (const { sourceId, service, text } of recorded) print(`  ${sourceId} ${service ?? ''} ${text}`);
    const cells = observed.flatMap(({ sidecar, vantage }) => {
      const own = recorded.filter(({ nodeId }) => nodeId === sidecar.nodeId || nodeId === null);
      return compareChanges(vantage, new Set(own.map(({ typeUrl, kind }) => typeUrl ?? kind)));
    });
    for (const line of results.add(of, cells, { rows: [], calls: {} })) print(line);
    await compare('after the idle time');
  } catch (error) {
    print(results.fail(of, error));
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Compares until only reviewed differences remain, or the rest does not end. */
async function compareAll(
  xdscope: Xdscope,
  observed: readonly Observed[],
  isKnown: (cell: Cell) => boolean,
): Promise<readonly Cell[]> {
  const begin = Date.now();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const compared = observed.map(async ({ sidecar, vantage, account }) => {
      const rows = await account.read();
      return compareRows(vantage, { rows, calls: {} }, await xdscope.rows(sidecar.nodeId));
    });
    const cells = (await Promise.all(compared)).flat();
    const isOpen = cells.some((cell) => !isEqual(cell) && !isKnown(cell));
    if (!isOpen || Date.now() - begin > settleMs) return cells;
  }
}

/** The version of istiod's newest push. */
async function versionOf({ http }: Istiod): Promise<string> {
  const all = await getJson<readonly { readonly cluster_sent?: string }[]>(`http://${http}/debug/syncz`);
  return all.map(({ cluster_sent = '' }) => cluster_sent.split('/').slice(0, 2).join('/')).join(' ');
}

/** Envoy keeps replaced listeners and filter chains, with their routes, until their connections had time to end. */
async function isDrained({ adminTarget }: Sidecar): Promise<boolean> {
  const answer = await fetch(
    `http://${adminTarget}/stats?filter=^listener_manager.total_(listeners|filter_chains)_draining$`,
  );
  const counts = (await answer.text()).match(/\d+$/gm) ?? [];
  return counts.length === 2 && counts.every((count) => count === '0');
}

/** What the log records while nothing changes. */
async function listRecorded(xdscope: Xdscope, durationMs: number): Promise<HistoryEvent[]> {
  const newestSeq = await xdscope.newestSeq();
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  const { items } = await xdscope.get<z.infer<typeof historyPage>>('history?limit=1000');
  return items.filter(({ seq }) => seq > newestSeq);
}
