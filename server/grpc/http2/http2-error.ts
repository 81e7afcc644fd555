import { constants } from 'node:http2';

/** The peer does not keep to HTTP/2: the connection ends with this code (RFC 9113 7). explainError() knows the words. */
export class Http2Error extends Error {
  readonly code: number;

  constructor(name: 'PROTOCOL_ERROR' | 'FRAME_SIZE_ERROR' | 'COMPRESSION_ERROR' | 'FLOW_CONTROL_ERROR') {
    super('Protocol error');
    this.code = constants[`NGHTTP2_${name}`];
  }
}
