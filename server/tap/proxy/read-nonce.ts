import { WireCursor } from '../../codec/wire-cursor';
import { framePrefixBytes } from './frame-cursor';

/** Of a DiscoveryResponse or DiscoveryRequest. */
export interface NonceOf {
  readonly typeUrl: string;
  readonly nonce: string;
  /** The place of the field of the nonce in the bytes. The end is exclusive. */
  readonly nonceStart: number;
  readonly nonceEnd: number;
  /** The request has an error_detail. */
  readonly isNack: boolean;
}

/** The numbers are the same in requests and responses, but for error_detail. */
const fields = { typeUrl: 4, nonce: 5, errorDetail: 6 } as const;

/** Reads a gRPC message with its prefix. Returns undefined if it is compressed, or has not one nonce. */
export function readNonce(frame: Uint8Array, isRequest: boolean): NonceOf | undefined {
  if (frame[0] !== 0) return undefined;
  const cursor = new WireCursor(frame, framePrefixBytes);
  let found: { readonly nonce: string; readonly nonceStart: number; readonly nonceEnd: number } | undefined;
  let typeUrl = '';
  let isNack = false;
  while (cursor.next()) {
    const { number, wireType, valueStart, fieldStart, fieldEnd } = cursor;
    if (wireType !== 2) continue;
    const text = (): string =>
      Buffer.from(frame.buffer, frame.byteOffset + valueStart, fieldEnd - valueStart).toString();
    if (number === fields.typeUrl) typeUrl = text();
    if (number === fields.errorDetail && isRequest) isNack = true;
    if (number !== fields.nonce) continue;
    if (found !== undefined) return undefined;
    found = { nonce: text(), nonceStart: fieldStart, nonceEnd: fieldEnd };
  }
  return cursor.malformed || cursor.missingBytes > 0 || found === undefined
    ? undefined
    : { typeUrl, isNack, ...found };
}
