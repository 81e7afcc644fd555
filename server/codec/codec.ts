import { type DecodedBody, decodeBody } from './decode-body';
import { encodeBody } from './encode-body';
import { redactJson } from './redact-json';
import { createRedactionMarker } from './redaction-marker';
import { peekResourceName } from './resource-name';
import { type TakenBody, takeBody } from './take-body';

export type { DecodedBody, OpaquePart } from './decode-body';
export type { TakenBody } from './take-body';

export interface CodecOptions {
  /** Key of the digests in redaction markers; keep it, so that the same secret has the same marker after a restart. */
  readonly redactionKey: Uint8Array;
}

/** The only protobufjs edge of the server besides the registered services. */
export interface Codec {
  /** Redacts and hashes; pure and synchronous. See take-body.ts. */
  takeBody(typeUrl: string, bytes: Uint8Array): TakenBody;
  /** Node metadata as JSON: secrets go by the names of their keys. */
  redactNode<T>(json: T): T;
  /** proto3 JSON; never refuses. See decode-body.ts. */
  decode(typeUrl: string, bytes: Uint8Array): DecodedBody;
  /** proto3 JSON to bytes; throws a CodecError. */
  encode(typeUrl: string, json: unknown): Uint8Array;
  /** A resource's name, read without decoding the rest. */
  nameOf(typeUrl: string, bytes: Uint8Array): string | undefined;
  close(): Promise<void>;
}

export function createCodec({ redactionKey }: CodecOptions): Codec {
  const marker = createRedactionMarker(redactionKey);
  return {
    takeBody: (typeUrl, bytes) => takeBody(typeUrl, bytes, marker),
    redactNode: <T>(json: T) => redactJson(json, (secret) => marker(Buffer.from(secret))) as T,
    decode: decodeBody,
    encode: encodeBody,
    nameOf: peekResourceName,
    close: async () => {},
  };
}
