import type { FieldReader } from '../model/field-reader';
import type { ExplainRequest } from '../requests/request';
import { findNamedByConnection } from './connection-header';

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
/** The methods that the parser of HTTP/1.1 knows. `allow_custom_methods` admits all others but QUERY, as measured. */
const methods = new Set(
  (
    'ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS PATCH POST ' +
    'PROPFIND PROPPATCH PURGE PUT REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE'
  ).split(' '),
);
/** "If unconfigured, the default maximum number of request headers allowed is 100". */
const usualHeaders = 100;
/** "The default is 60 KiB". */
const usualHeadersKb = 60;

/**
 * What the HTTP/1.1 codec of Envoy answers in place of the connection manager. Measured with 1.40.0. undefined: it accepts the
 * request.
 */
export function findRejection(request: ExplainRequest, manager: FieldReader): Rejection | undefined {
  const { method, authority, path, headers } = request;
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
  const own = manager.object('commonHttpProtocolOptions');
  const mostHeaders = own?.number('maxHeadersCount') ?? usualHeaders;
  // The host is a header.
  const count = headers.length + 1;
  if (count > mostHeaders) {
    const text = `${count} headers are rejected with 431: the limit is ${mostHeaders}`;
    return reject(text, 'commonHttpProtocolOptions.maxHeadersCount', 431);
  }
  const admitsCustom = manager.object('httpProtocolOptions')?.boolean('allowCustomMethods') === true;
  if (!methods.has(method) && (!admitsCustom || method === 'QUERY'))
    return reject(`the method ${method} is rejected with 400: the codec of HTTP/1.1 does not know it`);
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
  const named = findNamedByConnection(request);
  if (named.kind === 'rejected') return reject(named.text);
  const underscored = headers.find(([name]) => name.includes('_'));
  if (underscored && own?.enumName('headersWithUnderscoresAction', 'ALLOW') === 'REJECT_REQUEST')
    return reject(
      `the header ${underscored[0]} has an underscore, and is rejected with 400`,
      'commonHttpProtocolOptions.headersWithUnderscoresAction',
    );
  return undefined;
}
