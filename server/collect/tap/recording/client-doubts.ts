import { LRUCache } from 'lru-cache';
import type { Doubt } from '@/lib/observation/effect-stage';
import type { NodeInfo } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { findClient } from '@/lib/resolve/client-profile';
import { findClientRelease, isReleaseWithin } from '@/lib/xds/client-release';
import { CDS, EDS, LDS, RDS, VHDS } from '@/lib/xds/resource-type';
import { findMessageType } from '../../../codec/root';
import type { Body } from '../../../observe';

/** The type that listeners and clusters refer to. A client that does not use them any longer unsubscribes from it. */
export const referencedTypes: ReadonlyMap<string, string> = new Map([
  [LDS.typeUrl, RDS.typeUrl],
  [CDS.typeUrl, EDS.typeUrl],
]);

const last = { major: 99, minor: 0 };

/** States which resources a kind of client may run or not, without any trace of it in its answers. */
interface Kind {
  /** gRFC A53: the client has ignore_resource_deletion. */
  readonly mayKeepDeleted: boolean;
  /**
   * The types whose resources the client may drop when it rejects them (gRFC A88), while it stays subscribed to what
   * they refer to.
   */
  readonly mayDropRejected: ReadonlySet<string>;
  /** real-clients.md, "Known bugs": the client ACKs a resource that was added again, and does not use it. */
  readonly mayIgnoreAddition: boolean;
  /** The subscription to routes shows whether a listener is in use. Otherwise their next change ends `mayIgnoreAddition`. */
  readonly unsubscribesFromRoutes: boolean;
  /** Types whose resources the client keeps when the management server removes them. */
  readonly keepsRemoved: ReadonlySet<string>;
  /** Types of which the client names resources only for requests that need them (VHDS, ODCDS). */
  readonly namesOnDemand: ReadonlySet<string>;
  /** A changed cluster replaces the one before it when its endpoints are accepted, or rejected: it has none then. */
  readonly replacesClusters: boolean;
  /**
   * Measured with Envoy 1.36 and 1.40: it ACKs on its next stream a cluster or a secret that it rejected, and does not use it.
   */
  readonly skipsRejected: boolean;
}

function kindOf({ userAgentName, userAgentVersion }: NodeInfo): Kind {
  const client = /^grpc/i.test(userAgentName) ? findClient(userAgentName) : undefined;
  const isEnvoy = /^envoy/i.test(userAgentName);
  const release = findClientRelease(userAgentVersion);
  const isSince = (minor: number): boolean =>
    release !== undefined && isReleaseWithin(release, [{ major: 1, minor }, last]);
  // The first releases whose CSDS shows data errors.
  const mayDropRejected =
    client === 'core' && isSince(71)
      ? [LDS.typeUrl, RDS.typeUrl, EDS.typeUrl]
      : client === 'java' && isSince(80)
        ? [EDS.typeUrl]
        : [];
  return {
    mayKeepDeleted: /^grpc/i.test(userAgentName),
    mayDropRejected: new Set(mayDropRejected),
    mayIgnoreAddition: client === 'node' || (client === 'core' && release !== undefined && !isSince(70)),
    unsubscribesFromRoutes: client !== 'core',
    // Envoy logs such a removal, and goes on (RdsRouteConfigSubscription, EdsClusterImpl).
    keepsRemoved: new Set(isEnvoy ? [RDS.typeUrl, EDS.typeUrl] : []),
    // The clusters and virtual hosts of its config are in the subscription to everything, or to a collection.
    namesOnDemand: new Set(isEnvoy ? [CDS.typeUrl, VHDS.typeUrl] : []),
    replacesClusters: isEnvoy,
    skipsRejected: isEnvoy,
  };
}

type Held = Pick<ResourceState, 'typeUrl' | 'hash'>;

/** Returns whether a stream of the client subscribes to the resource. */
type IsWanted = (typeUrl: string, name: string) => boolean;

/** Decides what the answers and subscriptions of one client leave open about what it runs. */
export class ClientDoubts {
  readonly #isWanted: IsWanted;
  readonly #kind: Kind;
  /** The route configurations whose content has not changed since a listener that names them was deleted. */
  readonly #unchangedRoutes = new Set<string>();
  /** The endpoints that were not accepted since their cluster changed. */
  readonly #awaitedEndpoints = new Set<string>();

  constructor(node: NodeInfo, isWanted: IsWanted) {
    this.#isWanted = isWanted;
    this.#kind = kindOf(node);
  }

  /** The management server sends the body to the client, which accepted the one of the row before. */
  onSent(row: ResourceState | undefined, body: Body): void {
    const isReplaced = row !== undefined && row.hash !== null && row.hash !== body.hash;
    if (!this.#kind.replacesClusters || row?.typeUrl !== CDS.typeUrl || !isReplaced) return;
    keepReference(body);
    const endpoints = findReference(body.hash);
    const isKnown = endpoints !== undefined && this.#isWanted(EDS.typeUrl, endpoints);
    if (isKnown) this.#awaitedEndpoints.add(endpoints);
  }

  /** The client rejects a response of this type. Yields the names of the resources whose cluster may have none now. */
  withoutEndpoints(typeUrl: string): Iterable<string> {
    return typeUrl === EDS.typeUrl ? this.#awaitedEndpoints : [];
  }

  /** The client accepts the payload that it runs. */
  onAcceptedAgain({ typeUrl, name }: ResourceState): void {
    if (typeUrl === EDS.typeUrl) this.#awaitedEndpoints.delete(name);
  }

  /** The client accepts the body. Returns whether it is known to run it. */
  ofAccepted(row: ResourceState | undefined, next: ResourceState, body: Body): Doubt | undefined {
    const isReferring = this.#kind.mayKeepDeleted && referencedTypes.has(next.typeUrl);
    if (isReferring || next.typeUrl === VHDS.typeUrl) keepReference(body);
    this.onAcceptedAgain(next);
    if (this.#kind.replacesClusters && next.typeUrl === CDS.typeUrl) this.#onReplaced(next);
    if (next.typeUrl === RDS.typeUrl && row?.hash !== body.hash) this.#unchangedRoutes.delete(next.name);
    if (this.#kind.mayIgnoreAddition && this.#isIgnored(row, next)) return 'added-again';
    const isReplaced =
      next.typeUrl === LDS.typeUrl && row?.clientStatus === 'ACKED' && row.hash !== body.hash;
    return isReplaced && row.hash !== null ? 'replaced' : undefined;
  }

  /** The client rejects an update of the resource, which it had accepted before. */
  ofRejected({ typeUrl, hash }: ResourceState): Doubt | undefined {
    return hash !== null && this.#kind.mayDropRejected.has(typeUrl) ? 'rejected' : undefined;
  }

  /** The client accepts the deletion of the resource. */
  ofDeleted(row: ResourceState): Doubt | undefined {
    const isDropped = row.hash === null || !this.#kind.mayKeepDeleted || this.#isRequested(row) === false;
    const routes = referenceOf(row);
    if (row.typeUrl === LDS.typeUrl && routes !== undefined) this.#unchangedRoutes.add(routes);
    return isDropped ? undefined : 'deleted';
  }

  /** The client accepts a response that removes the resource, and keeps what it accepted before. */
  keepsRemoved(row: ResourceState): boolean {
    if (row.hash === null) return false;
    if (this.#kind.keepsRemoved.has(row.typeUrl)) return true;
    // Envoy 1.40 looks for a virtual host whose own name is that of the removed resource (RouteConfigUpdateReceiverImpl).
    const ownName = row.typeUrl === VHDS.typeUrl ? referenceOf(row) : undefined;
    return ownName !== undefined && ownName !== row.name;
  }

  /** An ACK of what the client rejected on an earlier stream of the same process proves nothing. */
  get skipsRejected(): boolean {
    return this.#kind.skipsRejected;
  }

  /** The client subscribes to a name of this type only for requests that need the resource. */
  isOnDemand(typeUrl: string): boolean {
    return this.#kind.namesOnDemand.has(typeUrl);
  }

  /** Envoy ACKs a changed cluster when it no longer warms: it has the endpoints before if it rejected none. */
  #onReplaced(cluster: ResourceState): void {
    const endpoints = referenceOf(cluster);
    if (endpoints !== undefined) this.#awaitedEndpoints.delete(endpoints);
  }

  /** True if the client still has no use for the deleted resource, or has one now for the one that was added again. */
  isDecided(row: ResourceState): boolean {
    if (row.doubt === 'added-again') return !this.#isIgnored(row, row);
    return row.doubt === 'deleted' && this.#isRequested(row) === false;
  }

  /** A client that ignores a resource which was added again has not requested, or not read, what it refers to. */
  #isIgnored(row: ResourceState | undefined, next: ResourceState): boolean {
    if (row?.clientStatus !== 'DOES_NOT_EXIST' && row?.doubt !== 'deleted' && row?.doubt !== 'added-again')
      return false;
    const reference = referenceOf(next);
    if (next.typeUrl === LDS.typeUrl && !this.#kind.unsubscribesFromRoutes)
      return reference !== undefined && this.#unchangedRoutes.has(reference);
    const isChanged = row.doubt === 'added-again' && row.hash !== next.hash;
    return !isChanged && this.#isRequested(next) !== true;
  }

  /** True if the client subscribes to what the resource refers to; undefined if that shows nothing. */
  #isRequested({ typeUrl, hash }: Held): boolean | undefined {
    const referenced = referencedTypes.get(typeUrl);
    const reference = referenceOf({ hash });
    if (referenced === undefined || reference === undefined) return undefined;
    if (typeUrl === LDS.typeUrl && !this.#kind.unsubscribesFromRoutes) return undefined;
    return this.#isWanted(referenced, reference);
  }
}

function referenceOf({ hash }: Pick<ResourceState, 'hash'>): string | undefined {
  return hash === null ? undefined : findReference(hash);
}

interface Any {
  readonly type_url?: string;
  readonly value?: Uint8Array;
}

/** The references by hash, because thousands of clients hold the same clusters. Empty: there is none. */
const known = new LRUCache<string, string>({ max: 100_000 });

/** Reads the reference of a body once, so that findReference() has it. */
function keepReference(body: Body): void {
  if (!known.has(body.hash)) known.set(body.hash, readReference(body));
}

/**
 * The name of the route configuration of an API listener, or of the endpoints of a cluster; of a virtual host, its own name.
 * Undefined if they are inline or unreadable, or if the body was not read recently.
 */
function findReference(hash: string): string | undefined {
  return known.get(hash) || undefined;
}

function readReference({ typeUrl, bytes }: Body): string {
  if (typeUrl === CDS.typeUrl) {
    const { name = '', type, edsClusterConfig } = read(typeUrl, bytes);
    if (type !== 'EDS') return '';
    return text(Reflect.get(Object(edsClusterConfig), 'serviceName')) || text(name);
  }
  if (typeUrl === VHDS.typeUrl) return text(read(typeUrl, bytes).name);
  if (typeUrl !== LDS.typeUrl) return '';
  const { apiListener } = read(typeUrl, bytes);
  const manager = Reflect.get(Object(apiListener), 'apiListener') as Any | undefined;
  if (manager?.type_url === undefined || manager.value === undefined) return '';
  const { rds } = read(manager.type_url, manager.value);
  return text(Reflect.get(Object(rds), 'routeConfigName'));
}

function read(typeUrl: string, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const type = findMessageType(typeUrl);
  if (type === undefined) return {};
  try {
    return type.toObject(type.decode(bytes), { enums: String });
  } catch {
    // protobufjs throws for bytes that are not a message, which a client may accept unread.
    return {};
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
