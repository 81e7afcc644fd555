import { FieldReader } from '@/lib/model/field-reader';
import { type ExplainRequest, headersOf } from '@/lib/requests/request';
import { matchRoute } from '@/lib/requests/route-match';
import { type Client, newestOf, type Profile } from '@/lib/xds/profile';

/** "GET shop.example/cart" with headers such as "x-color: blue". */
export function requestOf(line: string, ...headers: readonly string[]): ExplainRequest {
  const [, method = 'GET', url = ''] = /^(?:([A-Z]+) )?(.*)$/.exec(line) ?? [];
  const [, scheme, authority = '', path = '/'] = /^(?:(https?):\/\/)?([^/]*)(.*)$/.exec(url) ?? [];
  return {
    ...{ method, scheme: scheme === 'https' ? 'https' : 'http', authority, path },
    headers: headers.map((text) => {
      const at = text.indexOf(':', 1);
      return [text.slice(0, at), text.slice(at + 1).trim()];
    }),
  };
}

/** "match", or the verdict with the reason. */
export function verdictOf(match: object, request: ExplainRequest, of: Client | Profile = 'envoy'): string {
  const profile = of.includes('-') ? (of as Profile) : newestOf(of as Client);
  const find = headersOf(request, profile);
  const result = matchRoute(FieldReader.open(match, []), { request, find, profile });
  return result.verdict === 'match' ? 'match' : `${result.verdict}: ${result.reason}`;
}
