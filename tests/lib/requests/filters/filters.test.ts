import { expect, it } from 'vitest';
import { decideCors } from '@/lib/requests/filters/cors';
import { decideApiKeyAuth, decideBasicAuth, decideCsrf } from '@/lib/requests/filters/credentials';
import { decideFault } from '@/lib/requests/filters/fault';
import type { EvaluateFilter } from '@/lib/requests/filters/filter-decision';
import { decideExtAuthz, findFork } from '@/lib/requests/filters/forks';
import { decideLocalRateLimit } from '@/lib/requests/filters/local-ratelimit';
import { findService } from '@/lib/requests/filters/services';
import { check, preflight } from './check-rows';
import { filterRequest, resultOf } from './filter-requests';

const share = (numerator: number, runtimeKey?: string) => ({
  defaultValue: { numerator, denominator: 'HUNDRED' },
  ...(runtimeKey && { runtimeKey }),
});

const origins = (...matchers: readonly object[]) => ({ allowOriginStringMatch: matchers });
const always = { filterEnabled: share(100) };
const allowsA = origins({ exact: 'http://a.example' });
const allowsB = origins({ exact: 'http://b.example' });

check('a CORS filter', decideCors, [
  [
    'an origin is allowed if any of the string matchers match',
    [
      [{ ...preflight, overrides: [allowsA] }, '200'],
      [{ ...preflight, overrides: [origins({ suffix: '.org' }, { suffix: '.example' })] }, '200'],
      [{ ...preflight, overrides: [allowsB] }, 'passes'],
      [{ ...preflight, overrides: [origins({ exact: '*' })] }, '200'],
      [{ ...preflight, overrides: [origins({ custom: { name: 'c' } })] }, 'depends 200'],
    ],
  ],
  [
    'only a preflight request is answered: OPTIONS with origin and access-control-request-method',
    [
      [{ ...preflight, line: 'GET a/', overrides: [allowsA] }, 'passes'],
      [{ ...preflight, headers: ['origin: http://a.example'], overrides: [allowsA] }, 'passes'],
      [{ ...preflight, headers: ['access-control-request-method: PUT'], overrides: [allowsA] }, 'passes'],
    ],
  ],
  [
    'the policy of the route, else of the virtual host; without a policy the request passes',
    [
      [preflight, 'passes'],
      [{ ...preflight, overrides: [allowsB, allowsA] }, 'passes'],
      [{ ...preflight, overrides: [{}, allowsA] }, '200'],
      [{ ...preflight, owners: [{ route: { cors: allowsA } }, {}] }, '200'],
      [{ ...preflight, owners: [{ route: {} }, { cors: allowsA }] }, '200'],
      [{ ...preflight, owners: [{ redirect: {} }], overrides: [allowsA] }, 'passes'],
      [{ ...preflight, owners: [], overrides: [allowsA] }, 'passes'],
    ],
  ],
  [
    'filter_enabled: the % of requests for which the CORS filter is enabled, by default 100%',
    [
      [{ ...preflight, overrides: [{ ...allowsA, filterEnabled: share(0) }] }, 'passes'],
      [{ ...preflight, overrides: [{ ...allowsA, filterEnabled: share(30) }] }, 'depends 200 30%'],
      [{ ...preflight, overrides: [{ ...allowsA, filterEnabled: share(0) }, always] }, 'passes'],
      [{ ...preflight, overrides: [{ ...allowsA, ...always }, { filterEnabled: share(0) }] }, '200'],
      [{ ...preflight, overrides: [{ ...allowsA, filterEnabled: share(100, 'key') }] }, 'depends 200'],
    ],
  ],
  [
    'forward_not_matching_preflights: whether preflight requests not matching the allowed origin are forwarded, by default true',
    [
      [{ ...preflight, overrides: [{ ...allowsB, forwardNotMatchingPreflights: false }] }, '200'],
      [{ ...preflight, overrides: [{ ...allowsB, forwardNotMatchingPreflights: true }] }, 'passes'],
    ],
  ],
]);

const abort = (more: object, numerator = 100): object => ({ abort: { percentage: { numerator }, ...more } });
const byHeader = abort({ headerAbort: {} });
const withHeaders = (...headers: readonly string[]) => ({ headers });

check('a fault filter', decideFault, [
  [
    'abort: the percentage of requests that will be aborted with the error code provided',
    [
      [{ config: abort({ httpStatus: 503 }) }, '503 FI'],
      [{ config: abort({ httpStatus: 503 }, 0) }, 'passes'],
      [{ config: abort({ httpStatus: 503 }, 20) }, 'depends 503 FI 20%'],
      [
        { config: { abort: { httpStatus: 503, percentage: { numerator: 1, denominator: 'TEN_THOUSAND' } } } },
        'depends 503 FI 0.01%',
      ],
      [{ config: { abort: { httpStatus: 503 } } }, 'passes'],
      [{ config: { delay: { fixedDelay: '1s', percentage: { numerator: 100 } } } }, 'passes'],
    ],
  ],
  [
    'grpc_status: gRPC status code to use to abort the gRPC request (measured: the HTTP status is 200)',
    [
      [{ config: abort({ grpcStatus: 5 }) }, '200 FI'],
      [{ config: abort({ grpcStatus: 5 }), headers: ['content-type: application/grpc'] }, 'NOT_FOUND FI'],
    ],
  ],
  [
    'header_abort: fault aborts are controlled via an HTTP header',
    [
      [{ config: byHeader }, 'passes'],
      [{ config: byHeader, ...withHeaders('x-envoy-fault-abort-request: 418') }, '418 FI'],
      [{ config: byHeader, ...withHeaders('x-envoy-fault-abort-request: 700') }, 'passes'],
      [{ config: byHeader, ...withHeaders('x-envoy-fault-abort-request: x') }, 'passes'],
      [{ config: byHeader, ...withHeaders('x-envoy-fault-abort-grpc-request: 7') }, '200 FI'],
      [
        {
          config: byHeader,
          ...withHeaders('x-envoy-fault-abort-request: 418', 'x-envoy-fault-abort-request-percentage: 0'),
        },
        'passes',
      ],
      [
        {
          config: abort({ headerAbort: {} }, 30),
          ...withHeaders('x-envoy-fault-abort-request: 418', 'x-envoy-fault-abort-request-percentage: 50'),
        },
        'depends 418 FI 30%',
      ],
    ],
  ],
  [
    'headers: a match will happen if all the headers in the config are present with the same values',
    [
      [{ config: { ...abort({ httpStatus: 503 }), headers: [{ name: 'x', exactMatch: 'a' }] } }, 'passes'],
      [
        {
          config: { ...abort({ httpStatus: 503 }), headers: [{ name: 'x', exactMatch: 'a' }] },
          headers: ['x: a'],
        },
        '503 FI',
      ],
      [{ config: { ...abort({ httpStatus: 503 }), headers: [{ name: 'x-request-id' }] } }, 'depends 503 FI'],
    ],
  ],
  [
    'upstream_cluster: restricted to requests bound to the cluster; downstream_nodes: to the node that the header names',
    [
      [{ config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'a' }, cluster: 'b' }, 'passes'],
      [{ config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'a' }, cluster: 'a' }, '503 FI'],
      [{ config: { ...abort({ httpStatus: 503 }), downstreamNodes: ['n'] } }, 'depends 503 FI'],
      [{ config: { ...abort({ httpStatus: 503 }), maxActiveFaults: 1 } }, 'depends 503 FI'],
    ],
  ],
  [
    'the config of the route replaces that of the filter',
    [
      [{ config: abort({ httpStatus: 503 }), overrides: [abort({ httpStatus: 418 }), byHeader] }, '418 FI'],
      [{ config: abort({ httpStatus: 503 }), overrides: [{}] }, 'passes'],
    ],
  ],
  [
    'gRFC A33: in gRPC clients, an HTTP status is mapped to a gRPC status',
    [
      [{ config: abort({ httpStatus: 503 }), client: 'go' }, 'UNAVAILABLE'],
      [{ config: abort({ httpStatus: 404 }), client: 'java' }, 'UNIMPLEMENTED'],
      [{ config: abort({ grpcStatus: 16 }), client: 'core' }, 'UNAUTHENTICATED'],
      [
        { config: byHeader, client: 'go', ...withHeaders('x-envoy-fault-abort-request: 403') },
        'PERMISSION_DENIED',
      ],
    ],
  ],
  [
    'gRFC A33: gRPC does not support headers, upstream_cluster and downstream_nodes',
    [
      [
        { config: { ...abort({ httpStatus: 503 }), headers: [{ name: 'absent' }] }, client: 'go' },
        'UNAVAILABLE',
      ],
      [{ config: { ...abort({ httpStatus: 503 }), headers: [{ name: 'absent' }] } }, 'passes'],
      [
        { config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'other' }, client: 'node' },
        'UNAVAILABLE',
      ],
    ],
  ],
  [
    'upstream_cluster: it depends as long as the cluster of a route is chosen by weight',
    [
      [{ config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'a' } }, 'depends 503 FI'],
      [{ config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'a' }, cluster: 'a' }, '503 FI'],
      [{ config: { ...abort({ httpStatus: 503 }), upstreamCluster: 'a' }, owners: [] }, 'passes'],
    ],
  ],
]);

const bucket = { tokenBucket: { maxTokens: 5, fillInterval: '1s' } };
const enabled = { filterEnabled: share(100), filterEnforced: share(100) };

check('a local rate limit filter', decideLocalRateLimit, [
  [
    'filter_enabled and filter_enforced: defaults to 0% of requests for safety',
    [
      [{ config: bucket }, 'passes'],
      [{ config: { ...bucket, filterEnabled: share(100) } }, 'passes'],
      [{ config: { ...bucket, ...enabled } }, 'depends 429 RL'],
      [{ config: { ...bucket, ...enabled, filterEnforced: share(0) } }, 'passes'],
      [{ config: { ...bucket, ...enabled, filterEnforced: share(0, 'key') } }, 'depends 429 RL'],
    ],
  ],
  [
    'descriptors: a limit without a token bucket of its own needs rate_limits that add a descriptor (measured)',
    [
      [{ config: { ...enabled, descriptors: [{}] } }, 'passes'],
      [
        { config: { ...enabled, descriptors: [{}] }, owners: [{ route: { rateLimits: [{}] } }] },
        'depends 429 RL',
      ],
      [{ config: { ...enabled, descriptors: [{}] }, owners: [{ rateLimits: [{}] }] }, 'depends 429 RL'],
      [{ config: { ...enabled, descriptors: [{}], rateLimits: [{}] } }, 'depends 429 RL'],
      [{ config: { ...enabled, ...bucket, descriptors: [{}] } }, 'depends 429 RL'],
    ],
  ],
  [
    'status: defaults to 429; if this is set to < 400, 429 will be used instead',
    [
      [{ config: { ...bucket, ...enabled, status: { code: 'ServiceUnavailable' } } }, 'depends 503 RL'],
      [{ config: { ...bucket, ...enabled, status: { code: 'OK' } } }, 'depends 429 RL'],
    ],
  ],
  [
    'the token bucket of the route replaces that of the filter',
    [
      [{ config: {}, overrides: [{ ...bucket, ...enabled }] }, 'depends 429 RL'],
      [{ config: { ...bucket, ...enabled }, overrides: [{}] }, 'passes'],
      [{ config: enabled }, 'passes'],
    ],
  ],
]);

const post = 'POST shop.example/cart';

check('a CSRF filter', decideCsrf, [
  [
    'the origin of a request that modifies must be its destination or an additional origin',
    [
      [{ config: always }, 'passes'],
      [{ config: always, line: post }, '403'],
      [{ config: always, line: post, headers: ['origin: http://shop.example'] }, 'passes'],
      [{ config: always, line: post, headers: ['origin: http://other.example'] }, '403'],
      [{ config: always, line: post, headers: ['referer: https://shop.example/a?b'] }, 'passes'],
      [
        {
          config: { ...always, additionalOrigins: [{ suffix: '.org' }] },
          line: post,
          headers: ['origin: http://a.org'],
        },
        'passes',
      ],
    ],
  ],
  [
    'filter_enabled: the % of requests for which the CSRF filter is enabled',
    [
      [{ config: { filterEnabled: share(0) }, line: post }, 'passes'],
      [{ config: { filterEnabled: share(50) }, line: post }, 'depends 403 50%'],
      [{ config: always, overrides: [{ filterEnabled: share(0) }], line: post }, 'passes'],
    ],
  ],
]);

check('a basic auth filter', decideBasicAuth, [
  [
    'requests without valid credentials are rejected with 401',
    [
      [{}, '401'],
      [{ headers: ['authorization: Bearer x'] }, '401'],
      [{ headers: ['authorization: Basic eDp5'] }, 'depends 401'],
      [{ config: { authenticationHeader: 'x-auth' }, headers: ['authorization: Basic eDp5'] }, '401'],
      [{ config: { allowMissing: true } }, 'passes'],
    ],
  ],
]);

check('an API key filter', decideApiKeyAuth, [
  [
    'key_sources: where the key is looked for; without one the request is rejected with 401',
    [
      [{ config: { keySources: [{ header: 'x-key' }] } }, '401'],
      [{ config: { keySources: [{ header: 'x-key' }] }, headers: ['x-key: k'] }, 'depends 401'],
      [{ config: { keySources: [{ query: 'k' }] }, line: 'GET a/?k=1' }, 'depends 401'],
      [{ config: { keySources: [{ cookie: 'k' }] }, headers: ['cookie: k=1'] }, 'depends 401'],
      [
        {
          config: { keySources: [{ query: 'k' }] },
          overrides: [{ keySources: [{ header: 'k' }] }],
          line: 'GET a/?k=1',
        },
        '401',
      ],
    ],
  ],
]);

check('an external authorization filter', decideExtAuthz, [
  [
    'the service decides, with a status of its own; clear_route_cache allows it to change the route',
    [
      [{}, 'depends UAEX'],
      [{ config: { clearRouteCache: true } }, 'depends on anything'],
      [{ owners: [] }, 'passes'],
      [{ overrides: [{ disabled: true }] }, 'passes'],
      [{ config: { filterEnabled: share(0) } }, 'passes'],
      [{ config: { filterEnabled: share(0), denyAtDisable: {} } }, 'depends UAEX'],
    ],
  ],
]);

const gone = { httpService: { serverUri: { cluster: 'gone' } } };
const goneByGrpc = { grpcService: { envoyGrpc: { clusterName: 'gone' } } };
const limited = { rateLimitService: goneByGrpc };
const failing = ['gone'];
const ofKind = (kind: string): EvaluateFilter =>
  findService(kind) ?? (() => ({ kind: 'passes', reason: '' }));

// Measured with Envoy 1.40.0.
check('an external authorization filter whose service cannot be called', ofKind('ext_authz'), [
  [
    'denies each request, unless failures are allowed',
    [
      [{ config: gone }, 'depends UAEX'],
      [{ config: gone, failing }, '403 UAEX'],
      [{ config: goneByGrpc, failing }, '403 UAEX'],
      [{ config: gone, owners: [], failing }, 'passes'],
      [{ config: { ...gone, statusOnError: { code: 'ServiceUnavailable' } }, failing }, '503 UAEX'],
      [{ config: { ...gone, failureModeAllow: true }, failing }, 'passes'],
      [{ config: { ...gone, filterEnabled: share(50) }, failing }, 'depends UAEX'],
      [{ config: gone, overrides: [{ disabled: true }], failing }, 'passes'],
      [
        {
          config: gone,
          overrides: [{ checkSettings: { httpService: { serverUri: { cluster: 'other' } } } }],
          failing,
        },
        'depends UAEX',
      ],
    ],
  ],
]);

check('an external processor that cannot be called', ofKind('ext_proc'), [
  [
    'answers each request with 500, unless failures are allowed',
    [
      [{ config: goneByGrpc }, 'depends on anything'],
      [{ config: goneByGrpc, failing }, '500'],
      [{ config: { ...goneByGrpc, failureModeAllow: true }, failing }, 'passes'],
      [
        { config: { ...goneByGrpc, processingMode: { requestHeaderMode: 'SKIP' } }, failing },
        'depends on anything',
      ],
    ],
  ],
]);

check('a rate limit filter whose service cannot be called', ofKind('ratelimit'), [
  [
    'lets requests pass, unless failures deny those that have a limit',
    [
      [{ config: limited }, 'depends 429 RL'],
      [{ config: limited, failing }, 'passes'],
      [{ config: { ...limited, failureModeDeny: true }, failing }, 'depends 500 RLSE'],
      [
        { config: { ...limited, failureModeDeny: true, statusOnError: { code: 503 } }, failing },
        'depends 503 RLSE',
      ],
    ],
  ],
]);

it.each([
  ['lua', 'depends on anything'],
  ['ext_proc', 'depends on anything'],
  ['wasm', 'depends on anything'],
  ['composite', 'depends on anything'],
  ['ratelimit', 'depends 429 RL'],
  ['admission_control', 'depends 503'],
])('what a filter %s does is not guessed', (kind, expected) => {
  expect(resultOf(findFork(kind) ?? (() => ({ kind: 'passes', reason: '' })), {})).toBe(expected);
});

it('the delay of a fault and the bucket of a limit are stated', () => {
  const delay = { delay: { fixedDelay: '2s', percentage: { numerator: 100 } } };
  expect(decideFault(filterRequest({ config: delay })).reason).toBe('it delays the request by 2s');
  expect(decideLocalRateLimit(filterRequest({ config: { ...bucket, ...enabled } })).reason).toBe(
    'a token bucket decides: 5 tokens at most, 1 added every 1s',
  );
});
