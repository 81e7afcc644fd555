import type { DocumentFormat, DocumentResult } from '../../../codec/codec';
import type { InspectedResource } from '../../../codec/inspect-resource';

/** The part of server/codec that the probe uses. `Codec` implements it. */
export interface ResourceCodec {
  /** Reads the name of a resource without decoding the rest; returns undefined if it has none. */
  nameOf(typeUrl: string, bytes: Uint8Array): string | undefined;
  /** Redacts, hashes and decodes; small resources synchronously. Rejects if the worker for large ones fails. */
  inspect(
    resource: { readonly typeUrl: string; readonly bytes: Uint8Array },
    options: { readonly withReferences: boolean },
  ): InspectedResource | Promise<InspectedResource>;
  /** Reads a response of a poll or a file. Rejects if the worker for large ones fails. */
  readDocument(bytes: Uint8Array, format: DocumentFormat): Promise<DocumentResult>;
  /** Decodes to proto3 JSON, in order. Large resources are decoded off the event loop. */
  decodeMany(
    resources: readonly { readonly typeUrl: string; readonly bytes: Uint8Array }[],
    options?: { readonly asV3?: boolean },
  ): Promise<readonly { readonly json: unknown }[]>;
  /** Decodes to proto3 JSON synchronously. With `asV3`, nested v2 types have the "@type" of their v3 equivalents. */
  decode(
    typeUrl: string,
    bytes: Uint8Array,
    options?: { readonly asV3?: boolean },
  ): { readonly json: unknown };
  /** Encodes proto3 JSON. Throws if the JSON is not of that type. */
  encode(typeUrl: string, json: unknown): Uint8Array;
  /** Returns a keyed digest of bytes that may contain secrets. */
  digest(bytes: Uint8Array): string;
  redactNode<T>(json: T): T;
}
