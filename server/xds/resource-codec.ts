import type { Body } from '../observe';

/** What the probe needs of server/codec: the one edge to protobuf. `Codec` satisfies it. */
export interface ResourceCodec {
  /** Redacts and hashes. Never refuses, whatever the bytes are. */
  takeBody(typeUrl: string, bytes: Uint8Array): { readonly body: Body };
  /** Reads a resource's name without decoding the rest; undefined when there is none. */
  nameOf(typeUrl: string, bytes: Uint8Array): string | undefined;
  /** proto3 JSON, as far as the bytes go. */
  decode(typeUrl: string, bytes: Uint8Array): { readonly json: unknown };
  /** proto3 JSON to bytes; throws where the JSON is not of that type. */
  encode(typeUrl: string, json: unknown): Uint8Array;
  redactNode<T>(json: T): T;
}
