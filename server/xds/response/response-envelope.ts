import type { SettledResource } from './cached-resource';

/** google.protobuf.Any as protobufjs decodes it. */
export interface AnyFields {
  readonly type_url?: string;
  readonly value?: Uint8Array;
  /** Why there is nothing to read: it came as JSON, YAML or text that is not of its type. */
  readonly unreadable?: { readonly name: string | null; readonly reason: string };
  /** In the place of a value that came before, byte for byte. */
  readonly kept?: KeptResource;
}

/** A resource that was held when it came, so that its bytes were not stored. */
export interface KeptResource {
  readonly name: string;
  readonly held: SettledResource;
}

/** google.protobuf.Duration as protobufjs decodes it: a Long where the library is there, or a number. */
export interface DurationFields {
  readonly seconds?: number | { toNumber(): number };
  readonly nanos?: number;
}

/** envoy.service.discovery.v3.Resource. */
export interface WrapperFields {
  readonly name?: string;
  readonly version?: string;
  readonly aliases?: readonly string[];
  readonly ttl?: DurationFields | null;
  readonly resource?: AnyFields | null;
  readonly resourceName?: { readonly name?: string } | null;
}

/** Which of the two it is reports the envelope's `isDelta`. */
export type WireResource = AnyFields & WrapperFields;

/** What is enough of an array of them. */
export interface ResourceList extends Iterable<WireResource> {
  readonly length: number;
  at(index: number): WireResource | undefined;
  /** All was read, and nobody looks at an element again: lets go of the message. */
  release?(): void;
}

/** What the server says of a resource that it does not send (xDS proposal TP3). */
export interface ResourceError {
  readonly name: string;
  /** google.rpc.Code. NOT_FOUND (5) and PERMISSION_DENIED (7) are about the resource, the others may pass. */
  readonly code: number;
  readonly message: string;
}

/** A DiscoveryResponse or DeltaDiscoveryResponse. The resources stay bytes, views of the message's buffer. */
export interface ResponseEnvelope {
  readonly isDelta: boolean;
  /** What the server spoke. Type URLs are those of v3 in either case. */
  readonly apiVersion: 'v3' | 'v2';
  readonly typeUrl: string;
  /** Delta: system_version_info, which nobody needs but a person. */
  readonly versionInfo: string;
  readonly nonce: string;
  /** ControlPlane.identifier; empty when the server does not say who it is. */
  readonly controlPlane: string;
  readonly sizeBytes: number;
  /** Read with readEntries(). */
  readonly resources: ResourceList;
  /** Delta: removed_resources and removed_resource_names, each name once. */
  readonly removedResources: readonly string[];
  readonly resourceErrors: readonly ResourceError[];
  /** What is wrong with the response as a whole; readEntries() reports them first. */
  readonly problems: readonly string[];
  /** What was read over, with its place: members of JSON that the protos do not have. */
  readonly notes?: readonly string[];
}

/** One element of a response, named but not yet decoded. */
export type ResponseEntry<Good = NamedResource | Heartbeat> = Good | EntryProblem<Good>;

export interface NamedResource {
  readonly kind: 'resource';
  /** Of the wrapper, where it has one: virtual hosts that are asked for on demand are called differently inside. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Its own; empty in state of the world, where the response's counts. */
  readonly version: string;
  /** Dropped unless it is renewed within that time; null: never. */
  readonly ttlMs: number | null;
  /** Other names under which it may have been asked for. */
  readonly aliases: readonly string[];
  /** Of the type URL inside, which may be older than the response's. */
  readonly apiVersion: 'v3' | 'v2';
}

/** Where repeats are known: it is what was held when it came in, by now maybe not any more. */
export type KeptEntry = KeptResource & { readonly kind: 'kept' };

/** Of a response that may repeat what is held. */
export type RepeatingEntry = ResponseEntry<NamedResource | Heartbeat | KeptEntry>;

/** A resource without a payload: it only renews the time to live of what we hold. */
export interface Heartbeat {
  readonly kind: 'heartbeat';
  readonly name: string;
  readonly version: string;
  readonly ttlMs: number | null;
}

export interface EntryProblem<Good = NamedResource | Heartbeat> {
  readonly kind: 'problem';
  /** null where the resource itself is not to blame by name: it cannot be read, or it is the second of its name. */
  readonly name: string | null;
  /** With the place in the response and, where known, the name: `resources[3] "a": expected ..., got ...`. */
  readonly reason: string;
  /** Another copy of a resource of the response. The protocol has it rejected; the real clients read it all the same. */
  readonly copy?: Good;
}
