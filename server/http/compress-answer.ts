import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';

/** Texts, but no events: a frame must not wait in a compressor for the next one. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:problem\+json|json|yaml)\b|image\/svg\+xml)/;

/** Low qualities: an answer is sent once. zlib works in the thread pool. */
const compress = compression({
  level: 4,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  // Next appends headers, so that one value can be a list.
  filter: (_, response) => compressible.test(String(response.getHeader('content-type') ?? '')),
});

/**
 * Lets whatever answers the request do so in a coding that the request accepts, unless it is `no-transform`. A text whose
 * length is known to be at most 1 kB stays as it is. Stands before Next, which removes `content-encoding` from answers of
 * route handlers, and does not compress them.
 */
export function compressAnswer(request: IncomingMessage, response: ServerResponse): void {
  compress(request, response, () => undefined);
}
