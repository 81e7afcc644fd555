import type { FieldReader } from '../model/field-reader';
import type { ExplainRequest } from '../requests/request';

/** An answer before the request is a stream: no route is chosen, and no filter or access log sees it. */
interface Rejection {
  readonly status: number;
  readonly text: string;
  /** The field of the connection manager that decides; empty if none does. */
  readonly path: string;
}

/** Measured with each printable character of ASCII. */
const hostCharacters = /^[\w!$%&'()*+,\-.:;=@[\]~]*$/;
const largestPort = 65_535;
const pathCharacters = /^[!-~]*$/;
/** "The default is 60 KiB". */
const usualHeadersKb = 60;

/**
 * What the HTTP/1.1 codec of Envoy answers in place of the connection manager. Measured with 1.40.0. undefined: it accepts the
 * request.
 */
export function findRejection(
  { method, authority, path, headers }: ExplainRequest,
  manager: FieldReader,
): Rejection | undefined {
  const reject = (text: string, field = '', status = 400): Rejection => ({ status, text, path: field });
  // The size is known first.
  const mostBytes = (manager.number('maxRequestHeadersKb') ?? usualHeadersKb) * 1024;
  const bytes = headers.reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    method.length + authority.length + path.length,
  );
  if (bytes > mostBytes) {
    const text = `${bytes} bytes of headers are rejected with 431: the limit is ${mostBytes}`;
    return reject(text, 'maxRequestHeadersKb', 431);
  }
  if (!hostCharacters.test(authority))
    return reject(`a host with other characters than those of a URL is rejected with 400`);
  if (method === 'CONNECT' && !(Number(/:(\d+)$/.exec(authority)?.[1]) <= largestPort))
    return reject('a CONNECT request whose host has no port is rejected with 400');
  if (method !== 'CONNECT') {
    if (!pathCharacters.test(path))
      return reject('a path with spaces, control characters or characters beyond ASCII is rejected with 400');
    if (!path.startsWith('/') && !(path === '*' && method === 'OPTIONS'))
      return reject('a path that does not begin with / is rejected with 400');
  }
  const own = manager.object('commonHttpProtocolOptions');
  const underscored = headers.find(([name]) => name.includes('_'));
  if (underscored && own?.enumName('headersWithUnderscoresAction', 'ALLOW') === 'REJECT_REQUEST')
    return reject(
      `the header ${underscored[0]} has an underscore, and is rejected with 400`,
      'commonHttpProtocolOptions.headersWithUnderscoresAction',
    );
  return undefined;
}
