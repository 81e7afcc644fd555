import { by, inTurn } from '@/lib/collections/compare';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { compareTypeUrls, findResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { Delivery } from './delivery';
import type { NodeMessage } from './discovery-messages';
import type { ConnectedProxy } from './istio-debug';
import type { SnapshotStore } from './snapshot-store';
import type { TypeDeliveries } from './type-deliveries';

/** A decoded request, for tests and the log of the lab. */
export interface RequestEvent {
  readonly nodeId: string;
  readonly method: 'sotw' | 'delta';
  /** Method of the stream: "package.Service/Method". */
  readonly path: string;
  readonly typeUrl: string;
  readonly reading: 'subscription' | 'ack' | 'nack' | 'stale' | 'debug';
  /** SotW: the whole list. Delta: the names that this request subscribes to. */
  readonly resourceNames: readonly string[];
  readonly unsubscribed: readonly string[];
  /** Present in delta only. */
  readonly initialResourceVersions?: ReadonlyMap<string, string>;
  /** Used in state of the world only. */
  readonly versionInfo: string;
  readonly responseNonce: string;
  readonly errorDetail: string | null;
}

/** Choices that xDS leaves to the server. */
export interface ServerBehavior {
  /** State of the world: every resource is wrapped, with its name and version. */
  readonly wrapsInSotw: boolean;
  /** Streams of one type: responses omit the type URL. */
  readonly omitsTypeUrl: boolean;
}

/** The logic of one stream without transport, so that gRPC and tests use the same code. */
export interface StreamLogic {
  readonly method: DiscoveryMethod;
  /** The node of the first request, or null before it. */
  readonly node: NodeMessage | null;
  /** Throws InvalidRequest. */
  receive(bytes: Uint8Array): RequestEvent;
  /** The next response that is due, or undefined. It counts as sent. */
  takeResponse(): Buffer | undefined;
  /** Renews everything that was sent on this stream with a time to live; undefined if there is none of the type. */
  takeHeartbeats(typeUrl: string): Buffer | undefined;
  isAnswered(): boolean;
  types(): TypeDeliveries[];
  /** Keys are names; values are the last deliveries of a type. */
  deliveriesOf(typeUrl: string): ReadonlyMap<string, Delivery>;
}

export interface StreamContext {
  readonly store: SnapshotStore;
  readonly now: () => EpochMs;
  /** Unique in the server, so that a nonce of an old stream is invalid on a new one. */
  readonly nextNonce: () => string;
  readonly behavior: () => ServerBehavior;
  /** States whether nothing of the type is sent at present. */
  readonly isHeld: (typeUrl: string) => boolean;
  /** ManagementServerOptions.repeatsEndpoints. */
  readonly repeatsEndpoints: boolean;
  readonly identifier: string;
  /** Returns every stream, for istiod's debug types. */
  readonly proxies: () => readonly ConnectedProxy[];
}

/** Make before break (xDS protocol): clusters and endpoints precede resources that reference them. */
const sendOrder = ['CDS', 'EDS', 'LDS', 'RDS'];

export function inSendOrder(typeUrls: Iterable<string>): string[] {
  const rank = (typeUrl: string): number => {
    const found = sendOrder.indexOf(findResourceType(typeUrl)?.service ?? '');
    return found === -1 ? sendOrder.length : found;
  };
  return [...typeUrls].sort(inTurn(by(rank), compareTypeUrls));
}
