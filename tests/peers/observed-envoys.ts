import type { z } from 'zod';
import type { historyPage } from '@/lib/views/history/schema';
import { waitUntil } from '../support/wait-until';
import type { Account } from './account';
import { type Cell, compareChanges, compareRequests, compareRows, isEqual } from './compare';
import { getJson } from './get-json';
import type { Prepared } from './peer';
import type { MomentOf, Results } from './results';
import type { Vantage, Xdscope } from './xdscope';

const patienceMs = 120_000;
/** The time for which cells may differ before the difference counts. */
const settleMs = 20_000;
/** xdscope polls Envoy and istiod at least twice in this time. */
const quietMs = 2_500;
/** The polls between the end of a drain and idle time, in which xdscope reads each document of Envoy at least once. */
const pollsAfterDrain = 20;

export interface ObservedStoryOptions {
  readonly controlPlane: Prepared;
  readonly envoy: Prepared;
  readonly workDir: string;
  /** The time in which nothing may change at the end. */
  readonly idleMs: number;
  /** The results of the server checks replace those that ship with xdscope. */
  readonly areChecksSaved: boolean;
  readonly results: Results;
  readonly print: (line: string) => void;
}

/** One Envoy from one vantage. */
export interface ObservedEnvoy {
  readonly vantage: Vantage;
  readonly xdscope: Xdscope;
  readonly nodeId: string;
  readonly adminTarget: string;
  /** The same object for all vantages of one Envoy. */
  readonly account: { read(): Promise<Account> };
}

type HistoryEvent = z.infer<typeof historyPage>['items'][number];

/** The moments of a story in which a control plane computes the config of its Envoys itself. */
export class ObservedEnvoys {
  #of: MomentOf;
  readonly #results: Results;
  readonly #print: (line: string) => void;
  readonly #observed: readonly ObservedEnvoy[];

  constructor(
    of: MomentOf,
    results: Results,
    print: (line: string) => void,
    observed: readonly ObservedEnvoy[],
  ) {
    this.#of = of;
    this.#results = results;
    this.#print = print;
    this.#observed = observed;
  }

  /** The moment that an error is of, from now on. */
  begin(moment: string): void {
    this.#of = { ...this.#of, moment };
  }

  fail(error: unknown): void {
    this.#print(this.#results.fail(this.#of, error));
  }

  pass(): void {
    this.#print(this.#results.pass(this.#of));
  }

  /** Compares until only reviewed differences remain, or the rest does not end. */
  async compare(): Promise<void> {
    const begin = Date.now();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, quietMs));
      const cells = await this.#compareOnce();
      if (this.#areOpen(cells) && Date.now() - begin <= settleMs) continue;
      return this.#add(cells);
    }
  }

  /** A difference is not reviewed. */
  #areOpen(cells: readonly Cell[]): boolean {
    return cells.some((cell) => !isEqual(cell) && this.#results.findKnown(this.#of, cell) === undefined);
  }

  /**
   * Nothing may be recorded while nothing changes, nor by the `others`. Begins when the Envoys have drained what they no longer
   * use, and xdscope has read that.
   */
  async idle(durationMs: number, others: readonly Xdscope[] = []): Promise<void> {
    this.begin('idle');
    for (const { adminTarget } of this.#observed)
      await waitUntil(`${adminTarget} drains nothing`, () => isDrained(adminTarget), patienceMs);
    const isRead = async () => !this.#areOpen(await this.#compareOnce());
    await waitUntil('what was drained is read', isRead, patienceMs);
    const xdscopes = [...new Set([...this.#observed.map(({ xdscope }) => xdscope), ...others])];
    const recorded = await Promise.all(xdscopes.map((xdscope) => listRecorded(xdscope, durationMs)));
    const all = recorded.flat();
    this.#print(`${this.#of.server}: ${all.length} changes recorded in ${durationMs / 1_000} s without any`);
    for (const { sourceId, nodeId, service, text } of all)
      this.#print(`  ${sourceId} ${nodeId ?? ''} ${service ?? ''} ${text}`);
    const clientIds = await Promise.all(
      this.#observed.map(({ xdscope, nodeId }) => xdscope.clientIds(nodeId)),
    );
    const eventsOf = (xdscope: Xdscope) => recorded[xdscopes.indexOf(xdscope)] ?? [];
    const changesOf = (vantage: Vantage, events: readonly HistoryEvent[]) =>
      compareChanges(vantage, new Set(events.map(({ typeUrl, kind }) => typeUrl ?? kind)));
    this.#add([
      ...this.#observed.flatMap(({ vantage, xdscope }, index) => {
        // An event of none of the Envoys, such as a change of a probe, counts for each of them.
        const isOwn = ({ clientId }: HistoryEvent): boolean =>
          clientId === undefined ||
          clientIds[index]?.includes(clientId) === true ||
          !clientIds.flat().includes(clientId);
        return changesOf(vantage, eventsOf(xdscope).filter(isOwn));
      }),
      ...others.flatMap((xdscope) => changesOf(xdscope.vantage, eventsOf(xdscope))),
    ]);
    this.begin('after the idle time');
    await this.compare();
  }

  async #compareOnce(): Promise<readonly Cell[]> {
    const accounts = new Map(
      await Promise.all(
        [...new Set(this.#observed.map(({ account }) => account))].map(
          async (account) => [account, await account.read()] as const,
        ),
      ),
    );
    const compared = this.#observed.map(async ({ vantage, xdscope, nodeId, account: key }) => {
      const account = accounts.get(key) ?? { rows: [], calls: {} };
      return [
        ...compareRows(vantage, account, await xdscope.rows(nodeId)),
        ...compareRequests(vantage, account, await xdscope.requests(nodeId, Object.keys(account.calls))),
      ];
    });
    return (await Promise.all(compared)).flat();
  }

  #add(cells: readonly Cell[]): void {
    for (const line of this.#results.add(this.#of, cells, { rows: [], calls: {} })) this.#print(line);
  }
}

/**
 * Envoy keeps replaced listeners and filter chains until their connections had time to end, and their routes until these are
 * deleted.
 */
async function isDrained(adminTarget: string): Promise<boolean> {
  const answer = await fetch(
    `http://${adminTarget}/stats?filter=^listener_manager.total_(listeners|filter_chains)_draining$`,
  );
  const counts = (await answer.text()).match(/\d+$/gm) ?? [];
  if (counts.length !== 2 || counts.some((count) => count !== '0')) return false;
  const { configs } = await getJson<ListenersAndRoutes>(`http://${adminTarget}/config_dump`);
  const listeners = configs.flatMap((each) => each.dynamic_listeners ?? []);
  const used = JSON.stringify(listeners.map(({ active_state: active }) => active));
  const routes = configs.flatMap((each) => each.dynamic_route_configs ?? []);
  const names = routes.map(({ route_config: { name } }) => name);
  return (
    new Set(names).size === names.length &&
    names.every((name) => used.includes(`"route_config_name":${JSON.stringify(name)}`))
  );
}

interface ListenersAndRoutes {
  readonly configs: readonly {
    readonly dynamic_listeners?: readonly { readonly active_state?: object }[];
    readonly dynamic_route_configs?: readonly { readonly route_config: { readonly name: string } }[];
  }[];
}

/** Returns the events that the log records while nothing changes, after the first polls. */
async function listRecorded(xdscope: Xdscope, durationMs: number): Promise<HistoryEvent[]> {
  const before = await xdscope.polls();
  const isPolled = async () => (await xdscope.polls()) >= before + pollsAfterDrain;
  await waitUntil('what was drained is polled', isPolled, patienceMs);
  const newestSeq = await xdscope.newestSeq();
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  const { items } = await xdscope.get<z.infer<typeof historyPage>>('history?limit=1000');
  return items.filter(({ seq }) => seq > newestSeq);
}
