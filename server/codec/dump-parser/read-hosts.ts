import { formatAddress } from '@/lib/model/address';
import type { FieldReader } from '@/lib/model/field-reader';
import { readHostReason } from '@/lib/model/host-health';
import type { ConnectionFigures } from '@/lib/observation/connection';
import type { HostState } from '@/lib/observation/connection-states';
import type { Locality } from '@/lib/observation/locality';
import { adminFields } from './admin-fields';

/** A host of a cluster in one answer of /clusters. */
export interface HostReport {
  /** Unique in the answer. */
  readonly id: string;
  readonly cluster: string;
  readonly address: string;
  readonly locality: Locality | null;
  readonly state: Exclude<HostState, 'CONNECT_FAILURE'>;
  /** True if Envoy itself found the state, by health checks or as an outlier, so that it is not the state in EDS. */
  readonly isMeasured: boolean;
  /** The reason for which Envoy excludes the host, beside its state; empty if there is no more to say. */
  readonly reason: string;
  /** null: this Envoy reports no counts of the host. Calls per second are not known yet. */
  readonly figures: ConnectionFigures | null;
}

interface HostReports {
  readonly hosts: readonly HostReport[];
  /** Hosts beyond the limit. */
  readonly leftOut: number;
}

/** Hosts of an Envoy beyond it are not shown among its connections. */
export const mostHosts = 20_000;

/** Reads `cluster_statuses` of /clusters. */
export function readHosts(statuses: readonly unknown[]): HostReports {
  const hosts: HostReport[] = [];
  const numbers = new Map<string, number>();
  let leftOut = 0;
  for (const status of statuses) {
    const fields = adminFields(status);
    const cluster = fields.string('name');
    for (const host of fields.objects('hostStatuses')) {
      const address = formatAddress(host.object('address'));
      if (address === '') continue;
      if (hosts.length >= mostHosts) {
        leftOut += 1;
        continue;
      }
      const locality = readLocality(host.object('locality'));
      const place = locality === null ? '' : `${locality.region}/${locality.zone}/${locality.subZone} `;
      const name = `host ${cluster} P${host.number('priority') ?? 0} ${place}${address}`;
      const number = (numbers.get(name) ?? 0) + 1;
      numbers.set(name, number);
      const id = number === 1 ? name : `${name} #${number}`;
      hosts.push({ id, cluster, address, locality, ...readState(host), figures: readFigures(host) });
    }
  }
  return { hosts, leftOut };
}

function readLocality(locality: FieldReader | undefined): Locality | null {
  if (locality === undefined) return null;
  const [region = '', zone = '', subZone = ''] = ['region', 'zone', 'subZone'].map((part) =>
    locality.string(part),
  );
  return region === '' && zone === '' && subZone === '' ? null : { region, zone, subZone };
}

const statesOfEds: Readonly<Record<string, HostReport['state']>> = {
  UNHEALTHY: 'UNHEALTHY',
  TIMEOUT: 'UNHEALTHY',
  DRAINING: 'DRAINING',
  DEGRADED: 'DEGRADED',
};

/** Flags of envoy.admin.v3.HostHealthStatus, the worst first. */
const flags: readonly (readonly [flag: string, state: HostReport['state']])[] = [
  ['failedOutlierCheck', 'EJECTED'],
  ['failedActiveHealthCheck', 'UNHEALTHY'],
  ['excludedViaImmediateHcFail', 'UNHEALTHY'],
  ['pendingActiveHc', 'UNHEALTHY'],
  ['failedActiveDegradedCheck', 'DEGRADED'],
];

function readState(host: FieldReader): Pick<HostReport, 'state' | 'isMeasured' | 'reason'> {
  const status = host.object('healthStatus');
  const [, measured] = flags.find(([flag]) => status?.boolean(flag)) ?? [];
  const reason = status === undefined ? '' : readHostReason(status);
  const isClear = measured === 'EJECTED' && reason === 'ejected by outlier detection';
  if (measured !== undefined) return { state: measured, isMeasured: true, reason: isClear ? '' : reason };
  const eds = statesOfEds[status?.enumName('edsHealthStatus', '') ?? ''] ?? 'HEALTHY';
  return { state: eds, isMeasured: false, reason };
}

function readFigures(host: FieldReader): ConnectionFigures | null {
  const counts = new Map(
    host.objects('stats').map((stat) => [stat.string('name'), stat.number('value') ?? 0] as const),
  );
  const [succeeded, failed] = ['rq_success', 'rq_error'].map((name) => counts.get(name));
  if (succeeded === undefined || failed === undefined) return null;
  // A shortened report may lack the total: at least the requests that ended were started.
  const started = counts.get('rq_total') ?? succeeded + failed;
  const countOf = (name: string): number | null => counts.get(name) ?? null;
  return {
    ...{ callsStarted: started, callsSucceeded: succeeded, callsFailed: failed },
    ...{ lastCallStartedAt: null, openStreams: countOf('rq_active'), callsPerSecond: null },
    ofHost: {
      openConnections: countOf('cx_active'),
      connections: countOf('cx_total'),
      failedConnections: countOf('cx_connect_fail'),
      timeouts: countOf('rq_timeout'),
      successRate: readSuccessRate(host),
    },
  };
}

/** Envoy writes a rate only if outlier detection computed one; a negative one in older versions. */
function readSuccessRate(host: FieldReader): number | null {
  const rate = host.object('successRate');
  const value = rate === undefined ? null : (rate.number('value') ?? 0);
  return value === null || value < 0 ? null : value;
}
