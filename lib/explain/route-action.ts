import type { FieldReader } from '../model/field-reader';
import { type LbMetadata, mergeCriteria } from '../model/subset';
import { type ExplainRequest, type FindHeader, hostOf, valuesSent } from '../requests/request';
import { replaceRe2 } from '../validate/re2';
import { clientOf, type Profile } from '../xds/profile';
import type { Setting } from './trace';

export interface ClusterTarget {
  readonly cluster: string;
  /** By which weight, or by which header, it is chosen; empty if the route names it alone. */
  readonly when: string;
  readonly percent?: number | undefined;
  /** The weighted cluster, which may have configs of filters. */
  readonly owner?: FieldReader;
  /** By which an Envoy chooses a subset of the hosts; absent: the route has none. */
  readonly criteria?: LbMetadata | undefined;
}

/** What a route does with a request that it matches. `path` is the field of the route. */
type RouteDecision =
  | {
      readonly kind: 'clusters';
      readonly targets: readonly ClusterTarget[];
      readonly path: string;
      readonly text: string;
    }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly location?: string;
      readonly path: string;
      readonly text: string;
    }
  | {
      readonly kind: 'failed';
      /** Absent in gRPC, which answers with UNAVAILABLE. */
      readonly status?: number;
      readonly flag?: string;
      readonly path: string;
      readonly text: string;
    }
  | { readonly kind: 'unknown'; readonly path: string; readonly text: string };

export function decideRoute(
  route: FieldReader,
  request: ExplainRequest,
  find: FindHeader,
  profile: Profile,
): RouteDecision {
  const isEnvoy = clientOf(profile) === 'envoy';
  const action = route.object('route');
  if (action !== undefined) return decideCluster(action, find, isEnvoy);
  if (!isEnvoy) {
    const field = ['redirect', 'directResponse', 'filterAction', 'nonForwardingAction'].find((each) =>
      route.has(each),
    );
    return {
      kind: 'failed',
      path: field ?? '',
      text: 'a gRPC client forwards no RPC for a route with this action',
    };
  }
  const redirect = route.object('redirect');
  if (redirect !== undefined) return decideRedirect(redirect, route.object('match'), request);
  const direct = route.object('directResponse');
  if (direct !== undefined) {
    const status = direct.number('status') ?? 0;
    return {
      ...{ kind: 'answered', status, path: 'directResponse', text: 'direct_response of the route' },
      // Measured: the location is the request itself.
      ...((status === 201 || (status >= 300 && status < 400)) && addressOf(request)),
    };
  }
  return { kind: 'unknown', path: '', text: 'the action of the route is not evaluated' };
}

function decideCluster(action: FieldReader, find: FindHeader, isEnvoy: boolean): RouteDecision {
  if (action.has('cluster')) {
    const cluster = action.string('cluster');
    const path = 'route.cluster';
    const target = { cluster, when: '', criteria: mergeCriteria(action) };
    return { kind: 'clusters', targets: [target], path, text: `to cluster ${cluster}` };
  }
  const weighted = action.object('weightedClusters');
  if (weighted !== undefined) return decideWeighted(action, weighted, find);
  const header = action.string('clusterHeader');
  if (header !== '' && isEnvoy) {
    const path = 'route.clusterHeader';
    const value = find(header);
    if (value.kind === 'depends') return { kind: 'unknown', path, text: value.reason };
    if (value.kind === 'absent' || value.first === '')
      return {
        ...{ kind: 'failed', status: 503, flag: 'NC', path },
        text: `header ${header} chooses the cluster, and the request does not have it`,
      };
    const text = `header ${header} chooses cluster ${value.first}`;
    const target = { cluster: value.first, when: '', criteria: mergeCriteria(action) };
    return { kind: 'clusters', targets: [target], path, text };
  }
  const plugin = action.string('clusterSpecifierPlugin');
  return {
    ...{ kind: 'unknown', path: 'route' },
    text:
      plugin === ''
        ? 'the route chooses the cluster in a way that is not evaluated'
        : `cluster specifier plugin ${JSON.stringify(plugin)} chooses the cluster for each request`,
  };
}

/** "Random by weight"; the sum of the weights is the total. */
function decideWeighted(action: FieldReader, weighted: FieldReader, find: FindHeader): RouteDecision {
  const path = 'route.weightedClusters';
  const clusters = weighted
    .objects('clusters')
    .map((each) => ({ each, weight: each.number('weight') ?? 0 }))
    .filter(({ weight }) => weight > 0);
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  const isByRuntime = weighted.string('runtimeKeyPrefix') !== '';
  const isRandom = !isByRuntime && !weighted.has('headerName') && !weighted.has('useHashPolicy');
  const targets: ClusterTarget[] = [];
  for (const { each, weight } of clusters) {
    const header = each.string('clusterHeader');
    const value = header === '' ? undefined : find(header);
    const cluster = value?.kind === 'value' ? value.first : each.string('name');
    const percent = isRandom ? (weight / sum) * 100 : undefined;
    const criteria = mergeCriteria(action, each);
    targets.push({ cluster, when: `weight ${weight} of ${sum}`, percent, owner: each, criteria });
  }
  if (clusters.length === 0) return { kind: 'unknown', path, text: 'no weighted cluster has a weight' };
  const [only] = targets;
  if (targets.length === 1 && only !== undefined)
    return {
      kind: 'clusters',
      targets: [{ ...only, when: '', percent: undefined }],
      path,
      text: `to cluster ${only.cluster}`,
    };
  const how = isByRuntime
    ? 'by weights that the runtime can set'
    : isRandom
      ? 'at random by weight'
      : 'by weight and a hash or header of the request';
  return { kind: 'clusters', targets, path, text: `one of ${targets.length} clusters is chosen ${how}` };
}

const redirectStatus: Readonly<Record<string, number>> = {
  MOVED_PERMANENTLY: 301,
  FOUND: 302,
  SEE_OTHER: 303,
  TEMPORARY_REDIRECT: 307,
  PERMANENT_REDIRECT: 308,
};

function decideRedirect(
  redirect: FieldReader,
  match: FieldReader | undefined,
  request: ExplainRequest,
): RouteDecision {
  const status = redirectStatus[redirect.enumName('responseCode', 'MOVED_PERMANENTLY')] ?? 301;
  const location = request.path === '' ? '' : locationOf(redirect, match, request);
  const to = location === undefined ? 'to a rewritten path' : `to ${location}`;
  return {
    ...{ kind: 'answered', status, path: 'redirect' },
    ...(location !== undefined && { location }),
    text: `a redirect ${to}`,
  };
}

/** A CONNECT request without a path has no address to which a response could lead. */
export function addressOf({ scheme, authority, path }: ExplainRequest): { readonly location?: string } {
  return path === '' ? {} : { location: `${scheme}://${authority}${path}` };
}

/** undefined if the regular expression that rewrites the path does not compile. */
function locationOf(
  redirect: FieldReader,
  match: FieldReader | undefined,
  { scheme, authority, path, headers }: ExplainRequest,
): string | undefined {
  const newScheme = redirect.boolean('httpsRedirect') ? 'https' : redirect.string('schemeRedirect') || scheme;
  const port = redirect.number('portRedirect') ?? 0;
  const ownHost = redirect.string('hostRedirect');
  // Measured: x-forwarded-proto as it is, in place of the scheme that follows from it.
  const stated = valuesSent({ headers }, 'x-forwarded-proto');
  const protocol = stated.length === 0 ? scheme : stated.join(',');
  const usualPort = { http: ':80', https: ':443' }[protocol.toLowerCase()];
  const isUsualPort = usualPort !== undefined && authority.endsWith(usualPort);
  const dropsPort = port !== 0 || (newScheme !== protocol && isUsualPort);
  const host = ownHost || (dropsPort ? hostOf(authority) : authority);
  const [, query = ''] = /^[^?]*(\?.*)?$/s.exec(path) ?? [];
  const keepsQuery = !redirect.boolean('stripQuery');
  const pathOnly = path.slice(0, path.length - query.length);
  const replacement = redirect.string('pathRedirect');
  const prefix = redirect.string('prefixRewrite');
  const regex = redirect.object('regexRewrite');
  const byRegex = regex === undefined ? pathOnly : rewriteByRegex(regex, pathOnly);
  if (byRegex === undefined) return undefined;
  const rewritten = prefix === '' ? byRegex : rewritePrefix(match, prefix, pathOnly);
  const ownQuery = replacement.includes('?') || !keepsQuery ? '' : query;
  const newPath = (replacement || rewritten) + ownQuery;
  return `${newScheme}://${host}${port === 0 ? '' : `:${port}`}${newPath}`;
}

/** The timeout, retries, rewrites and mirrors that apply to a request that the route forwards. */
export function settingsOf(
  route: FieldReader,
  host: FieldReader,
  manager: FieldReader,
  { path, profile }: { readonly path: string; readonly profile: Profile },
): Setting[] {
  const action = route.object('route');
  if (action === undefined) return [];
  const isEnvoy = clientOf(profile) === 'envoy';
  const settings: Setting[] = [];
  const add = (name: string, value: string): void => {
    if (value !== '') settings.push({ name, value });
  };
  const retry = action.object('retryPolicy') ?? host.object('retryPolicy');
  add('Timeout', isEnvoy ? envoyTimeout(action) : grpcTimeout(action, manager));
  if (isEnvoy) for (const [name, value] of timeLimitsOf(action, retry, manager)) add(name, value);
  if (retry !== undefined) {
    const from = action.has('retryPolicy') ? 'the route' : 'the virtual host';
    add(
      'Retries',
      `${retry.number('numRetries') ?? 1} on ${retry.string('retryOn') || 'nothing'}, by ${from}`,
    );
  }
  if (isEnvoy) {
    add('Path rewrite', describePathRewrite(route, action, path));
    const host = action.string('hostRewriteLiteral') || action.string('hostRewriteHeader');
    if (host !== '')
      add('Host rewrite', action.has('hostRewriteLiteral') ? host : `the value of header ${host}`);
    else if (action.boolean('autoHostRewrite')) add('Host rewrite', 'the host name of the endpoint');
    const mirrors = action.objects('requestMirrorPolicies').map((each) => {
      const percent = each.object('runtimeFraction')?.object('defaultValue')?.number('numerator');
      return `${each.string('cluster') || `the cluster of header ${each.string('clusterHeader')}`}${percent === undefined ? '' : ' (a share of the requests)'}`;
    });
    add('Mirrored to', mirrors.join(', '));
  }
  const hash = action.objects('hashPolicy').map((each) => {
    const kind = ['header', 'cookie', 'queryParameter', 'connectionProperties', 'filterState'].find((name) =>
      each.has(name),
    );
    const config = kind === undefined ? undefined : each.object(kind);
    const name = config?.string('headerName') || config?.string('name') || config?.string('key') || '';
    return `${kind ?? 'unknown'}${name === '' ? '' : ` ${name}`}`;
  });
  add('Hash policy', hash.join(', '));
  return settings;
}

/** The part of the path that the route matched is replaced: the whole path if it matched a regular expression. */
function rewritePrefix(match: FieldReader | undefined, prefix: string, path: string): string {
  if (match?.has('safeRegex') || match?.has('path')) return prefix;
  const own = match?.string('prefix') || match?.string('pathSeparatedPrefix') || '';
  return prefix + path.slice(own.length);
}

/** A RegexMatchAndSubstitute; undefined if its pattern does not compile. */
function rewriteByRegex(regex: FieldReader, path: string): string | undefined {
  return replaceRe2(regex.object('pattern')?.string('regex') ?? '', path, regex.string('substitution'));
}

function describePathRewrite(route: FieldReader, action: FieldReader, path: string): string {
  const match = route.object('match');
  const prefix = action.string('prefixRewrite');
  if (prefix !== '') return rewritePrefix(match, prefix, path);
  const regex = action.object('regexRewrite');
  if (regex === undefined) return '';
  const [, pathOnly = '', query = ''] = /^([^?]*)(.*)$/s.exec(path) ?? [];
  const rewritten = rewriteByRegex(regex, pathOnly);
  return rewritten === undefined ? '' : `${rewritten}${query}`;
}

/** "The default is 15s"; 0 disables it. */
function envoyTimeout(action: FieldReader): string {
  const own = action.string('timeout');
  if (own === '') return '15s, the default of a route';
  return Number.parseFloat(own) === 0 ? 'none (0s)' : own;
}

/** The times beside its timeout after which Envoy ends a request, as far as the config states them. */
function timeLimitsOf(action: FieldReader, retry: FieldReader | undefined, manager: FieldReader) {
  const connection = manager.object('commonHttpProtocolOptions');
  const [route, by] = ['the route', 'the connection manager'];
  const state = (
    ...places: readonly (readonly [FieldReader | undefined, field: string, whose: string])[]
  ) => {
    const [owner, field = '', whose] = places.find(([each, name]) => each?.has(name)) ?? [];
    const value = owner?.string(field) ?? '';
    return value === '' ? '' : `${Number.parseFloat(value) === 0 ? `none (${value})` : value}, by ${whose}`;
  };
  const duration = action.object('maxStreamDuration');
  return [
    ['Idle timeout', state([action, 'idleTimeout', route], [manager, 'streamIdleTimeout', by])],
    [
      'Max stream duration',
      state([duration, 'maxStreamDuration', route], [connection, 'maxStreamDuration', by]),
    ],
    ['Limit of grpc-timeout', state([duration, 'grpcTimeoutHeaderMax', route])],
    ['Timeout of each try', state([retry, 'perTryTimeout', 'the retry policy'])],
    ['Idle timeout of each try', state([retry, 'perTryIdleTimeout', 'the retry policy'])],
    ['Timeout to receive the request', state([manager, 'requestTimeout', by])],
  ] as const;
}

/** gRFC A31: grpc_timeout_header_max, else max_stream_duration of the route, else that of the connection manager. */
function grpcTimeout(action: FieldReader, manager: FieldReader): string {
  const own = action.object('maxStreamDuration');
  const limit =
    own?.string('grpcTimeoutHeaderMax') ||
    own?.string('maxStreamDuration') ||
    manager.object('commonHttpProtocolOptions')?.string('maxStreamDuration') ||
    '';
  return limit === '' || Number.parseFloat(limit) === 0
    ? 'the deadline of the RPC'
    : `the deadline of the RPC, ${limit} at most`;
}
