import { type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2';

/**
 * Converts received headers so that they can be sent unchanged, with all values and in their order. Node's object of received
 * headers joins some values and omits others. `rawHeaders` alternates names and values.
 */
export function toHeaderList(rawHeaders: readonly string[], received: object): OutgoingHttpHeaders {
  const list = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const values = list.get(name);
    if (values === undefined) list.set(name, [value]);
    else values.push(value);
  }
  const headers: OutgoingHttpHeaders = Object.create(null);
  for (const [name, values] of list) {
    // A joined list is equivalent in HTTP.
    headers[name] = values.length === 1 ? values[0] : sentOnce.has(name) ? values.join(', ') : values;
  }
  // HPACK: intermediaries must not index these headers.
  const secret: unknown = Reflect.get(received, sensitiveHeaders);
  if (Array.isArray(secret) && secret.length > 0) Reflect.set(headers, sensitiveHeaders, secret);
  return headers;
}

/** Node sends these fields only once. */
const sentOnce: ReadonlySet<string> = new Set(
  (
    'access-control-allow-credentials access-control-max-age access-control-request-method age authorization ' +
    'content-encoding content-language content-length content-location content-md5 content-range content-type date dnt ' +
    'etag expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location ' +
    'max-forwards proxy-authorization range referer retry-after te tk upgrade-insecure-requests user-agent ' +
    'x-content-type-options'
  ).split(' '),
);
