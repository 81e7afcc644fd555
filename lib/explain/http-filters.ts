import type { FieldReader } from '../model/field-reader';
import type { FilterUse } from '../resolve/resolve-listener';
import type { ExplainRequest, FindHeader } from './request';
import type { Verdict } from './trace';

export interface FilterStep {
  readonly name: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly path: string;
  /** Set if the filter may answer in place of the upstream. */
  readonly mayAnswer?: true;
}

const httpType = 'envoy.extensions.filters.http.';

/** Filters that may answer a request, or change its route, by what they ask others or by code. */
const forks: Readonly<Record<string, string>> = {
  ext_authz: 'an external service decides whether the request is allowed',
  ext_proc: 'an external service may change or answer the request',
  lua: 'a script may change or answer the request',
  wasm: 'a module may change or answer the request',
  golang: 'a library may change or answer the request',
  dynamic_modules: 'a module may change or answer the request',
  ratelimit: 'a rate limit service decides whether the request is allowed',
  rate_limit_quota: 'a rate limit service decides whether the request is allowed',
  local_ratelimit: 'a token bucket decides whether the request is allowed',
  jwt_authn: 'the token of the request decides whether it is allowed',
  oauth2: 'the tokens of the request decide whether it is redirected to sign in',
  basic_auth: 'the credentials of the request decide whether it is allowed',
  api_key_auth: 'the key of the request decides whether it is allowed',
  csrf: 'the origin of the request decides whether it is allowed',
  health_check: 'it answers health checks',
  adaptive_concurrency: 'the measured latency decides whether the request is allowed',
  admission_control: 'the measured success rate decides whether the request is allowed',
  cache: 'a cached response may be served',
  composite: 'a matcher chooses the filter for each request',
};

export interface FilterContext {
  readonly request: ExplainRequest;
  readonly find: FindHeader;
  /** The virtual host, the route and the weighted cluster, in this order: the last one that has a config wins. */
  readonly owners: readonly FieldReader[];
}

/** "HTTP filters are called in the order of the list"; `uses` are the same filters as the client uses them. */
export function explainFilters(
  manager: FieldReader,
  uses: readonly FilterUse[],
  { request, find, owners }: FilterContext,
): FilterStep[] {
  return manager.objects('httpFilters').map((filter, index): FilterStep => {
    const name = filter.string('name');
    const base = { name, path: `httpFilters[${index}]` };
    const use = uses[index];
    if (use !== undefined && use.ignoredBecause !== '')
      return { ...base, verdict: 'not-taken', reason: use.ignoredBecause };
    const override = findOverride(owners, name);
    const isWrapped = override?.messageName() === 'envoy.config.route.v3.FilterConfig';
    if (isWrapped && override?.boolean('disabled'))
      return { ...base, verdict: 'not-taken', reason: 'it is disabled here (typed_per_filter_config)' };
    if (filter.boolean('disabled') && override === undefined)
      return { ...base, verdict: 'not-taken', reason: 'it is disabled, and nothing here enables it' };
    if (filter.has('configDiscovery'))
      return { ...base, verdict: 'depends', reason: 'its config is discovered (ECDS)', mayAnswer: true };
    const type = filter.object('typedConfig')?.messageName() ?? '';
    const kind = type.startsWith(httpType) ? (type.slice(httpType.length).split('.')[0] ?? '') : '';
    if (kind === 'router') return { ...base, verdict: 'taken', reason: 'it forwards the request' };
    if (kind === 'cors' && isPreflight(request, find))
      return {
        ...{ ...base, verdict: 'depends', mayAnswer: true },
        reason: 'it answers preflight requests whose origin the policy allows',
      };
    const denied = use?.denied ?? '';
    if (kind === 'rbac' || kind === 'fault')
      return denied === '' && override === undefined
        ? { ...base, verdict: 'taken', reason: 'it denies no request' }
        : {
            ...base,
            verdict: 'depends',
            reason: denied || 'its config for the route decides',
            mayAnswer: true,
          };
    const fork = forks[kind];
    if (fork !== undefined) return { ...base, verdict: 'depends', reason: fork, mayAnswer: true };
    return isKnown.test(kind)
      ? { ...base, verdict: 'taken', reason: '' }
      : { ...base, verdict: 'unknown', reason: `${type || 'its type'} is not evaluated`, mayAnswer: true };
  });
}

/** Filters that answer no request and change nothing by which a request is routed. */
const isKnown =
  /^(cors|router|buffer|compressor|decompressor|grpc_stats|grpc_web|grpc_http1_bridge|stateful_session|bandwidth_limit|tap|on_demand|geoip|custom_response|kill_request|upstream_codec|set_metadata|gcp_authn|alpn|peer_metadata)$/;

function findOverride(owners: readonly FieldReader[], name: string): FieldReader | undefined {
  return owners.map((each) => each.object('typedPerFilterConfig')?.object(name)).findLast((each) => each);
}

function isPreflight({ method }: ExplainRequest, find: FindHeader): boolean {
  return (
    method === 'OPTIONS' &&
    find('origin').kind === 'value' &&
    find('access-control-request-method').kind === 'value'
  );
}
