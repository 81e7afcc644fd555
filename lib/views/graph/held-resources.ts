import { by } from '../../collections/compare';
import { heldBody } from '../../facts/effect';
import { compareNames } from '../../format/compare-names';
import {
  assignmentOfHosts,
  type HostHealthModel,
  hostHealthTypeUrl,
  withHostHealth,
} from '../../model/host-health';
import type { ModelOf } from '../../model/model-of';
import { findClustersWithoutEds } from '../../model/own-endpoints';
import type { ResourceModel } from '../../model/parse-resource';
import { type Doubt, isInDoubt } from '../../observation/effect-stage';
import type { ResourceRow } from '../../observation/resource-row';
import { CDS, EDS, LDS, normaliseTypeUrl, RDS } from '../../xds/resource-type';
import { describeRejection } from '../client/describe-rejection';

export interface HeldResource {
  /** The type URL with the prefix "type.googleapis.com/". */
  readonly typeUrl: string;
  readonly row: ResourceRow;
  /** undefined if no body was reported, or if it cannot be decoded. */
  readonly model: ResourceModel | undefined;
  /** The hash of the body that the model was read from. */
  readonly hash?: string | undefined;
}

export class HeldResources {
  readonly #byType = new Map<string, Map<string, HeldResource>>();
  readonly #withoutEds: ReadonlySet<string>;

  constructor(rows: readonly ResourceRow[], modelOf: ModelOf) {
    for (const row of rows) {
      if (isOfWholeType(row)) continue;
      const typeUrl = normaliseTypeUrl(row.typeUrl);
      const ofType = this.#byType.get(typeUrl) ?? new Map<string, HeldResource>();
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
    this.#joinHostHealth();
    this.#withoutEds = findClustersWithoutEds(
      [...(this.#byType.get(CDS.typeUrl) ?? [])].map(([name, { model }]) => [name, model]),
    );
  }

  /** Gives endpoints the health that an Envoy reports of its hosts. */
  #joinHostHealth(): void {
    const reported = this.#byType.get(hostHealthTypeUrl);
    if (reported === undefined) return;
    const endpoints = this.#byType.get(EDS.typeUrl) ?? new Map<string, HeldResource>();
    this.#byType.set(EDS.typeUrl, endpoints);
    for (const hosts of reported.values()) {
      const { row, model } = hosts;
      if (model?.kind !== 'host-health') continue;
      const name = model.serviceName || row.name;
      const held = endpoints.get(name);
      // A config dump need not list EDS resources.
      if (held === undefined) endpoints.set(name, { ...hosts, model: endpointsOfHosts(name, model) });
      if (held?.model?.kind !== 'endpoints') continue;
      endpoints.set(name, { ...held, model: withHostHealth(held.model, model.hosts) });
    }
  }

  find(typeUrl: string, name: string): HeldResource | undefined {
    return this.#byType.get(typeUrl)?.get(name);
  }

  /** The endpoints that Envoy lists for a cluster without EDS. */
  findOwnEndpoints(cluster: string): HeldResource | undefined {
    return this.#withoutEds.has(cluster) ? this.find(EDS.typeUrl, cluster) : undefined;
  }

  /**
   * Returns true if Envoy lists the resource although another one contains it: endpoints of a cluster without EDS,
   * and route configurations that are inline in a listener, which are listed as static ones.
   */
  isPartOfAnother({ typeUrl, row }: HeldResource): boolean {
    if (typeUrl === EDS.typeUrl) return this.#withoutEds.has(row.name);
    return typeUrl === RDS.typeUrl && row.isStatic && this.reports(LDS.typeUrl);
  }

  /** Returns true if any resource of this type is reported. Envoy leaves out EDS unless it is requested. */
  reports(typeUrl: string): boolean {
    return this.#byType.has(typeUrl);
  }

  /** Returns the resources of a type, sorted by name. */
  ofType(typeUrl: string): HeldResource[] {
    const held = [...(this.#byType.get(typeUrl)?.values() ?? [])];
    return held.sort(by((each) => each.row.name, compareNames));
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
export function explainStatus({ row }: HeldResource): string {
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
  'without-endpoints': 'rejected after its cluster changed: whether the cluster has endpoints is not known',
};

/** Describes what the status means for the config that is shown; empty if that is the config in effect. */
export function describeHeld({ row, model }: HeldResource): string {
  const rejected = row.errorState?.versionInfo ?? '';
  if (model !== undefined && row.doubt && isInDoubt(row)) return doubtTexts[row.doubt];
  switch (row.clientStatus) {
    case 'NACKED':
      if (model === undefined) return rejected === '' ? 'rejected' : `version ${rejected} rejected`;
      if (row.errorState?.mayBeInEffect)
        return `version ${rejected} rejected, a part of the response is in effect`;
      return `${rejected === '' ? 'an update' : `version ${rejected}`} rejected, last good${row.versionInfo === '' ? '' : ` ${row.versionInfo}`}`;
    case 'REQUESTED':
      return model === undefined ? 'not received yet' : 'update requested';
    case 'DOES_NOT_EXIST':
      return model === undefined ? 'does not exist' : 'deleted, last config kept';
    default:
      if (model !== undefined) return '';
      return row.hash === null ? 'no config reported' : 'config cannot be read';
  }
}
