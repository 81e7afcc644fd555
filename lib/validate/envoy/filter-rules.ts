import luaparse from 'luaparse';
import { LDS, RDS } from '../../xds/resource-type';
import { connectionManagersOf } from '../connection-managers';
import { durationSeconds } from '../duration';
import type { Field } from '../field';
import { overridesOf } from '../filters/filter-places';
import { unwrapOverride } from '../http-filters';
import { nackBy } from '../reactions';
import { routeConfigsOf } from '../route/route-parts';
import type { Report, Rule } from '../rule';
import { measured } from './messages/rule-of-messages';

const http = 'envoy.extensions.filters.http';

/** A rule about the configs of HTTP filters of one of these types: in a chain of Envoy, or as an override. */
function ruleOfFilters(
  id: string,
  title: string,
  names: readonly string[],
  check: (config: Field, report: Report) => void,
): Rule {
  const types = new Set(names.map((name) => `${http}.${name}`));
  return {
    ...{ id, title, source: measured, reactions: nackBy('envoy') },
    types: [LDS.typeUrl, RDS.typeUrl],
    check(resource, report, { typeUrl }) {
      for (const config of filterConfigsOf(resource, typeUrl))
        if (types.has(config.typeName) && !config.isTypedStruct && config.unreadable === undefined)
          check(config, report);
    },
  };
}

const configs = new WeakMap<Field, readonly Field[]>();

function filterConfigsOf(resource: Field, typeUrl: string): readonly Field[] {
  const known = configs.get(resource);
  if (known !== undefined) return known;
  const managers =
    typeUrl === LDS.typeUrl && !resource.at('apiListener').exists ? connectionManagersOf(resource) : [];
  const inChains = managers.flatMap(({ field }) => field.at('httpFilters').items());
  const inRoutes = routeConfigsOf(resource, typeUrl).flatMap(({ field }) => overridesOf(field));
  const found = [
    ...inChains.map((filter) => filter.at('typedConfig')),
    ...(resource.at('apiListener').exists ? [] : inRoutes.map(({ field }) => unwrapOverride(field).config)),
  ];
  configs.set(resource, found);
  return found;
}

/** Conditions on the configs of HTTP filters that Envoy rejects and that are no constraints of the protos. */
export const envoyFilterRules: readonly Rule[] = [
  ruleOfFilters(
    'ENVOY-lua',
    'A Lua script has no syntax error',
    ['lua.v3.Lua', 'lua.v3.LuaPerRoute'],
    (config, report) => {
      const inline = config.at('inlineCode');
      if (inline.text !== '' && config.at('defaultSourceCode').exists)
        report({ field: inline, expected: 'no code beside defaultSourceCode' });
      const sources = [config.at('defaultSourceCode'), config.at('sourceCode')];
      const named = config
        .at('sourceCodes')
        .entries()
        .map(([, source]) => source);
      for (const script of [inline, ...[...sources, ...named].map((source) => source.at('inlineString'))]) {
        const error = script.text === '' ? undefined : findLuaError(script.text);
        if (error !== undefined) report({ field: script, expected: 'a Lua script', got: error });
      }
    },
  ),
  ruleOfFilters(
    'ENVOY-jwt',
    'The providers of JWT authentication have keys, and its requirements name providers',
    ['jwt_authn.v3.JwtAuthentication'],
    (config, report) => {
      const providers = new Set(config.at('providers').names());
      for (const [, provider] of config.at('providers').entries()) {
        const keys = provider.in('localJwks', 'inlineString');
        const error = keys.text === '' ? undefined : findJwksError(keys.text);
        if (error !== undefined)
          report({ field: keys, expected: 'a JSON Web Key Set with a key', got: error });
      }
      const map = config.at('requirementMap');
      const rules = config.at('rules').items();
      const requirements = [
        ...rules.map((rule) => rule.at('requires')),
        ...map.entries().map(([, each]) => each),
        ...config
          .in('filterStateRules', 'requires')
          .entries()
          .map(([, each]) => each),
      ];
      for (const name of requirements.flatMap(providersOf))
        if (!providers.has(name.text)) report({ field: name, expected: 'the name of a provider' });
      for (const name of rules.map((rule) => rule.at('requirementName')))
        if (name.exists && !map.names().includes(name.text))
          report({ field: name, expected: 'a name of requirementMap' });
      for (const rule of config
        .at('providers')
        .entries()
        .map(([, provider]) => provider)) {
        const backOff = rule.in('remoteJwks', 'retryPolicy', 'retryBackOff');
        const max = backOff.at('maxInterval');
        if (max.exists && durationSeconds(max) < durationSeconds(backOff.at('baseInterval')))
          report({ field: max, expected: 'at least baseInterval' });
      }
    },
  ),
  ruleOfFilters(
    'ENVOY-oauth2',
    'The config of OAuth2 is complete',
    ['oauth2.v3.OAuth2'],
    (filter, report) => {
      const config = filter.at('config');
      if (!config.exists) {
        report({ field: config, expected: 'the config of the filter', reactions: nackBy('envoy-1.36') });
        return;
      }
      for (const name of ['tokenSecret', 'hmacSecret']) {
        const secret = config.in('credentials', name);
        if (secret.exists && !secret.at('sdsConfig').exists)
          report({ field: secret.at('sdsConfig'), expected: 'the config source of the secret' });
      }
      const endpoint = config.at('authorizationEndpoint');
      if (endpoint.text !== '' && !/^https?:\/\/[^/]/i.test(endpoint.text))
        report({ field: endpoint, expected: 'a URL' });
      const header = ['forwardBearerToken', 'preserveAuthorizationHeader'];
      if (header.every((name) => config.at(name).isTrue))
        report({ field: config.at(header[1] ?? ''), expected: 'false: forwardBearerToken is true' });
      const end = config.at('endSessionEndpoint');
      if (
        end.text !== '' &&
        !config
          .at('authScopes')
          .items()
          .some(({ text }) => text === 'openid')
      )
        report({ field: end, expected: 'no value without the scope openid' });
    },
  ),
  ruleOfFilters(
    'ENVOY-transcoder',
    'The descriptor of a gRPC-JSON transcoder has its services',
    ['grpc_json_transcoder.v3.GrpcJsonTranscoder'],
    (config, report) => {
      const binary = config.at('protoDescriptorBin');
      const services = config.at('services');
      if (binary.exists && binary.text === '' && services.items().length > 0)
        report({ field: binary, expected: 'a descriptor with the services' });
    },
  ),
  ruleOfFilters(
    'ENVOY-local-rate-limit',
    'The token buckets and descriptors of local rate limiting are valid',
    ['local_ratelimit.v3.LocalRateLimit'],
    (config, report) => {
      checkBucket(config.at('tokenBucket'), report);
      const seen = new Set<string>();
      for (const descriptor of config.at('descriptors').items()) {
        checkBucket(descriptor.at('tokenBucket'), report);
        const key = JSON.stringify(descriptor.at('entries').value);
        if (seen.has(key)) report({ field: descriptor, expected: 'a descriptor that is unique in the list' });
        seen.add(key);
      }
      checkFilterLimits(config.at('rateLimits'), ['stage', 'disableKey', 'limit'], report);
      const cluster = config.at('localClusterRateLimit');
      if (cluster.exists) {
        const dependsOn =
          'The local cluster in the bootstrap of Envoy, which is not known here: it is assumed to be set.';
        const dependence = { dependsOn, otherwise: nackBy('envoy') };
        report({ field: cluster, expected: 'a local cluster', reactions: nackBy(), dependence });
      }
    },
  ),
  ruleOfFilters(
    'ENVOY-rate-limit',
    'The limits of a rate limit filter have no stage and no key of their own',
    ['ratelimit.v3.RateLimitPerRoute'],
    (config, report) => checkFilterLimits(config.at('rateLimits'), ['stage', 'disableKey'], report),
  ),
  ruleOfFilters(
    'ENVOY-compressor',
    'The library of a compressor is one of Envoy',
    ['compressor.v3.Compressor', 'decompressor.v3.Decompressor'],
    (config, report) => {
      for (const name of ['compressorLibrary', 'decompressorLibrary']) {
        const library = config.in(name, 'typedConfig');
        if (library.exists && library.typeName.startsWith('google.protobuf.'))
          report({ field: library, expected: 'the config of a library', got: library.typeName });
      }
    },
  ),
  ruleOfFilters(
    'ENVOY-filters',
    'The options of an HTTP filter fit together',
    [
      'health_check.v3.HealthCheck',
      'ext_authz.v3.ExtAuthz',
      'ext_authz.v3.ExtAuthzPerRoute',
      'ext_proc.v3.ExternalProcessor',
      'gzip.v3.Gzip',
      'kill_request.v3.KillRequest',
      'header_to_metadata.v3.Config',
    ],
    (config, report) => {
      const cache = config.at('cacheTime');
      if (cache.exists && config.at('passThroughMode').value === false)
        report({ field: cache, expected: 'no value: passThroughMode is false' });
      const prefix = config.in('httpService', 'pathPrefix');
      if (prefix.text !== '' && !prefix.text.startsWith('/'))
        report({ field: prefix, expected: 'a path that starts with /' });
      const check = config.at('checkSettings');
      if (check.at('disableRequestBodyBuffering').isTrue && check.at('withRequestBody').exists)
        report({ field: check, expected: 'either disableRequestBodyBuffering or withRequestBody' });
      const isProcessor = config.typeName.endsWith('ExternalProcessor');
      if (isProcessor && config.at('grpcService').exists === config.at('httpService').exists)
        report({ field: config, expected: 'either grpcService or httpService' });
      if (/\.(?:gzip|kill_request)\.v3\./.test(config.typeName))
        report({ field: config, expected: 'a filter of Envoy releases', got: config.typeName });
      for (const rule of ['requestRules', 'responseRules'].flatMap((name) => config.at(name).items()))
        if (!rule.at('onHeaderPresent').exists && !rule.at('onHeaderMissing').exists)
          report({ field: rule, expected: 'onHeaderPresent or onHeaderMissing' });
    },
  ),
];

function findLuaError(script: string): string | undefined {
  try {
    luaparse.parse(script, { luaVersion: 'LuaJIT' });
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    // LuaJIT accepts 200 levels of nesting (LJ_MAX_XLEVEL), far fewer than the parser has stack for.
    if (error instanceof RangeError) return 'more than 200 levels of nesting';
    throw error;
  }
}

/** Only errors of the structure are found: whether a key is a key of its kind is not checked. */
function findJwksError(text: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return 'text that is no JSON';
  }
  const keys = typeof json === 'object' && json !== null && 'keys' in json ? json.keys : undefined;
  if (!Array.isArray(keys)) return 'no list "keys"';
  const isKey = (key: unknown) => typeof key === 'object' && key !== null && 'kty' in key;
  return keys.some(isKey) ? undefined : 'no key with a type ("kty")';
}

function providersOf(requirement: Field): Field[] {
  const lists = ['requiresAny', 'requiresAll'].flatMap((name) =>
    requirement.in(name, 'requirements').items(),
  );
  return [
    requirement.at('providerName'),
    requirement.in('providerAndAudiences', 'providerName'),
    ...lists.flatMap(providersOf),
  ].filter((name) => name.exists);
}

const minFillSeconds = 0.05;

function checkBucket(bucket: Field, report: Report): void {
  const interval = bucket.at('fillInterval');
  if (interval.exists && durationSeconds(interval) < minFillSeconds)
    report({ field: interval, expected: 'at least 0.05s' });
}

function checkFilterLimits(limits: Field, unsupported: readonly string[], report: Report): void {
  for (const limit of limits.items()) {
    for (const name of unsupported) {
      const field = limit.at(name);
      if (field.exists && field.value !== '' && field.value !== 0)
        report({ field, expected: 'no value: the filter does not support it' });
    }
  }
}
