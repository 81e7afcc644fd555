import { constants } from 'node:http2';

/** A peer breaks HTTP/2, or sends too much: the connection ends with this code (RFC 9113 7). explainError() knows the message. */
export class Http2Error extends Error {
  readonly code: number;

  constructor(
    name:
      | 'PROTOCOL_ERROR'
      | 'FRAME_SIZE_ERROR'
      | 'COMPRESSION_ERROR'
      | 'FLOW_CONTROL_ERROR'
      | 'ENHANCE_YOUR_CALM',
  ) {
    super('Protocol error');
    this.code = constants[`NGHTTP2_${name}`];
  }
}
