import { constants, type IncomingHttpHeaders } from 'node:http2';
import { status } from '@grpc/grpc-js';
import type { CallFailure } from './explain-error';

/** The status of a call. Details that are not the server's are worded as in grpc-js, because explainError() matches them. */
export type CallStatus = CallFailure;

export function connectionDropped(reason = 'Connection dropped'): CallStatus {
  return { code: status.UNAVAILABLE, details: reason };
}

/** The status of trailers or of a Trailers-Only response; undefined if the headers contain none. */
export function findCallStatus(headers: IncomingHttpHeaders): CallStatus | undefined {
  const received = headers['grpc-status'];
  if (typeof received !== 'string') return undefined;
  const code =
    /^\d{1,2}$/.test(received) && status[Number(received)] !== undefined ? Number(received) : status.UNKNOWN;
  const message = headers['grpc-message'];
  return { code, details: typeof message === 'string' ? percentDecoded(message) : '' };
}

/** gRPC's "HTTP to gRPC Status Code Mapping". */
export function statusOfHttp(httpStatus: number, body = ''): CallStatus {
  return {
    code: codes.get(httpStatus) ?? status.UNKNOWN,
    details: `Received HTTP status code ${httpStatus}${body === '' ? '' : `: ${body}`}`,
  };
}

const codes: ReadonlyMap<number, status> = new Map([
  [400, status.INTERNAL],
  [401, status.UNAUTHENTICATED],
  [403, status.PERMISSION_DENIED],
  [404, status.UNIMPLEMENTED],
  [429, status.UNAVAILABLE],
  [502, status.UNAVAILABLE],
  [503, status.UNAVAILABLE],
  [504, status.UNAVAILABLE],
]);

/** The status of a stream that ended without trailers; "gRPC over HTTP2", Errors. */
export function statusOfReset(rstCode: number, cause: Error | undefined): CallStatus {
  switch (rstCode) {
    case constants.NGHTTP2_REFUSED_STREAM:
      return { code: status.UNAVAILABLE, details: 'Stream rejected by server' };
    case constants.NGHTTP2_CANCEL:
      return { code: status.CANCELLED, details: 'Call cancelled' };
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return {
        code: status.RESOURCE_EXHAUSTED,
        details: 'Bandwidth exhausted or memory limit exceeded',
      };
    case constants.NGHTTP2_INADEQUATE_SECURITY:
      return { code: status.PERMISSION_DENIED, details: 'Protocol not secure enough' };
    case constants.NGHTTP2_NO_ERROR:
      return {
        code: status.INTERNAL,
        details: `Received RST_STREAM with code ${rstCode} (Call ended without gRPC status)`,
      };
    default: {
      const why = cause === undefined ? '' : `: ${cause.message}`;
      return { code: status.INTERNAL, details: `Received RST_STREAM with code ${rstCode}${why}` };
    }
  }
}

/** Text with invalid percent-encoding is returned unchanged. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
