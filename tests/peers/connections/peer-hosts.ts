import type { ReportedState } from '@/lib/observation/connection-states';
import { getJson } from '../get-json';

interface Clusters {
  readonly cluster_statuses?: readonly {
    readonly name: string;
    readonly host_statuses?: readonly {
      readonly address: { readonly socket_address: { readonly port_value: number } };
      readonly stats: readonly { readonly name: string; readonly value?: string }[];
      readonly health_status: {
        readonly failed_outlier_check?: boolean;
        readonly eds_health_status?: string;
      };
    }[];
  }[];
}

/** The states of hosts as an Envoy itself reports them. */
export class PeerHosts {
  readonly #adminTarget: string;

  constructor(adminTarget: string) {
    this.#adminTarget = adminTarget;
  }

  /** Returns the states of the hosts with the address. */
  async statesOf(address: string): Promise<ReportedState[]> {
    const { cluster_statuses = [] } = await getJson<Clusters>(
      `http://${this.#adminTarget}/clusters?format=json`,
    );
    const hosts = cluster_statuses.flatMap(({ host_statuses = [] }) => host_statuses);
    const own = hosts.filter((host) => address.endsWith(`:${host.address.socket_address.port_value}`));
    return own.map(({ stats, health_status: { failed_outlier_check, eds_health_status } }) => {
      const count = (name: string): number => Number(stats.find((stat) => stat.name === name)?.value ?? 0);
      if (failed_outlier_check === true) return 'EJECTED';
      if (eds_health_status === 'DRAINING') return 'DRAINING';
      return count('cx_connect_fail') > 0 && count('rq_total') === 0 ? 'CONNECT_FAILURE' : 'HEALTHY';
    });
  }

  close(): void {}
}
