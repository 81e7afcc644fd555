import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';

/** Matches text, except event streams: a compressor would hold a frame until the next one. */
const compressible = /^(?:text\/(?!event-stream)|application\/(?:problem\+json|json|yaml)\b|image\/svg\+xml)/;

/** The qualities are low, because an answer is sent once. zlib works in the thread pool. */
const compress = compression({
  level: 4,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  // Next appends headers, so one value can be a list.
  filter: (_, response) => compressible.test(String(response.getHeader('content-type') ?? '')),
});

/**
 * Compresses the answer in a coding that the request accepts, unless it is `no-transform` or a text whose length is
 * known to be at most 1 kB. It runs before Next, which removes `content-encoding` from answers of route handlers and
 * does not compress them.
 */
export function compressAnswer(request: IncomingMessage, response: ServerResponse): void {
  compress(request, response, () => undefined);
}
