import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { compareTypeUrls, findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Delivery } from './delivery';
import type { NodeMessage } from './discovery-messages';
import type { ConnectedProxy } from './istio-debug';
import type { SnapshotStore } from './snapshot-store';
import type { TypeDeliveries } from './type-deliveries';

/** A request as the management server understood it; for tests and the lab's log. */
export interface RequestEvent {
  readonly nodeId: string;
  readonly method: 'sotw' | 'delta';
  /** Of the stream: "package.Service/Method". */
  readonly path: string;
  readonly typeUrl: string;
  readonly reading: 'subscription' | 'ack' | 'nack' | 'stale' | 'debug';
  /** SotW: the whole list. Delta: the names subscribed to by this request. */
  readonly resourceNames: readonly string[];
  readonly unsubscribed: readonly string[];
  /** Delta only. */
  readonly initialResourceVersions?: ReadonlyMap<string, string>;
  /** SotW only. */
  readonly versionInfo: string;
  readonly responseNonce: string;
  readonly errorDetail: string | null;
}

/** How the server does what xDS leaves open. */
export interface ServerBehavior {
  /** State of the world: every resource comes in a wrapper, with its name and version. */
  readonly wrapsInSotw: boolean;
  /** Streams of one type: responses leave the type URL out. */
  readonly omitsTypeUrl: boolean;
}

/** One stream between bytes and state; knows no transport, so that both transports and tests drive it alike. */
export interface StreamLogic {
  readonly method: DiscoveryMethod;
  /** Of the first request; null before it. */
  readonly node: NodeMessage | null;
  /** Throws InvalidRequest. */
  receive(bytes: Uint8Array): RequestEvent;
  /** The next response that is due by now, or undefined. Counts as sent. */
  takeResponse(): Buffer | undefined;
  /** Renews all that this stream was sent with a time to live; undefined when there is nothing of the type. */
  takeHeartbeats(typeUrl: string): Buffer | undefined;
  /** Has the client answered everything that was sent? */
  isAnswered(): boolean;
  types(): TypeDeliveries[];
  /** By name: what was sent last of a type. */
  deliveriesOf(typeUrl: string): ReadonlyMap<string, Delivery>;
}

export interface StreamContext {
  readonly store: SnapshotStore;
  readonly now: () => EpochMs;
  /** Unique in the server, so that no nonce of an old stream is good on a new one. */
  readonly nextNonce: () => string;
  readonly behavior: () => ServerBehavior;
  /** Nothing of the type is sent now. */
  readonly isHeld: (typeUrl: string) => boolean;
  /** How the server calls itself. */
  readonly identifier: string;
  /** Of all streams, as istiod's debug types report them. */
  readonly proxies: () => readonly ConnectedProxy[];
}

/** Make before break (xDS protocol, "Eventual consistency"): clusters and endpoints before what points at them. */
const sendOrder = ['CDS', 'EDS', 'LDS', 'RDS'];

export function inSendOrder(typeUrls: Iterable<string>): string[] {
  const rank = (typeUrl: string): number => {
    const found = sendOrder.indexOf(findResourceType(typeUrl)?.service ?? '');
    return found === -1 ? sendOrder.length : found;
  };
  return [...typeUrls].sort((a, b) => rank(a) - rank(b) || compareTypeUrls(a, b));
}
