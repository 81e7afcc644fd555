/** Listeners with their filters. The notation is that of parseMessages(). */
export const listenerMessages: Readonly<Record<string, string>> = {
  'listener.Listener':
    'name address:core.Address additionalAddresses:listener.AdditionalAddress statPrefix filterChains:listener.FilterChain defaultFilterChain:listener.FilterChain perConnectionBufferLimitBytes metadata:core.Metadata drainType listenerFilters:listener.ListenerFilter listenerFiltersTimeout:duration continueOnListenerFiltersTimeout freebind tcpFastOpenQueueLength trafficDirection accessLog:accesslog.AccessLog tcpBacklogSize maxConnectionsToAcceptPerSocketEvent bindToPort ignoreGlobalConnLimit bypassOverloadManager useOriginalDst enableReusePort socketOptions:core.SocketOption',
  'listener.AdditionalAddress': 'address:core.Address',
  'listener.FilterChain':
    'name filterChainMatch:listener.FilterChainMatch filters:listener.Filter metadata:core.Metadata transportSocket:core.TransportSocket transportSocketConnectTimeout:duration',
  'listener.FilterChainMatch':
    'destinationPort prefixRanges:core.CidrRange directSourcePrefixRanges:core.CidrRange sourceType sourcePrefixRanges:core.CidrRange sourcePorts serverNames transportProtocol applicationProtocols',
  'listener.Filter': 'name typedConfig:any=ext.filters.network',
  'listener.ListenerFilter': 'name typedConfig:any=ext.filters.listener|ext.filters.udp',
  'ext.filters.listener.tls_inspector.v3.TlsInspector':
    'enableJa3Fingerprinting enableJa4Fingerprinting initialReadBufferSize',
  'ext.filters.listener.http_inspector.v3.HttpInspector': '',
  'ext.filters.listener.original_dst.v3.OriginalDst': '',
  'ext.filters.udp.udp_proxy.v3.UdpProxyConfig':
    'statPrefix idleTimeout:duration usePerPacketLoadBalancing accessLog:accesslog.AccessLog cluster',
  'ext.filters.network.tcp_proxy.v3.TcpProxy':
    'statPrefix cluster weightedClusters:ext.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster metadataMatch:core.Metadata idleTimeout:duration accessLog:accesslog.AccessLog maxConnectAttempts maxDownstreamConnectionDuration:duration',
  'ext.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster':
    'clusters:ext.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight',
  'ext.filters.network.tcp_proxy.v3.TcpProxy.WeightedCluster.ClusterWeight':
    'name weight metadataMatch:core.Metadata',
  'ext.filters.network.echo.v3.Echo': '',
  'ext.filters.network.sni_cluster.v3.SniCluster': '',
  'ext.filters.network.connection_limit.v3.ConnectionLimit':
    'statPrefix maxConnections delay:duration runtimeEnabled:core.RuntimeFeatureFlag',

  'hcm.HttpConnectionManager':
    'codecType statPrefix rds:hcm.Rds routeConfig:route.RouteConfiguration httpFilters:hcm.HttpFilter addUserAgent commonHttpProtocolOptions:core.HttpProtocolOptions httpProtocolOptions:core.Http1ProtocolOptions http2ProtocolOptions:core.Http2ProtocolOptions serverName serverHeaderTransformation schemeHeaderTransformation maxRequestHeadersKb streamIdleTimeout:duration requestTimeout:duration requestHeadersTimeout:duration drainTimeout:duration delayedCloseTimeout:duration streamFlushTimeout:duration accessLog:accesslog.AccessLog accessLogFlushInterval:duration flushAccessLogOnNewRequest accessLogOptions:hcm.HttpConnectionManager.HcmAccessLogOptions useRemoteAddress xffNumTrustedHops originalIpDetectionExtensions:extension=ext.http.original_ip_detection internalAddressConfig:hcm.HttpConnectionManager.InternalAddressConfig skipXffAppend via generateRequestId preserveExternalRequestId alwaysSetRequestIdInResponse forwardClientCertDetails setCurrentClientCertDetails proxy100Continue representIpv4RemoteAddressAsIpv4MappedIpv6 upgradeConfigs:hcm.HttpConnectionManager.UpgradeConfig normalizePath mergeSlashes pathWithEscapedSlashesAction requestIdExtension:hcm.RequestIDExtension localReplyConfig:hcm.LocalReplyConfig stripMatchingHostPort stripAnyHostPort streamErrorOnInvalidHttpMessage stripTrailingHostDot appendXForwardedPort tracing:hcm.HttpConnectionManager.Tracing proxyStatusConfig',
  'hcm.HttpConnectionManager.HcmAccessLogOptions':
    'accessLogFlushInterval:duration flushAccessLogOnNewRequest flushLogOnTunnelSuccessfullyEstablished',
  'hcm.HttpConnectionManager.InternalAddressConfig': 'unixSockets cidrRanges:core.CidrRange',
  'hcm.HttpConnectionManager.Tracing':
    'clientSampling:type.Percent randomSampling:type.Percent overallSampling:type.Percent verbose maxPathTagLength customTags:tracing.CustomTag spawnUpstreamSpan',
  'hcm.HttpConnectionManager.UpgradeConfig': 'upgradeType enabled filters:hcm.HttpFilter',
  'hcm.Rds': 'configSource:core.ConfigSource routeConfigName',
  'hcm.RequestIDExtension': 'typedConfig:any=ext.request_id',
  'hcm.LocalReplyConfig': 'mappers:hcm.ResponseMapper bodyFormat:core.SubstitutionFormatString',
  'hcm.ResponseMapper':
    'filter:accesslog.AccessLogFilter statusCode body:core.DataSource bodyFormatOverride:core.SubstitutionFormatString headersToAdd:core.HeaderValueOption',
  'hcm.HttpFilter': 'name typedConfig:any=http isOptional disabled',
  'ext.request_id.uuid.v3.UuidRequestIdConfig': 'packTraceReason useRequestIdForTraceSampling',
  'ext.http.original_ip_detection.xff.v3.XffConfig':
    'xffNumTrustedHops xffTrustedCidrs:ext.http.original_ip_detection.xff.v3.XffTrustedCidrs skipXffAppend',
  'ext.http.original_ip_detection.xff.v3.XffTrustedCidrs': 'cidrs:core.CidrRange',
  'ext.http.original_ip_detection.custom_header.v3.CustomHeaderConfig':
    'headerName allowExtensionToSetAddressAsTrusted rejectWithStatus:type.HttpStatus',

  'http.router.v3.Router':
    'dynamicStats startChildSpan upstreamLog:accesslog.AccessLog suppressEnvoyHeaders strictCheckHeaders respectExpectedRqTimeout suppressGrpcRequestFailureCodeStats',
  'http.cors.v3.Cors': '',
  'http.cors.v3.CorsPolicy':
    'allowOriginStringMatch:matcher.StringMatcher allowMethods allowHeaders exposeHeaders maxAge allowCredentials filterEnabled:core.RuntimeFractionalPercent shadowEnabled:core.RuntimeFractionalPercent',
  'http.grpc_web.v3.GrpcWeb': '',
  'http.grpc_http1_bridge.v3.Config': 'upgradeProtobufToGrpc',
  'http.grpc_stats.v3.FilterConfig': 'emitFilterState statsForAllMethods enableUpstreamStats',
  'http.fault.v3.HTTPFault':
    'delay:ext.filters.common.fault.v3.FaultDelay abort:http.fault.v3.FaultAbort upstreamCluster headers:route.HeaderMatcher maxActiveFaults responseRateLimit:ext.filters.common.fault.v3.FaultRateLimit disableDownstreamClusterStats',
  'http.fault.v3.FaultAbort': 'httpStatus grpcStatus headerAbort percentage:type.FractionalPercent',
  'ext.filters.common.fault.v3.FaultDelay':
    'fixedDelay:duration headerDelay percentage:type.FractionalPercent',
  'ext.filters.common.fault.v3.FaultRateLimit':
    'fixedLimit:ext.filters.common.fault.v3.FaultRateLimit.FixedLimit headerLimit percentage:type.FractionalPercent',
  'ext.filters.common.fault.v3.FaultRateLimit.FixedLimit': 'limitKbps',
  'http.buffer.v3.Buffer': 'maxRequestBytes',
  'http.buffer.v3.BufferPerRoute': 'disabled buffer:http.buffer.v3.Buffer',
  'http.csrf.v3.CsrfPolicy':
    'filterEnabled:core.RuntimeFractionalPercent shadowEnabled:core.RuntimeFractionalPercent additionalOrigins:matcher.StringMatcher',
  'http.header_mutation.v3.HeaderMutation': 'mutations:http.header_mutation.v3.Mutations',
  'http.header_mutation.v3.HeaderMutationPerRoute': 'mutations:http.header_mutation.v3.Mutations',
  'http.header_mutation.v3.Mutations':
    'requestMutations:mutation.HeaderMutation responseMutations:mutation.HeaderMutation',
  'mutation.HeaderMutation': 'remove append:core.HeaderValueOption',
  'http.health_check.v3.HealthCheck':
    'passThroughMode cacheTime:duration headers:route.HeaderMatcher clusterMinHealthyPercentages:{type.Percent}',
  'http.ext_authz.v3.ExtAuthz':
    'grpcService:core.GrpcService httpService:http.ext_authz.v3.HttpService transportApiVersion failureModeAllow withRequestBody:http.ext_authz.v3.BufferSettings clearRouteCache statusOnError:type.HttpStatus metadataContextNamespaces includePeerCertificate statPrefix allowedHeaders:matcher.ListStringMatcher',
  'http.ext_authz.v3.HttpService': 'serverUri:core.HttpUri pathPrefix',
  'http.ext_authz.v3.BufferSettings': 'maxRequestBytes allowPartialMessage packAsBytes',
  'http.ext_authz.v3.ExtAuthzPerRoute': 'disabled checkSettings:http.ext_authz.v3.CheckSettings',
  'http.ext_authz.v3.CheckSettings':
    'contextExtensions disableRequestBodyBuffering withRequestBody:http.ext_authz.v3.BufferSettings',
  'http.ratelimit.v3.RateLimit':
    'domain stage requestType timeout:duration failureModeDeny rateLimitedAsResourceExhausted rateLimitService:envoy.config.ratelimit.v3.RateLimitServiceConfig enableXRatelimitHeaders disableXEnvoyRatelimitedHeader rateLimitedStatus:type.HttpStatus responseHeadersToAdd:core.HeaderValueOption',
  'envoy.config.ratelimit.v3.RateLimitServiceConfig': 'grpcService:core.GrpcService transportApiVersion',
  'http.ratelimit.v3.RateLimitPerRoute': 'vhRateLimits overrideOption domain rateLimits:route.RateLimit',
  'http.local_ratelimit.v3.LocalRateLimit':
    'statPrefix status:type.HttpStatus tokenBucket:type.TokenBucket filterEnabled:core.RuntimeFractionalPercent filterEnforced:core.RuntimeFractionalPercent requestHeadersToAddWhenNotEnforced:core.HeaderValueOption responseHeadersToAdd:core.HeaderValueOption descriptors:ext.common.ratelimit.v3.LocalRateLimitDescriptor stage localRateLimitPerDownstreamConnection enableXRatelimitHeaders rateLimits:route.RateLimit',
  'type.TokenBucket': 'maxTokens tokensPerFill fillInterval:duration',
  'ext.common.ratelimit.v3.LocalRateLimitDescriptor':
    'entries:ext.common.ratelimit.v3.RateLimitDescriptor.Entry tokenBucket:type.TokenBucket',
  'ext.common.ratelimit.v3.RateLimitDescriptor.Entry': 'key value',
  'http.compressor.v3.Compressor':
    'contentLength contentType disableOnEtagHeader removeAcceptEncodingHeader runtimeEnabled:core.RuntimeFeatureFlag compressorLibrary:extension=ext.compression requestDirectionConfig:http.compressor.v3.Compressor.RequestDirectionConfig responseDirectionConfig:http.compressor.v3.Compressor.ResponseDirectionConfig chooseFirst',
  'http.compressor.v3.Compressor.CommonDirectionConfig':
    'enabled:core.RuntimeFeatureFlag minContentLength contentType',
  'http.compressor.v3.Compressor.RequestDirectionConfig':
    'commonConfig:http.compressor.v3.Compressor.CommonDirectionConfig',
  'http.compressor.v3.Compressor.ResponseDirectionConfig':
    'commonConfig:http.compressor.v3.Compressor.CommonDirectionConfig disableOnEtagHeader removeAcceptEncodingHeader uncompressibleResponseCodes',
  'ext.compression.gzip.compressor.v3.Gzip':
    'memoryLevel compressionLevel compressionStrategy windowBits chunkSize',
  'ext.compression.brotli.compressor.v3.Brotli': 'quality',
  'ext.compression.zstd.compressor.v3.Zstd': '',
  'http.oauth2.v3.OAuth2': 'config:http.oauth2.v3.OAuth2Config',
  'http.oauth2.v3.OAuth2Config':
    'tokenEndpoint:core.HttpUri authorizationEndpoint credentials:http.oauth2.v3.OAuth2Credentials redirectUri redirectPathMatcher:matcher.PathMatcher signoutPath:matcher.PathMatcher forwardBearerToken preserveAuthorizationHeader passThroughMatcher:route.HeaderMatcher authScopes resources authType useRefreshToken defaultExpiresIn:duration endSessionEndpoint',
  'http.oauth2.v3.OAuth2Credentials':
    'clientId tokenSecret:tls.SdsSecretConfig hmacSecret:tls.SdsSecretConfig',
  'http.jwt_authn.v3.JwtAuthentication':
    'providers:{http.jwt_authn.v3.JwtProvider} rules:http.jwt_authn.v3.RequirementRule bypassCorsPreflight requirementMap:{http.jwt_authn.v3.JwtRequirement} stripFailureResponse statPrefix',
  'http.jwt_authn.v3.JwtProvider':
    'issuer audiences remoteJwks:http.jwt_authn.v3.RemoteJwks forward fromHeaders fromParams fromCookies forwardPayloadHeader padForwardPayloadHeader payloadInMetadata normalizePayloadInMetadata headerInMetadata clockSkewSeconds claimToHeaders requireExpiration',
  'http.jwt_authn.v3.RemoteJwks':
    'httpUri:core.HttpUri cacheDuration:duration asyncFetch:http.jwt_authn.v3.JwksAsyncFetch',
  'http.jwt_authn.v3.JwksAsyncFetch': 'fastListener failedRefetchDuration:duration',
  'http.jwt_authn.v3.RequirementRule':
    'match:route.RouteMatch requires:http.jwt_authn.v3.JwtRequirement requirementName',
  'http.jwt_authn.v3.JwtRequirement':
    'providerName providerAndAudiences:http.jwt_authn.v3.ProviderWithAudiences requiresAny:http.jwt_authn.v3.JwtRequirementOrList requiresAll:http.jwt_authn.v3.JwtRequirementAndList allowMissingOrFailed allowMissing',
  'http.jwt_authn.v3.ProviderWithAudiences': 'providerName audiences',
  'http.jwt_authn.v3.JwtRequirementOrList': 'requirements:http.jwt_authn.v3.JwtRequirement',
  'http.jwt_authn.v3.JwtRequirementAndList': 'requirements:http.jwt_authn.v3.JwtRequirement',
  'http.jwt_authn.v3.PerRouteConfig': 'disabled requirementName',
  'http.lua.v3.LuaPerRoute': 'disabled name filterContext',
  'http.compressor.v3.CompressorPerRoute': 'disabled',
};
