import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { Account, AccountRow, Fact } from '../account';
import { EnvoyAccount } from '../envoy/account';
import { getJson } from '../get-json';
import type { Istiod, Sidecar } from './peer';

interface Dump {
  readonly configs: readonly {
    readonly dynamic_active_clusters?: readonly { readonly cluster: { name: string; type?: string } }[];
    readonly dynamic_warming_clusters?: readonly { readonly cluster: { name: string; type?: string } }[];
    readonly dynamic_listeners?: readonly { readonly name: string }[];
    readonly dynamic_route_configs?: readonly { readonly route_config: { readonly name: string } }[];
    readonly static_route_configs?: readonly { readonly route_config: { readonly name?: string } }[];
  }[];
}

interface SyncStatus {
  readonly proxy: string;
  /** Empty for the probes, which have the node id of a sidecar. */
  readonly cluster_id?: string;
  readonly resources: Readonly<
    Record<string, { readonly sent?: string; readonly acked?: string; readonly lastError?: string }>
  >;
}

/** The resources that one sidecar holds according to its Envoy, and its answers according to istiod's /debug/syncz. */
export class SidecarAccount {
  readonly #sidecar: Sidecar;
  readonly #istiod: Istiod;

  readonly #envoy: EnvoyAccount;

  constructor(sidecar: Sidecar, istiod: Istiod) {
    this.#sidecar = sidecar;
    this.#istiod = istiod;

    this.#envoy = new EnvoyAccount(sidecar.adminTarget, 'delta');
  }

  async read(): Promise<Account> {
    const dump = await getJson<Dump>(`http://${this.#sidecar.adminTarget}/config_dump`);
    const effects = [...(await this.#envoy.read([])), ...listDuplicates(dump)];
    const status = await this.#readStatus();
    const sent = listSent(dump);
    const rows = effects.map((row): AccountRow => {
      if (sent.get(row.typeUrl)?.has(row.name) !== true) return row;
      const answer = answerOf(row.name, status[row.typeUrl]);
      return answer === undefined ? row : { ...row, answer };
    });
    return { rows, calls: {} };
  }

  /** True if istiod has an answer to everything that it sent. */
  async isAnswered(): Promise<boolean> {
    const types = Object.values(await this.#readStatus());
    return (
      types.length > 0 &&
      types.every(({ sent, acked, lastError }) => sent === acked || lastError !== undefined)
    );
  }

  /** Returns the status of the sidecar by type URL. */
  async #readStatus(): Promise<SyncStatus['resources']> {
    const all = await getJson<SyncStatus[]>(`http://${this.#istiod.http}/debug/syncz`);
    const own = all.find(
      ({ proxy, cluster_id: clusterId = '' }) => proxy === `${this.#sidecar.name}.shop` && clusterId !== '',
    );
    return own?.resources ?? {};
  }
}

/** istiod knows the answer to a type. A NACK names the rejected resources; of CDS and LDS the others take effect. */
function answerOf(name: string, status: SyncStatus['resources'][string] | undefined): Fact | undefined {
  if (status === undefined) return undefined;
  const { sent, acked, lastError = '' } = status;
  // Delta ADS of Istio has no versions of resources.
  const version = '';
  if (lastError !== '') return { state: lastError.includes(name) ? 'NACKED' : 'ACKED', version };
  return { state: sent === acked ? 'ACKED' : 'NO_ANSWER', version };
}

/** Inline route configs of several listeners have equal names, or none. xdscope numbers all but the first. */
function listDuplicates({ configs }: Dump): AccountRow[] {
  const counts = new Map<string, number>();
  return configs
    .flatMap((section) => section.static_route_configs ?? [])
    .flatMap(({ route_config: { name = '' } }) => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (count === 1) return [];
      const numbered = `${name === '' ? '(empty name)' : name} (duplicate ${count})`;
      return [
        {
          ...{ typeUrl: RDS.typeUrl, name: numbered, scope: '' },
          effect: { state: 'ACTIVE', version: '' } as const,
        },
      ];
    });
}

/** Returns the names of what istiod has sent, by type, and not those of pilot-agent or the bootstrap. */
function listSent({ configs }: Dump): ReadonlyMap<string, ReadonlySet<string>> {
  const clusters = configs
    .flatMap((section) => [
      ...(section.dynamic_active_clusters ?? []),
      ...(section.dynamic_warming_clusters ?? []),
    ])
    .map(({ cluster }) => cluster);
  const listeners = configs.flatMap((section) => section.dynamic_listeners ?? []);
  const routes = configs.flatMap((section) => section.dynamic_route_configs ?? []);
  const namesOf = (list: readonly { readonly name: string }[]) => new Set(list.map(({ name }) => name));
  return new Map([
    [CDS.typeUrl, namesOf(clusters)],
    [EDS.typeUrl, namesOf(clusters.filter(({ type }) => type === 'EDS'))],
    [LDS.typeUrl, namesOf(listeners)],
    [RDS.typeUrl, namesOf(routes.map(({ route_config }) => route_config))],
  ]);
}
