import { parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import type { ClientQuery } from '@/app/_ask/client-question';
import { omitEmpty } from '@/app/_ask/query-text';
import { formatRequest } from '@/lib/explain/format-request';
import { parseConnection } from '@/lib/explain/parse-connection';
import { parseRequest } from '@/lib/explain/parse-request';
import type { ExplainRequest } from '@/lib/requests/request';
import { param, resolveStartOf, startParams, type ViewQuery } from '../client/search-params';

/** The texts of a request and of its connection; an empty one states nothing. */
export const requestParams = {
  /** Empty: none is explained. */
  request: param(parseAsString, ''),
  source: param(parseAsString, ''),
  destination: param(parseAsString, ''),
  sni: param(parseAsString, ''),
  alpn: param(parseAsString, ''),
  tls: param(parseAsStringLiteral(['', 'yes', 'no']), ''),
};
export type RequestTexts = ViewQuery<typeof requestParams>;

export const explainParams = {
  ...startParams,
  ...requestParams,
  /** Shows what clients of each profile would do. */
  profiles: param(parseAsBoolean, false),
  /** Lists every route that is not taken. */
  all: param(parseAsBoolean, false),
};
type ExplainViewQuery = ViewQuery<typeof explainParams>;

export function explainQueryOf(
  query: RequestTexts & Pick<ExplainViewQuery, 'target' | 'listener' | 'profile'>,
): ClientQuery<'explain'> {
  return { ...requestQueryOf(query), ...resolveStartOf(query) };
}

export function requestQueryOf({ request, source, destination, sni, alpn, tls }: RequestTexts) {
  return { request, ...omitEmpty({ source, destination, sni, alpn }), ...(tls !== '' && { tls }) };
}

export function requestTextsOf({ request, source, destination, sni, alpn, tls }: RequestTexts): RequestTexts {
  return { request, source, destination, sni, alpn, tls };
}

/** The texts of a request that is known in its parts. */
export function textsOfRequest(request: ExplainRequest): RequestTexts {
  const { connection = {} } = request;
  const { sourceAddress, sourcePort, destinationAddress, destinationPort } = connection;
  const { serverName = '', applicationProtocols = [], isTls } = connection;
  return {
    request: formatRequest(request),
    source: peerOf(sourceAddress, sourcePort),
    destination: peerOf(destinationAddress, destinationPort),
    ...{ sni: serverName, alpn: applicationProtocols.join(',') },
    tls: isTls === undefined ? '' : isTls ? 'yes' : 'no',
  };
}

/** As in "10.1.2.3", "[::1]:443" and ":443". */
function peerOf(address = '', port?: number): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

/** Returns true if the texts of a URL are a request that can be explained. */
export function isRequest(texts: RequestTexts): boolean {
  return parseRequest(texts.request).ok && parseConnection(texts).ok;
}

/** The tab Explain of a client with the request, at a moment as in the URL; empty: now. */
export function explainHref(clientId: string, texts: RequestTexts, at = ''): string {
  const given = Object.entries({ ...requestTextsOf(texts), at }).filter(([, value]) => value !== '');
  return `/clients/${encodeURIComponent(clientId)}/explain?${new URLSearchParams(given)}`;
}
