import type { FieldReader } from '../model/field-reader';
import { readPercent } from '../model/fractional-percent';
import { clientOf, type Profile } from '../xds/profile';
import { matchHeader } from './header-match';
import { type Match, matchAll, matched, matchIf } from './match';
import { type DynamicMetadata, matchMetadata } from './metadata';
import { matchPath } from './path-match';
import { cookiesOf, type ExplainRequest, type FindHeader, isGrpcRequest, queryOf } from './request';
import { matchString } from './string-match';

/** What the conditions of all routes have in common. */
export interface MatchedRequest {
  readonly request: ExplainRequest;
  readonly find: FindHeader;
  readonly profile: Profile;
  /** The dynamic metadata at that time; absent if it is not known. */
  readonly metadata?: DynamicMetadata;
}

/** An envoy.config.route.v3.RouteMatch: all conditions must hold. Fields are relative to the route. */
export function matchRoute(match: FieldReader, of: MatchedRequest): Match {
  return matchAll(conditionsOf(match, of));
}

function* conditionsOf(match: FieldReader, of: MatchedRequest): Generator<Match> {
  const { request, find, profile } = of;
  yield matchPath(match, request, profile);
  const isEnvoy = clientOf(profile) === 'envoy';
  if (isEnvoy && match.has('grpc')) yield matchGrpc(find);
  for (const [index, header] of match.objects('headers').entries())
    yield matchHeader(header, `match.headers[${index}]`, find, profile);
  if (isEnvoy) {
    const parameters = match.objects('queryParameters');
    if (parameters.length > 0) yield* matchParameters(parameters, queryOf(request));
    const cookies = match.objects('cookies');
    if (cookies.length > 0) yield* matchCookies(cookies, cookiesOf(find));
    const tls = match.object('tlsContext');
    if (tls !== undefined) yield* matchTls(tls, request);
    for (const [index, matcher] of match.objects('dynamicMetadata').entries())
      yield matchMetadata(matcher, `match.dynamicMetadata[${index}]`, of.metadata);
    if (match.objects('filterState').length > 0)
      yield {
        verdict: 'depends',
        reason: 'it depends on the filter state of the connection and the request (filter_state)',
        path: 'match.filterState',
      };
  }
  const fraction = match.object('runtimeFraction');
  if (fraction !== undefined) yield matchFraction(fraction, profile);
}

/** "Envoy will only match requests with content-type application/grpc" or one that begins with application/grpc+. */
function matchGrpc(find: FindHeader): Match {
  const type = find('content-type');
  const value = type.kind === 'value' ? type.first : undefined;
  return matchIf(isGrpcRequest(find), 'match.grpc', () =>
    value === undefined
      ? 'the request must be a gRPC request, and it has no content-type'
      : `the request must be a gRPC request, and its content-type is ${JSON.stringify(value)}`,
  );
}

function* matchParameters(
  matchers: readonly FieldReader[],
  query: ReadonlyMap<string, string>,
): Generator<Match> {
  for (const [index, matcher] of matchers.entries()) {
    const name = matcher.string('name');
    const path = `match.queryParameters[${index}]`;
    const value = query.get(name);
    const text = matcher.object('stringMatch');
    if (text === undefined) {
      const isWanted = !matcher.has('presentMatch') || matcher.boolean('presentMatch');
      yield matchIf((value !== undefined) === isWanted, path, () =>
        isWanted
          ? `query parameter ${name} must be present, and the request does not have it`
          : `query parameter ${name} must be absent, and the request has it`,
      );
      continue;
    }
    yield matchNamed(`query parameter ${name}`, text, value, path);
  }
}

function* matchCookies(
  matchers: readonly FieldReader[],
  cookies: ReadonlyMap<string, string>,
): Generator<Match> {
  for (const [index, matcher] of matchers.entries()) {
    const name = matcher.string('name');
    const path = `match.cookies[${index}]`;
    const text = matcher.object('stringMatch');
    const value = cookies.get(name);
    const match =
      text === undefined
        ? matchIf(value !== undefined, path, () => `cookie ${name} must be present`)
        : matchNamed(`cookie ${name}`, text, value, path);
    if (!matcher.boolean('invertMatch') || match.verdict === 'depends') yield match;
    else
      yield matchIf(match.verdict === 'no-match', path, () => `cookie ${name} must not match (invert_match)`);
  }
}

function matchNamed(what: string, text: FieldReader, value: string | undefined, path: string): Match {
  const result = matchString(text, value ?? '');
  if (result.kind === 'unknown') return { verdict: 'depends', reason: result.reason, path };
  if (value === undefined)
    return { verdict: 'no-match', reason: `${what} is absent, and must ${result.expected}`, path };
  return matchIf(
    result.holds,
    path,
    () => `${what} is ${JSON.stringify(value)}, and must ${result.expected}`,
  );
}

/** A client certificate is presented only in a TLS connection. */
function* matchTls(tls: FieldReader, { scheme, connection }: ExplainRequest): Generator<Match> {
  const isTls = connection?.isTls ?? scheme === 'https';
  for (const field of ['presented', 'validated']) {
    if (!tls.has(field)) continue;
    const path = `match.tlsContext.${field}`;
    if (!isTls)
      yield matchIf(
        !tls.boolean(field),
        path,
        () => `a client certificate must be ${field}, and the request is sent without TLS`,
      );
    else yield { verdict: 'depends', reason: `it depends on the client certificate (${field})`, path };
  }
}

function matchFraction(fraction: FieldReader, profile: Profile): Match {
  const path = 'match.runtimeFraction';
  const percent = readPercent(fraction.object('defaultValue'));
  const key = clientOf(profile) === 'envoy' ? fraction.string('runtimeKey') : '';
  if (key !== '')
    return {
      verdict: 'depends',
      reason: `it matches a share of requests that runtime key ${JSON.stringify(key)} can set; the default is ${percent ?? 0}%`,
      path,
    };
  // gRPC ignores a fraction without default_value.
  if (percent === undefined || percent >= 100) return matched;
  if (percent === 0)
    return { verdict: 'no-match', reason: 'it matches 0% of requests (runtime_fraction)', path };
  return {
    verdict: 'depends',
    reason: `it matches ${percent}% of requests, chosen at random`,
    path,
    percent,
  };
}
