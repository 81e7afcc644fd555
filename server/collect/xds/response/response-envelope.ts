import type { RepeatableResource } from './cached-resource';

/** google.protobuf.Any as protobufjs decodes it. */
export interface AnyFields {
  readonly type_url?: string;
  readonly value?: Uint8Array;
  /** Set instead of a value if the JSON, YAML or text does not match its type. */
  readonly unreadable?: { readonly name: string | null; readonly reason: string };
  /** Set instead of a value that equals the held bytes. */
  readonly kept?: KeptResource;
}

/** A resource that equalled the held one on arrival, so that its bytes were not stored. */
interface KeptResource {
  readonly name: string;
  readonly held: RepeatableResource;
}

/** google.protobuf.Duration as protobufjs decodes it, with a Long if that library is installed. */
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

/** A wrapper in delta, an Any in state of the world. */
export type WireResource = AnyFields & WrapperFields;

export interface ResourceList extends Iterable<WireResource> {
  readonly length: number;
  at(index: number): WireResource | undefined;
  /** Releases the message. No element may be read afterwards. */
  release?(): void;
}

/** The server's reason for not sending a resource (xDS proposal TP3). */
export interface ResourceError {
  readonly name: string;
  /** google.rpc.Code. NOT_FOUND (5) and PERMISSION_DENIED (7) are errors of the resource, others are transient. */
  readonly code: number;
  readonly message: string;
}

/** A DiscoveryResponse or DeltaDiscoveryResponse. The resources are views of the message's buffer. */
export interface ResponseEnvelope {
  readonly isDelta: boolean;
  /** The version of the server's messages. Type URLs are those of v3 in either case. */
  readonly apiVersion: 'v3' | 'v2';
  readonly typeUrl: string;
  /** Delta: system_version_info, which is informational. */
  readonly versionInfo: string;
  readonly nonce: string;
  /** ControlPlane.identifier. Empty if the server does not report it. */
  readonly controlPlane: string;
  readonly sizeBytes: number;
  readonly resources: ResourceList;
  /** Delta: removed_resources and removed_resource_names, each name once. */
  readonly removedResources: readonly string[];
  readonly resourceErrors: readonly ResourceError[];
  /** Problems of the response as a whole. readEntries() yields them first. */
  readonly problems: readonly string[];
  /** Ignored members of JSON that the protos lack, with their paths. */
  readonly notes?: readonly string[];
}

/** One element of a response, named but not yet decoded. */
export type ResponseEntry<Good = NamedResource | Heartbeat> = Good | EntryProblem<Good>;

export interface NamedResource {
  readonly kind: 'resource';
  /** The name of the wrapper if it has one, because virtual hosts on demand have another name inside. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The resource's own version. Empty in state of the world, where the response has the version. */
  readonly version: string;
  /** The resource is removed unless it is renewed within this time. Null without a limit. */
  readonly ttlMs: number | null;
  /** Other names by which clients may subscribe to it. */
  readonly aliases: readonly string[];
  /** The version of the resource's type URL, which may be older than that of the response. */
  readonly apiVersion: 'v3' | 'v2';
}

/** A resource that equalled the held one on arrival. It may not be held any more. */
export type KeptEntry = KeptResource & { readonly kind: 'kept' };

/** An entry of a response that may repeat held resources. */
export type RepeatingEntry = ResponseEntry<NamedResource | Heartbeat | KeptEntry>;

/** A resource without a payload, which only renews the time to live of the held one. */
export interface Heartbeat {
  readonly kind: 'heartbeat';
  readonly aliases: readonly string[];
  readonly name: string;
  readonly version: string;
  readonly ttlMs: number | null;
}

export interface EntryProblem<Good = NamedResource | Heartbeat> {
  readonly kind: 'problem';
  /** Null if the name is unreadable, or if the resource is the second one with its name. */
  readonly name: string | null;
  /** Contains the index and, if known, the name: `resources[3] "a": expected ..., got ...`. */
  readonly reason: string;
  /** The second resource with its name. The protocol forbids it, but real clients read it. */
  readonly copy?: Good;
}
