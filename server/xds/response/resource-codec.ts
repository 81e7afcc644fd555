import type { Reference } from '@/lib/model/references';
import type { DocumentFormat, DocumentResult } from '../../codec/codec';
import type { KeyTextSearch } from '../../codec/key-text-search';
import type { Body } from '../../observe';

/** What the probe needs of server/codec: the one edge to protobuf. `Codec` satisfies it. */
export interface ResourceCodec {
  /** Reads a resource's name without decoding the rest; undefined when there is none. */
  nameOf(typeUrl: string, bytes: Uint8Array): string | undefined;
  /** Redacts, hashes, decodes. At once for small ones; rejects when a large one could not be worked on. */
  inspect(
    resource: { readonly typeUrl: string; readonly bytes: Uint8Array },
    options: { readonly withReferences: boolean; readonly keyTexts?: KeyTextSearch | undefined },
  ): Inspected | Promise<Inspected>;
  /** For inspect(): one for all resources of a response. */
  searchKeyTexts(): KeyTextSearch;
  /** A response that did not come over gRPC: the answer to a poll, or a file. Rejects when a large one could not be worked on. */
  readDocument(bytes: Uint8Array, format: DocumentFormat): Promise<DocumentResult>;
  /** As proto3 JSON, in order; off the event loop when they are large. */
  decodeMany(
    resources: readonly { readonly typeUrl: string; readonly bytes: Uint8Array }[],
    options?: { readonly asV3?: boolean },
  ): Promise<readonly { readonly json: unknown }[]>;
  /** proto3 JSON, at once. `asV3`: parts of v2 types have the "@type" of their v3 twins, as models and rules want it. */
  decode(
    typeUrl: string,
    bytes: Uint8Array,
    options?: { readonly asV3?: boolean },
  ): { readonly json: unknown };
  /** proto3 JSON to bytes; throws where the JSON is not of that type. */
  encode(typeUrl: string, json: unknown): Uint8Array;
  /** Names bytes that may hold secrets; the same for the same bytes. */
  digest(bytes: Uint8Array): string;
  redactNode<T>(json: T): T;
}

export interface Inspected {
  readonly body: Body;
  /** Why the bytes do not decode; null when they do. */
  readonly problem: string | null;
  readonly references: readonly Reference[];
}
