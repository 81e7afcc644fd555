import { matchHeader } from '../header-match';
import { matchAll } from '../match';
import {
  type EvaluateFilter,
  type FilterAnswer,
  type FilterDecision,
  type FilterRequest,
  passes,
} from './filter-decision';
import { readRuntimeShare } from './runtime-fraction';

/** Filters that may answer a request with any status, or change its route, by code or by what they ask others. */
const anyAnswer: Readonly<Record<string, string>> = {
  ext_proc: 'an external service may change or answer the request',
  lua: 'a script may change or answer the request',
  wasm: 'a module may change or answer the request',
  golang: 'a library may change or answer the request',
  dynamic_modules: 'a module may change or answer the request',
  oauth2: 'the tokens of the request decide whether it is redirected to sign in',
  cache: 'a cached response may be served',
  composite: 'a matcher chooses the filter for each request',
};

/** Measured with ext_proc: they see answers of the connection manager and of other filters, too. */
const changesAnswers = /^(ext_proc|lua|wasm|golang|dynamic_modules)$/;

const asksService = /^(ext_proc|ratelimit)$/;

/** Returns the reason why a filter of this kind may change an answer of Envoy itself; undefined if it does not. */
export function whyChangesAnswers(kind: string): string | undefined {
  return changesAnswers.test(kind) ? anyAnswer[kind] : undefined;
}

/** Filters that answer with a known status, or let the request pass unchanged. */
const oneAnswer: Readonly<Record<string, { readonly reason: string; readonly answer: FilterAnswer }>> = {
  ratelimit: {
    reason: 'a rate limit service decides whether the request is allowed',
    answer: { status: 429, flag: 'RL' },
  },
  rate_limit_quota: {
    reason: 'a rate limit service decides whether the request is allowed',
    answer: { status: 429 },
  },
  adaptive_concurrency: {
    reason: 'the measured latency decides whether the request is allowed',
    answer: { status: 503 },
  },
  admission_control: {
    reason: 'the measured success rate decides whether the request is allowed',
    answer: { status: 503 },
  },
};

/** What a filter of this kind does, if it cannot be predicted; undefined if it is none of them. */
export function findFork(kind: string): EvaluateFilter | undefined {
  const any = anyAnswer[kind];
  const service = asksService.test(kind) && ({ isService: true } as const);
  if (any !== undefined) return () => ({ kind: 'depends', reason: any, ...service });
  const one = oneAnswer[kind];
  return one && (() => ({ kind: 'depends', ...one, ...service }));
}

/** envoy.extensions.filters.http.health_check.v3: "If all of the headers match, the request will be considered a health check". */
export function decideHealthCheck({ config, find, profile }: FilterRequest): FilterDecision {
  const headers = config.objects('headers');
  const match = matchAll(headers.map((each, at) => matchHeader(each, `headers[${at}]`, find, profile)));
  return match.verdict === 'no-match'
    ? passes(`the request is no health check: ${match.reason}`)
    : { kind: 'depends', reason: 'it answers health checks by the state of Envoy' };
}

/** envoy.extensions.filters.http.ext_authz.v3: the service allows or denies, and chooses the status. */
export function decideExtAuthz({
  config,
  overrides,
  owners,
}: Pick<FilterRequest, 'config' | 'overrides' | 'owners'>): FilterDecision {
  // Measured with Envoy 1.40.0.
  if (owners.length === 0) return passes('it checks no request without a route');
  if (overrides[0]?.boolean('disabled')) return passes('it is disabled for the route');
  const share = readRuntimeShare(config.object('filterEnabled'), 100);
  if (share.percent === 0 && share.runtimeKey === '' && !config.has('denyAtDisable'))
    return passes('it checks 0% of requests (filter_enabled)');
  const reason = 'an external service decides whether the request is allowed';
  return config.boolean('clearRouteCache')
    ? { kind: 'depends', isService: true, reason: `${reason}, and may change its route (clear_route_cache)` }
    : {
        ...{ kind: 'depends', isService: true, reason: `${reason}; it chooses the status` },
        answer: { flag: 'UAEX' },
      };
}
