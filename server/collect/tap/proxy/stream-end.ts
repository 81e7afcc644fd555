import { constants, type IncomingHttpHeaders } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { findCallStatus } from '../../../transport/grpc/call-status';

/** The name of the gRPC status code and the details, as the client receives them. */
export interface StreamEnd {
  readonly code: string;
  readonly details: string;
}

export const serverClosed: StreamEnd = { code: 'UNAVAILABLE', details: 'the server closed the connection' };
export const noStatus: StreamEnd = { code: 'UNKNOWN', details: 'the stream ended without a status' };

/** The status codes of resets ("HTTP2 transport mapping" of gRPC over HTTP/2). */
const codesOfResets: ReadonlyMap<number, string> = new Map([
  [constants.NGHTTP2_REFUSED_STREAM, 'UNAVAILABLE'],
  [constants.NGHTTP2_CANCEL, 'CANCELLED'],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM, 'RESOURCE_EXHAUSTED'],
  [constants.NGHTTP2_INADEQUATE_SECURITY, 'PERMISSION_DENIED'],
]);

const namesOfResets = new Map<number, string>(
  Object.entries(constants).flatMap(([name, code]) =>
    /^NGHTTP2_(NO_ERROR|[A-Z_]*ERROR|REFUSED_STREAM|CANCEL|ENHANCE_YOUR_CALM|INADEQUATE_SECURITY|STREAM_CLOSED|SETTINGS_TIMEOUT|HTTP_1_1_REQUIRED)$/.test(
      name,
    ) &&
    typeof code === 'number' &&
    code >= 0
      ? [[code, name.slice('NGHTTP2_'.length)] as const]
      : [],
  ),
);

export function endOfReset(who: 'client' | 'server', rstCode: number): StreamEnd {
  const name = namesOfResets.get(rstCode) ?? String(rstCode);
  return { code: codesOfResets.get(rstCode) ?? 'INTERNAL', details: `the ${who} reset the stream (${name})` };
}

/** Returns undefined if the headers contain no status. */
export function endOfTrailers(headers: IncomingHttpHeaders): StreamEnd | undefined {
  const found = findCallStatus(headers);
  return found && { code: status[found.code] ?? '', details: found.details };
}
