import { overridesOf } from '../filters/filter-places';
import { unwrapOverride } from '../http-filters';
import { nackBy } from '../reactions';
import { ruleOfConfig } from '../route/route-rule';
import type { Rule } from '../rule';
import { measured } from './messages/rule-of-messages';

const http = 'envoy.extensions.filters.http';

/** Filters without overrides. */
const withoutOverride = new Set(
  `grpc_stats.v3.FilterConfig health_check.v3.HealthCheck connect_grpc_bridge.v3.FilterConfig grpc_web.v3.GrpcWeb
  ip_tagging.v3.IPTagging original_src.v3.OriginalSrc grpc_http1_bridge.v3.Config
  proto_message_extraction.v3.ProtoMessageExtractionConfig thrift_to_metadata.v3.ThriftToMetadata
  cache.v3.CacheConfig wasm.v3.Wasm gcp_authn.v3.GcpAuthnFilterConfig`
    .split(/\s+/)
    .map((name) => `${http}.${name}`),
);

/** Configs of filters whose overrides have another type. Envoy reads an empty one as that type. */
export const filtersWithOwnOverride: ReadonlySet<string> = new Set(
  `buffer.v3.Buffer ext_authz.v3.ExtAuthz jwt_authn.v3.JwtAuthentication lua.v3.Lua compressor.v3.Compressor
  ratelimit.v3.RateLimit`
    .split(/\s+/)
    .map((name) => `${http}.${name}`),
);

/** Overrides that Envoy rejects, beside those of rule R18. */
export const envoyOverrideRules: readonly Rule[] = [
  ruleOfConfig(
    'ENVOY-override',
    'The override of an HTTP filter has the type of an override',
    measured,
    nackBy('envoy'),
    (config, report) => {
      for (const { field } of overridesOf(config)) {
        const { config: override, isOptional } = unwrapOverride(field);
        const { typeName } = override;
        if (isOptional || override.isTypedStruct) continue;
        if (withoutOverride.has(typeName))
          report({ field: override, expected: 'no override: the filter has none', got: typeName });
        else if (filtersWithOwnOverride.has(typeName) && override.names().length > 1)
          report({ field: override, expected: 'the type of the override of this filter', got: typeName });
        else if (
          typeName === `${http}.local_ratelimit.v3.LocalRateLimit` &&
          !override.at('tokenBucket').exists
        )
          report({ field: override.at('tokenBucket'), expected: 'a token bucket' });
      }
    },
  ),
];
