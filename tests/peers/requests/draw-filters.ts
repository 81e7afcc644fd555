import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { chooser, composite, matching, skip, withMatcher } from './draw-chosen-filters';
import { metadataNamespaces } from './draw-metadata';
import { header, rbac } from './draw-rbac';

type Json = Readonly<Record<string, unknown>>;

/** The HTTP filters of one config, by name, and what its routes and virtual hosts may have instead. */
export interface DrawnFilters {
  readonly filters: readonly Json[];
  /** By the name of a filter: configs for `typed_per_filter_config`. */
  readonly overrides: Readonly<Record<string, readonly Json[]>>;
}

const oneOf = fc.constantFrom;
const types = 'type.googleapis.com/envoy.extensions.filters.http';
const runtime = (numerator: number): Json => ({ defaultValue: { numerator, denominator: 'HUNDRED' } });
const share = oneOf(100, 100, 100, 0, 50);
const cors: fc.Arbitrary<Json> = fc
  .record({
    origins: oneOf(
      { exact: 'http://a.example' },
      { exact: '*' },
      { suffix: '.example' },
      { prefix: 'https' },
    ),
    enabled: fc.option(share.map(runtime)),
    forward: oneOf(undefined, undefined, true, false),
  })
  .map(({ origins, enabled, forward }) => ({
    allowOriginStringMatch: [origins],
    ...(enabled && { filterEnabled: enabled }),
    ...(forward !== undefined && { forwardNotMatchingPreflights: forward }),
  }));

const percentage = share.map((numerator) => ({ numerator }));
const fault: fc.Arbitrary<Json> = fc
  .record({
    abort: fc.oneof(
      fc.record({ httpStatus: oneOf(503, 418, 200), percentage }),
      fc.record({ grpcStatus: oneOf(14, 7, 5), percentage }),
      fc.record({ headerAbort: fc.constant({}), percentage }),
    ),
    delay: oneOf(undefined, undefined, { fixedDelay: '0.001s', percentage: { numerator: 100 } }),
    headers: fc.option(header, { freq: 2 }),
    upstreamCluster: oneOf(undefined, undefined, undefined, 'c0'),
  })
  .map(({ abort, delay, headers, upstreamCluster }) => ({
    abort,
    ...(delay && { delay }),
    ...(headers && { headers: [headers] }),
    ...(upstreamCluster && { upstreamCluster }),
  }));

const mutation: fc.Arbitrary<Json> = fc.oneof(
  oneOf('x-color', 'x-version', 'X-Absent').map((remove) => ({ remove })),
  fc
    .record({
      key: oneOf('x-color', 'x-version', 'x-absent'),
      value: oneOf('blue', '1', 'b%%', ''),
      appendAction: oneOf(
        'APPEND_IF_EXISTS_OR_ADD',
        'ADD_IF_ABSENT',
        'OVERWRITE_IF_EXISTS_OR_ADD',
        'OVERWRITE_IF_EXISTS',
      ),
      keepEmptyValue: fc.boolean(),
    })
    .map(({ key, value, ...rest }) => ({ append: { header: { key, value }, ...rest } })),
  fc.constant({ removeOnMatch: { keyMatcher: { prefix: 'x-co' } } }),
);
const mutations: fc.Arbitrary<Json> = fc
  .array(mutation, { minLength: 1, maxLength: 3 })
  .map((requestMutations) => ({ mutations: { requestMutations } }));
const headerMutation = fc
  .record({ own: mutations, mostSpecificHeaderMutationsWins: fc.boolean() })
  .map(({ own, ...rest }) => ({ ...own, ...rest }));

const pair = (value: fc.Arbitrary<string | undefined>): fc.Arbitrary<Json> =>
  fc
    .record({
      metadataNamespace: oneOf('n', 'n', 'envoy.lb', undefined),
      key: oneOf('k', 'k', 'j'),
      value,
      type: oneOf(undefined, undefined, 'NUMBER'),
    })
    .map((each) => JSON.parse(JSON.stringify(each)));
const toMetadata: fc.Arbitrary<Json> = fc
  .array(
    fc
      .record({
        from: oneOf(
          { header: 'x-color' },
          { header: 'x-color' },
          { header: 'x-version' },
          { cookie: 'session' },
        ),
        present: fc.option(pair(oneOf(undefined, undefined, undefined, '1')), { freq: 4 }),
        missing: fc.option(pair(oneOf('blue', '1'))),
        remove: oneOf(false, false, true),
      })
      .map(({ from, present, missing, remove }) => ({
        ...from,
        ...((present || !missing) && { onHeaderPresent: present ?? { metadataNamespace: 'n', key: 'k' } }),
        ...(missing && { onHeaderMissing: missing }),
        ...(remove && 'header' in from && { remove }),
      })),
    { minLength: 1, maxLength: 3 },
  )
  .map((requestRules) => ({ requestRules }));

const setMetadata: fc.Arbitrary<Json> = fc
  .array(
    fc.record({
      metadataNamespace: oneOf(...metadataNamespaces),
      allowOverwrite: fc.boolean(),
      value: oneOf<Json>(
        { k: 'blue' },
        { k: '1', j: 1 },
        { k: { a: 'b' } },
        { k: { a: true, c: null } },
        { k: ['blue', 'b'] },
        { k: null },
        { j: true },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .chain((metadata) =>
    oneOf<Json>({ metadata }, { metadata }, { metadataNamespace: 'n', value: metadata[0]?.value }),
  );

const jwks = JSON.stringify({
  keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })],
});
const providers = {
  plain: { issuer: 'a', localJwks: { inlineString: jwks } },
  headers: {
    issuer: 'b',
    localJwks: { inlineString: jwks },
    fromHeaders: [{ name: 'x-token', valuePrefix: 'jwt ' }],
  },
  parameter: { issuer: 'c', localJwks: { inlineString: jwks }, fromParams: ['q'] },
  cookie: { issuer: 'd', localJwks: { inlineString: jwks }, fromCookies: ['session'] },
};
const provider = oneOf(...Object.keys(providers)).map((providerName) => ({ providerName }));
const simple: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: provider },
  provider.map((each) => ({ providerAndAudiences: { ...each, audiences: ['x'] } })),
  oneOf({ allowMissing: {} }, { allowMissingOrFailed: {} }),
);
const several = fc.array(simple, { minLength: 2, maxLength: 3 }).map((requirements) => ({ requirements }));
const requirement: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: simple },
  several.map((requiresAny) => ({ requiresAny })),
  several.map((requiresAll) => ({ requiresAll })),
);
const jwt: fc.Arbitrary<Json> = fc
  .record({
    rules: fc.array(
      fc
        .record({
          match: oneOf(
            { prefix: '/shop' },
            { path: '/shop/cart' },
            { prefix: '/' },
            { safeRegex: { regex: '/a.*' } },
          ),
          how: fc.oneof(
            { weight: 4, arbitrary: requirement.map((requires) => ({ requires })) },
            fc.constant({}),
            fc.constant({ requirementName: 'named' }),
          ),
        })
        .map(({ match, how }) => ({ match, ...how })),
      { maxLength: 3 },
    ),
    named: requirement,
    bypassCorsPreflight: fc.boolean(),
  })
  .map(({ named, ...rest }) => ({ providers, requirementMap: { named }, ...rest }));

const limit: fc.Arbitrary<Json> = fc
  .record({
    enabled: oneOf(0, 100),
    enforced: oneOf(0, 100),
    status: oneOf(undefined, 503),
    isSet: fc.boolean(),
  })
  .map(({ enabled, enforced, status, isSet }) => ({
    statPrefix: 'limit',
    tokenBucket: { maxTokens: 3, tokensPerFill: 1, fillInterval: '600s' },
    ...(isSet && { filterEnabled: runtime(enabled), filterEnforced: runtime(enforced) }),
    ...(status && { status: { code: status } }),
  }));

/** The routes have no rate_limits, so that no descriptor limits a request. */
const descriptorLimit: Json = {
  ...{ statPrefix: 'limit', filterEnabled: runtime(100), filterEnforced: runtime(100) },
  descriptors: [
    {
      entries: [{ key: 'generic_key', value: 'all' }],
      tokenBucket: { maxTokens: 1, tokensPerFill: 1, fillInterval: '600s' },
    },
  ],
};

const csrf: fc.Arbitrary<Json> = fc
  .record({ filterEnabled: share.map(runtime), additional: oneOf([], [{ suffix: '.example' }]) })
  .map(({ filterEnabled, additional }) => ({ filterEnabled, additionalOrigins: additional }));

/** "user:pass" with SHA-1. */
const users = { inlineString: 'user:{SHA}nU4eI71bcnBGqeO0t9tXvY1u5oQ=' };
const keySources: fc.Arbitrary<Json> = oneOf(
  { header: 'x-token' },
  { query: 'q' },
  { cookie: 'session' },
).map((source) => ({ keySources: [source], credentials: [{ key: 'k', client: 'c' }] }));

const noService = { envoyGrpc: { clusterName: 'empty' } };
const script =
  'function envoy_on_request(h) if h:headers():get("x-color") == "blue" then h:respond({[":status"] = "418"}, "") end end';

interface Kind {
  /** Absent: a filter of `types`. */
  readonly prefix?: string;
  readonly type: string;
  readonly own: fc.Arbitrary<Json>;
  readonly overrideType?: string;
  /** Absent: a route can disable it, and nothing else. */
  readonly override?: fc.Arbitrary<Json>;
}

const kinds: Readonly<Record<string, Kind>> = {
  rbac: {
    ...{ type: 'rbac.v3.RBAC', own: rbac, overrideType: 'rbac.v3.RBACPerRoute' },
    override: fc.oneof({ weight: 4, arbitrary: rbac.map((each) => ({ rbac: each })) }, fc.constant({})),
  },
  cors: { type: 'cors.v3.Cors', own: fc.constant({}), overrideType: 'cors.v3.CorsPolicy', override: cors },
  fault: { type: 'fault.v3.HTTPFault', own: fault, override: fault },
  header_mutation: {
    ...{ type: 'header_mutation.v3.HeaderMutation', own: headerMutation },
    ...{ overrideType: 'header_mutation.v3.HeaderMutationPerRoute', override: mutations },
  },
  header_to_metadata: { type: 'header_to_metadata.v3.Config', own: toMetadata, override: toMetadata },
  set_metadata: { type: 'set_metadata.v3.Config', own: setMetadata },
  jwt_authn: {
    ...{ type: 'jwt_authn.v3.JwtAuthentication', own: jwt, overrideType: 'jwt_authn.v3.PerRouteConfig' },
    override: oneOf({ disabled: true }, { requirementName: 'named' }),
  },
  local_ratelimit: {
    type: 'local_ratelimit.v3.LocalRateLimit',
    own: fc.oneof(limit, limit, fc.constant(descriptorLimit)),
    override: limit,
  },
  csrf: { type: 'csrf.v3.CsrfPolicy', own: csrf, override: csrf },
  basic_auth: {
    ...{
      type: 'basic_auth.v3.BasicAuth',
      own: fc.constant({ users }),
      overrideType: 'basic_auth.v3.BasicAuthPerRoute',
    },
    override: fc.constant({ users }),
  },
  api_key_auth: {
    ...{
      type: 'api_key_auth.v3.ApiKeyAuth',
      own: keySources,
      overrideType: 'api_key_auth.v3.ApiKeyAuthPerRoute',
    },
    override: keySources,
  },
  buffer: {
    ...{
      type: 'buffer.v3.Buffer',
      own: fc.constant({ maxRequestBytes: 100 }),
      overrideType: 'buffer.v3.BufferPerRoute',
    },
    override: fc.constant({ disabled: true }),
  },
  ext_authz: {
    type: 'ext_authz.v3.ExtAuthz',
    own: fc
      .boolean()
      .map((failureModeAllow) => ({ grpcService: noService, transportApiVersion: 'V3', failureModeAllow })),
    overrideType: 'ext_authz.v3.ExtAuthzPerRoute',
    override: fc.constant({ disabled: true }),
  },
  ext_proc: {
    type: 'ext_proc.v3.ExternalProcessor',
    own: fc.boolean().map((failureModeAllow) => ({ grpcService: noService, failureModeAllow })),
    overrideType: 'ext_proc.v3.ExtProcPerRoute',
    override: fc.constant({ disabled: true }),
  },
  extension_with_matcher: {
    ...{ prefix: matching, type: '', own: withMatcher(fault), overrideType: 'PerRoute' },
    override: chooser([skip]),
  },
  composite: { prefix: matching, type: '', own: composite(fault, mutations) },
  lua: {
    ...{ type: 'lua.v3.Lua', own: fc.constant({ defaultSourceCode: { inlineString: script } }) },
    ...{ overrideType: 'lua.v3.LuaPerRoute', override: fc.constant({ disabled: true }) },
  },
};

/** The filters whose result is not predicted are drawn less often, so that most pairs have one branch. */
const forks = new Set(['ext_authz', 'ext_proc', 'lua']);
const weighted = Object.keys(kinds).map((kind) => ({
  weight: kind === 'rbac' ? 6 : forks.has(kind) ? 1 : 2,
  arbitrary: fc.constant(kind),
}));

function drawOne(
  kind: string,
  at: number,
): fc.Arbitrary<{ filter: Json; name: string; overrides: readonly Json[] }> {
  const found: Kind = kinds[kind] ?? { type: '', own: fc.constant({}) };
  const { prefix = `${types}.`, type, own, overrideType = type, override } = found;
  const name = `${kind}-${at}`;
  return fc
    .record({
      own,
      overrides: fc.array(
        fc.record({
          config: override ?? fc.constant({}),
          form: override ? oneOf('plain', 'plain', 'plain', 'wrapped', 'disabled') : oneOf('disabled'),
        }),
        { minLength: 4, maxLength: 4 },
      ),
      disabled: oneOf(false, false, false, false, false, false, true),
    })
    .map(({ own: config, overrides, disabled }) => ({
      name,
      filter: {
        name,
        typedConfig: { '@type': `${prefix}${type}`, ...config },
        ...(disabled && { disabled }),
      },
      overrides: overrides.map(({ config: each, form }) => {
        const wrapper = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig' };
        const typed = { '@type': `${prefix}${overrideType}`, ...each };
        if (form === 'plain') return typed;
        return form === 'wrapped' ? { ...wrapper, config: typed } : { ...wrapper, disabled: true };
      }),
    }));
}

export const filterKinds = Object.keys(kinds);

const setsMetadata = new Set(['header_to_metadata', 'set_metadata']);

/** A filter of the kind, and up to three more behind it. RBAC can match metadata that a filter sets. */
export function filtersWith(kind: string): fc.Arbitrary<DrawnFilters> {
  return fc
    .array(fc.oneof(...weighted), { maxLength: 3 })
    .chain((more) => fc.tuple(...[kind, ...(setsMetadata.has(kind) ? ['rbac'] : []), ...more].map(drawOne)))
    .map((drawn) => ({
      filters: drawn.map(({ filter }) => filter),
      overrides: Object.fromEntries(drawn.map(({ name, overrides }) => [name, overrides])),
    }));
}

/** Headers that filters read. */
export const filterHeaders: fc.Arbitrary<readonly (readonly [string, string])[]> = fc
  .record({
    origin: oneOf(undefined, undefined, 'http://a.example', 'http://shop.example', 'https://b.org', 'null'),
    'access-control-request-method': oneOf(undefined, undefined, 'PUT'),
    authorization: oneOf(
      undefined,
      undefined,
      undefined,
      'Bearer a.b.c',
      'Basic dXNlcjpwYXNz',
      'basic x',
      'Other',
    ),
    'x-token': oneOf(undefined, undefined, undefined, 'jwt a.b.c', 'k', ''),
    referer: oneOf(undefined, undefined, undefined, undefined, 'http://shop.example/a'),
    'x-envoy-fault-abort-request': oneOf(undefined, undefined, undefined, '418', '700', 'x'),
    'x-envoy-fault-abort-request-percentage': oneOf(undefined, undefined, undefined, '0', '100'),
    'x-envoy-fault-abort-grpc-request': oneOf(undefined, undefined, undefined, undefined, '7'),
    'x-forwarded-for': oneOf(undefined, undefined, undefined, '10.1.2.3', '10.1.2.3, 127.0.0.9', 'bad'),
  })
  .map((headers) =>
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
