import { constants } from 'node:http2';
import { status } from '@grpc/grpc-js';

/** gRPC status code name and details, as who called is reported. */
export interface StreamEnd {
  readonly code: string;
  readonly details: string;
}

export const serverClosed: StreamEnd = { code: 'UNAVAILABLE', details: 'the server closed the connection' };
export const noStatus: StreamEnd = { code: 'UNKNOWN', details: 'the stream ended without a status' };

/** What a gRPC client makes of a reset ("HTTP2 transport mapping" of gRPC over HTTP/2). */
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

/** Of the last headers of a response; undefined where they have no status. */
export function endOfTrailers(headers: Readonly<Record<string, unknown>>): StreamEnd | undefined {
  const code = Number(headers['grpc-status']);
  if (headers['grpc-status'] === undefined) return undefined;
  const message = headers['grpc-message'];
  return { code: status[code] ?? String(code), details: typeof message === 'string' ? decoded(message) : '' };
}

/** grpc-message is percent-encoded UTF-8; what is not stays as it is. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
