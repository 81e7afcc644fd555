import { messageNameOf } from '../xds/resource-type';

/**
 * Types that a twin keeps. They decide where a request goes or what is answered, by the config and the request alone:
 * they run no code of the config and open no file, and call nobody but stubs.
 */
const allowed: readonly RegExp[] = [
  /^envoy\.config\.(?:listener|route|cluster|endpoint|core|rbac|common\.matcher)\.v3\./,
  /^envoy\.type\./,
  // A Struct or TypedStruct could be the config of any other extension.
  /^google\.protobuf\.(?:String|Bytes|Bool|Double|Float|U?Int(?:32|64))Value$/,
  /^xds\.(?:core|type\.matcher)\./,
  /^envoy\.extensions\.(?:matching|path|retry|request_id|compression|load_balancing_policies|internal_redirect|early_data)\./,
  /^envoy\.extensions\.http\.(?:original_ip_detection|header_formatters|early_header_mutation|stateful_session|header_validators)\./,
  /^envoy\.extensions\.rbac\./,
  /^envoy\.extensions\.upstreams\.(?:http|tcp)\./,
  /^envoy\.extensions\.transport_sockets\.(?:tls|raw_buffer)\.v3\./,
  /^envoy\.extensions\.clusters\.aggregate\./,
  /^envoy\.extensions\.filters\.listener\.(?:tls_inspector|http_inspector|local_ratelimit)\./,
  /^envoy\.extensions\.filters\.network\.(?:http_connection_manager|tcp_proxy|rbac|connection_limit|local_ratelimit|set_filter_state|sni_cluster|direct_response)\./,
  /^envoy\.extensions\.filters\.http\.(?:router|upstream_codec|rbac|cors|fault|local_ratelimit|header_to_metadata|json_to_metadata|header_mutation|buffer|compressor|decompressor|grpc_web|grpc_stats|grpc_http1_bridge|grpc_http1_reverse_bridge|health_check|set_metadata|set_filter_state|csrf|on_demand|admission_control|adaptive_concurrency|bandwidth_limit|stateful_session|jwt_authn|composite|match_delegate|custom_response|ext_authz|ext_proc|ratelimit)\./,
];

type Reason = readonly [types: RegExp, reason: string];

/** Reasons by type, for those that are not kept. The first that matches is stated. */
const reasons: readonly [Reason, ...Reason[]] = [
  [/\.(?:lua|wasm|golang|dynamic_modules)\./, 'it runs code, which could read the machine'],
  [
    /\.(?:ext_authz|ext_proc|ratelimit|rate_limit_quota|gcp_authn|oauth2|aws_|credential_injector)/,
    'it calls an external service; the twin continues as if the service allowed the request',
  ],
  [/\.(?:basic_auth|api_key_auth)\./, 'it compares secrets, which xdscope does not store'],
  [/\.(?:dynamic_forward_proxy|original_src|original_dst)\./, 'it would connect beyond loopback'],
  [/\.proxy_protocol\./, 'the twin has a PROXY protocol filter of its own'],
  [/\.(?:access_loggers|trace|tracers|stat_sinks|tap)\./, 'it writes files or calls external services'],
];

/** Returns why an extension of this type is not part of a twin; empty if it is. */
export function reasonAgainst(typeUrl: string): string {
  const name = messageNameOf(typeUrl);
  const [[code, itRunsCode]] = reasons;
  if (code.test(name)) return itRunsCode;
  if (allowed.some((pattern) => pattern.test(name))) return '';
  return (
    reasons.find(([types]) => types.test(name))?.[1] ?? 'the twin does not support extensions of this type'
  );
}
