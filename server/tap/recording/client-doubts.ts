import type { NodeInfo } from '@/lib/observation/observation';
import type { Doubt, ResourceState } from '@/lib/observation/resource-state';
import { findProfile } from '@/lib/resolve/guess-profile';
import { findClientRelease, isReleaseWithin } from '@/lib/xds/client-release';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { Body } from '../../observe';
import { findReference, keepReference } from './read-reference';

/** The type that listeners and clusters refer to. A client that does not use them any longer unsubscribes from it. */
export const referencedTypes: ReadonlyMap<string, string> = new Map([
  [LDS.typeUrl, RDS.typeUrl],
  [CDS.typeUrl, EDS.typeUrl],
]);

const last = { major: 99, minor: 0 };

/** Which resources a kind of client may run or not, without a trace of it in its answers. */
interface Kind {
  /** gRFC A53: the client has ignore_resource_deletion. */
  readonly mayKeepDeleted: boolean;
  /** Types of which the client may drop a resource that it rejects (gRFC A88), and remains subscribed to what it refers to. */
  readonly mayDropRejected: ReadonlySet<string>;
  /** real-clients.md, "Known bugs": the client ACKs a resource that was added again, and does not use it. */
  readonly mayIgnoreAddition: boolean;
  /** The subscription to routes shows whether a listener is in use. */
  readonly unsubscribesFromRoutes: boolean;
}

function kindOf({ userAgentName, userAgentVersion }: NodeInfo): Kind {
  const profile = /^grpc/i.test(userAgentName) ? findProfile(userAgentName) : undefined;
  const release = findClientRelease(userAgentVersion);
  const isSince = (minor: number): boolean =>
    release !== undefined && isReleaseWithin(release, [{ major: 1, minor }, last]);
  // The first releases whose CSDS shows data errors.
  const mayDropRejected =
    profile === 'core' && isSince(71)
      ? [LDS.typeUrl, RDS.typeUrl, EDS.typeUrl]
      : profile === 'java' && isSince(80)
        ? [EDS.typeUrl]
        : [];
  return {
    mayKeepDeleted: /^grpc/i.test(userAgentName),
    mayDropRejected: new Set(mayDropRejected),
    mayIgnoreAddition: profile === 'node' || (profile === 'core' && release !== undefined && !isSince(70)),
    unsubscribesFromRoutes: profile !== 'core',
  };
}

type Held = Pick<ResourceState, 'typeUrl' | 'hash'>;

/** Returns whether a stream of the client subscribes to the resource. */
export type IsWanted = (typeUrl: string, name: string) => boolean;

/** Decides what the answers and subscriptions of one client leave open about what it runs. */
export class ClientDoubts {
  readonly #kind: Kind;

  constructor(
    node: NodeInfo,
    private readonly isWanted: IsWanted,
  ) {
    this.#kind = kindOf(node);
  }

  /** The client accepts the body. Returns whether it is known to run it. */
  ofAccepted(row: ResourceState | undefined, next: ResourceState, body: Body): Doubt | undefined {
    if (this.#kind.mayKeepDeleted && referencedTypes.has(next.typeUrl)) keepReference(body);
    const isAddedAgain = row?.clientStatus === 'DOES_NOT_EXIST' || row?.doubt === 'deleted';
    const isIgnored = isAddedAgain || (row?.doubt === 'added-again' && row.hash === body.hash);
    if (isIgnored && this.#kind.mayIgnoreAddition && this.#isRequested(next) !== true) return 'added-again';
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
    return isDropped ? undefined : 'deleted';
  }

  /** Whether the client still has no use for the deleted resource, or has one now for the one that was added again. */
  isDecided(row: ResourceState): boolean {
    const { doubt } = row;
    const isRequested = this.#isRequested(row);
    return doubt === 'deleted' ? isRequested === false : doubt === 'added-again' && isRequested === true;
  }

  /** Whether the client subscribes to what the resource refers to; undefined if that shows nothing. */
  #isRequested({ typeUrl, hash }: Held): boolean | undefined {
    const referenced = referencedTypes.get(typeUrl);
    const reference = hash === null ? undefined : findReference(hash);
    if (referenced === undefined || reference === undefined) return undefined;
    if (typeUrl === LDS.typeUrl && !this.#kind.unsubscribesFromRoutes) return undefined;
    return this.isWanted(referenced, reference);
  }
}
