import { type OutgoingHttpHeaders, sensitiveHeaders } from 'node:http2';

/**
 * Headers to be sent on as they came: names in their order, each value a field of its own. (The object that Node makes
 * of them joins some values and forgets others.) `rawHeaders` is name, value, name, value.
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
    // To HTTP a list as one value is the same.
    headers[name] = values.length === 1 ? values[0] : sentOnce.has(name) ? values.join(', ') : values;
  }
  // HPACK: not to be put into tables of compression, by whoever sends them on.
  const secret: unknown = Reflect.get(received, sensitiveHeaders);
  if (Array.isArray(secret) && secret.length > 0) Reflect.set(headers, sensitiveHeaders, secret);
  return headers;
}

/** Fields that Node rejects to send twice. */
const sentOnce: ReadonlySet<string> = new Set(
  (
    'access-control-allow-credentials access-control-max-age access-control-request-method age authorization ' +
    'content-encoding content-language content-length content-location content-md5 content-range content-type date dnt ' +
    'etag expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location ' +
    'max-forwards proxy-authorization range referer retry-after te tk upgrade-insecure-requests user-agent ' +
    'x-content-type-options'
  ).split(' '),
);
