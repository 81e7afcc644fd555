import { by } from '../../collections/compare';
import { heldBody, inEffect } from '../../facts/effect';
import {
  type Breaker,
  type Failing,
  type FailingLoad,
  findBreaker,
  findFailure,
  isNoFailing,
  noFailing,
} from '../../facts/failing-endpoints';
import { compareNames } from '../../format/compare-names';
import { findClustersWithoutEds } from '../../model/clusters-without-eds';
import { type LoadAssignment, withFailures } from '../../model/endpoints';
import {
  assignmentOfHosts,
  type HostHealthModel,
  hostHealthTypeUrl,
  withHostHealth,
} from '../../model/host-health';
import type { ModelOf } from '../../model/model-of';
import type { ResourceModel } from '../../model/parse-resource';
import { type Doubt, isInDoubt } from '../../observation/effect-stage';
import type { ResourceRow } from '../../observation/resource-row';
import type { ResourceKey } from '../../observation/resource-state';
import { type FileEvidence, readFileEvidence, whyNotInFile } from '../../resolve/not-in-file';
import { CDS, EDS, LDS, normaliseTypeUrl, RDS } from '../../xds/resource-type';
import { describeRejection } from '../client/describe-rejection';

export interface ReportedResource {
  /** The type URL with the prefix "type.googleapis.com/". */
  readonly typeUrl: string;
  readonly row: ResourceRow;
  /** undefined if no body was reported, or if it cannot be decoded. */
  readonly model: ResourceModel | undefined;
  /** The hash of the body that the model was read from. */
  readonly hash?: string | undefined;
}

export class ReportedResources {
  readonly #byType = new Map<string, Map<string, ReportedResource>>();
  readonly #withoutEds: ReadonlySet<string>;

  #evidence: FileEvidence | undefined;

  readonly #failing: Failing;
  /** The clusters to which TCP proxies forward connections. */
  readonly #tcpClusters: ReadonlySet<string>;
  /** A filter may write metadata by which subsets of hosts are chosen. */
  readonly setsLbMetadata: boolean;

  constructor(rows: readonly ResourceRow[], modelOf: ModelOf, failing: Failing = noFailing) {
    this.#failing = failing;
    for (const row of rows) {
      if (isOfWholeType(row)) continue;
      const typeUrl = normaliseTypeUrl(row.typeUrl);
      const ofType = this.#byType.get(typeUrl) ?? new Map<string, ReportedResource>();
      this.#byType.set(typeUrl, ofType);
      if (ofType.has(row.name)) continue;
      const hash = heldBody(row);
      ofType.set(row.name, {
        typeUrl,
        row,
        hash,
        model: hash === undefined ? undefined : modelOf(hash, typeUrl),
      });
    }
    const listeners = [...(this.#byType.get(LDS.typeUrl)?.values() ?? [])];
    const chains = listeners.flatMap(({ model }) => (model?.kind === 'listener' ? model.filterChains : []));
    this.#tcpClusters = new Set(chains.flatMap(({ tcpClusters }) => tcpClusters.map(({ name }) => name)));
    this.setsLbMetadata = chains.some(
      ({ setsLbMetadata, managers }) =>
        setsLbMetadata ||
        managers.some(({ httpFilters }) => httpFilters.some(({ lbMetadataDoubt }) => lbMetadataDoubt)),
    );
    this.#joinHostHealth();
    this.#withoutEds = findClustersWithoutEds(
      [...(this.#byType.get(CDS.typeUrl) ?? [])].map(([name, { model }]) => [name, model]),
    );
    if (!isNoFailing(failing)) this.#joinFailures();
  }

  /** Marks an endpoint that fails in every cluster that has it. */
  #joinFailures(): void {
    const clustersOf = new Map<string, string[]>();
    for (const [name, { model }] of this.#byType.get(CDS.typeUrl) ?? []) {
      if (model?.kind !== 'cluster' || model.discovery.kind !== 'eds') continue;
      const { serviceName } = model.discovery;
      clustersOf.set(serviceName, [...(clustersOf.get(serviceName) ?? []), name]);
    }
    const endpoints = this.#byType.get(EDS.typeUrl) ?? new Map<string, ReportedResource>();
    for (const [name, reported] of endpoints) {
      if (reported.model?.kind !== 'endpoints') continue;
      const clusters = clustersOf.get(name) ?? [name];
      const findOfAll = (address: string) => {
        const [first, ...others] = clusters.map((cluster) => findFailure(this.#failing, cluster, address));
        return others.every((each) => each === first) ? first : undefined;
      };
      const [only] = clusters.length === 1 ? clusters : [];
      const model = withFailures(
        reported.model,
        findOfAll,
        only === undefined ? undefined : this.loadOf(only),
      );
      endpoints.set(name, { ...reported, model });
    }
  }

  /** The endpoints in a cluster, with the failures that the client measured. */
  withFailures(cluster: string, assignment: LoadAssignment): LoadAssignment {
    return withFailures(
      assignment,
      (address) =>
        this.#validatesNameOfRequest(cluster) ? undefined : findFailure(this.#failing, cluster, address),
      this.loadOf(cluster),
    );
  }

  /** Connections for another name than that of a request may fail. */
  #validatesNameOfRequest(cluster: string): boolean {
    const model = this.find(CDS.typeUrl, cluster)?.model;
    return model?.kind === 'cluster' && model.validatesNameOfRequest === true;
  }

  /** The circuit breaker of a cluster that rejects requests; undefined: it does not. */
  breakerOf(cluster: string): Breaker | undefined {
    return findBreaker(this.#failing.breakers, cluster, this.#tcpClusters.has(cluster));
  }

  /** What load reports show to fail of a cluster; undefined: nothing. */
  loadOf(cluster: string): FailingLoad | undefined {
    return this.#failing.loads.get(cluster);
  }

  /** Gives endpoints the health that an Envoy reports of its hosts. */
  #joinHostHealth(): void {
    const healths = this.#byType.get(hostHealthTypeUrl);
    if (healths === undefined) return;
    const endpoints = this.#byType.get(EDS.typeUrl) ?? new Map<string, ReportedResource>();
    this.#byType.set(EDS.typeUrl, endpoints);
    for (const hosts of healths.values()) {
      const { row, model } = hosts;
      if (model?.kind !== 'host-health') continue;
      const name = model.serviceName || row.name;
      const reported = endpoints.get(name);
      // A config dump need not list EDS resources.
      if (reported === undefined) endpoints.set(name, { ...hosts, model: endpointsOfHosts(name, model) });
      if (reported?.model?.kind !== 'endpoints') continue;
      endpoints.set(name, { ...reported, model: withHostHealth(reported.model, model.hosts) });
    }
  }

  find(typeUrl: string, name: string): ReportedResource | undefined {
    return this.#byType.get(typeUrl)?.get(name);
  }

  /** The endpoints that Envoy lists for a cluster without EDS. */
  findOwnEndpoints(cluster: string): ReportedResource | undefined {
    return this.#withoutEds.has(cluster) ? this.find(EDS.typeUrl, cluster) : undefined;
  }

  /**
   * Returns true if Envoy lists the resource although another one contains it: endpoints of a cluster without EDS,
   * and route configurations that are inline in a listener, which are listed as static ones.
   */
  isPartOfAnother({ typeUrl, row }: ReportedResource): boolean {
    if (typeUrl === EDS.typeUrl) return this.#withoutEds.has(row.name);
    return typeUrl === RDS.typeUrl && row.isStatic && this.reports(LDS.typeUrl);
  }

  /** Returns true if any resource of this type is reported. Envoy leaves out EDS unless it is requested. */
  reports(typeUrl: string): boolean {
    return this.#byType.has(typeUrl);
  }

  /** Returns why it is not known if the client has a resource that no row states; empty: it does not have it. */
  whyNotInFile({ typeUrl, name }: ResourceKey): string {
    this.#evidence ??= readFileEvidence((each) =>
      [...(this.#byType.get(each)?.values() ?? [])].map(({ row }) => row),
    );
    return whyNotInFile(typeUrl, this.#evidence, this.find(hostHealthTypeUrl, name) !== undefined);
  }

  /** Returns the resources of a type, sorted by name. */
  ofType(typeUrl: string): ReportedResource[] {
    const reported = [...(this.#byType.get(typeUrl)?.values() ?? [])];
    return reported.sort(by((each) => each.row.name, compareNames));
  }
}

function endpointsOfHosts(clusterName: string, hosts: HostHealthModel): ResourceModel {
  const typeUrl = EDS.typeUrl;
  return {
    ...{ kind: 'endpoints', ...assignmentOfHosts(hosts), clusterName },
    ...{ typeUrl, name: clusterName, notes: [], embedded: [] },
  };
}

function isOfWholeType({ name, hash }: ResourceRow): boolean {
  return name === '' && hash === null;
}

/** Returns why the status is bad; empty if it is not. */
export function explainStatus({ row }: ReportedResource): string {
  const details = describeRejection(row);
  switch (row.state) {
    case 'ACKED':
    case 'ACTIVE':
    case 'REQUESTED':
      return '';
    case 'WARMING':
      return 'not in use: Envoy waits for resources that it depends on';
    case 'DRAINING':
      return 'existing connections may finish';
    case 'NO_ANSWER':
      return `version ${row.unanswered?.versionInfo ?? ''} was sent and is not answered`;
    case 'DOES_NOT_EXIST':
      return details || 'requested; not found on the management server';
    case 'TIMEOUT':
      return details || 'requested; no response before the timeout';
    default:
      return details;
  }
}

const doubtTexts: Readonly<Record<Doubt, string>> = {
  deleted: 'deleted: whether the client keeps it is not known',
  rejected: 'an update rejected: whether the last good config is kept is not known',
  'added-again': 'added again: whether it is in use is not known',
  replaced: '',
  'not-recorded': 'messages were not recorded: whether it has changed is not known',
  configured: 'configured, not reported',
  'without-endpoints': 'rejected after its cluster changed: whether the cluster has endpoints is not known',
};

/** Describes what the status means for the config that is shown; empty if that is the config in effect. */
export function describeReported({ row, model }: ReportedResource): string {
  const rejected = row.errorState?.versionInfo ?? '';
  if (model !== undefined && row.doubt && isInDoubt(row)) return doubtTexts[row.doubt];
  switch (row.clientStatus) {
    case 'NACKED':
      // A config dump contains a secret that waits for its first accepted update.
      if (inEffect(row).kind === 'none')
        return `${rejected === '' ? 'rejected' : `version ${rejected} rejected`}, nothing in effect`;
      if (model === undefined) return rejected === '' ? 'rejected' : `version ${rejected} rejected`;
      if (row.errorState?.mayBeInEffect)
        return `version ${rejected} rejected, a part of the response is in effect`;
      return `${rejected === '' ? 'an update' : `version ${rejected}`} rejected, last good${row.versionInfo === '' ? '' : ` ${row.versionInfo}`}`;
    case 'REQUESTED':
      return model === undefined ? 'none accepted yet' : 'update requested';
    case 'DOES_NOT_EXIST':
      return model === undefined ? 'does not exist' : 'deleted, last config kept';
    default:
      if (model !== undefined) return '';
      return row.hash === null ? 'no config reported' : 'config cannot be read';
  }
}
