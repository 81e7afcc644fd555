/** The configs of HTTP filters that can be overridden. */
const overrides = [
  'http.cors.v3.CorsPolicy',
  'http.fault.v3.HTTPFault',
  'http.buffer.v3.BufferPerRoute',
  'http.csrf.v3.CsrfPolicy',
  'http.header_mutation.v3.HeaderMutationPerRoute',
  'http.ext_authz.v3.ExtAuthzPerRoute',
  'http.ratelimit.v3.RateLimitPerRoute',
  'http.local_ratelimit.v3.LocalRateLimit',
  'http.jwt_authn.v3.PerRouteConfig',
  'http.lua.v3.LuaPerRoute',
  'http.compressor.v3.CompressorPerRoute',
].join('|');

/** Clusters, endpoints and routes. The notation is that of parseMessages(). */
export const resourceMessages: Readonly<Record<string, string>> = {
  'endpoint.ClusterLoadAssignment':
    'clusterName endpoints:endpoint.LocalityLbEndpoints policy:endpoint.ClusterLoadAssignment.Policy',
  'endpoint.ClusterLoadAssignment.Policy':
    'dropOverloads:endpoint.ClusterLoadAssignment.Policy.DropOverload overprovisioningFactor endpointStaleAfter:duration weightedPriorityHealth',
  'endpoint.ClusterLoadAssignment.Policy.DropOverload': 'category dropPercentage:type.FractionalPercent',
  'endpoint.LocalityLbEndpoints':
    'locality:core.Locality metadata:core.Metadata lbEndpoints:endpoint.LbEndpoint loadBalancingWeight priority proximity',
  'endpoint.LbEndpoint': 'endpoint:endpoint.Endpoint healthStatus metadata:core.Metadata loadBalancingWeight',
  'endpoint.Endpoint':
    'address:core.Address healthCheckConfig:endpoint.Endpoint.HealthCheckConfig hostname additionalAddresses:endpoint.Endpoint.AdditionalAddress',
  'endpoint.Endpoint.HealthCheckConfig': 'portValue hostname address:core.Address disableActiveHealthCheck',
  'endpoint.Endpoint.AdditionalAddress': 'address:core.Address',

  'cluster.Cluster':
    'name altStatName type clusterType:cluster.Cluster.CustomClusterType edsClusterConfig:cluster.Cluster.EdsClusterConfig connectTimeout:duration perConnectionBufferLimitBytes lbPolicy loadAssignment:endpoint.ClusterLoadAssignment healthChecks:core.HealthCheck maxRequestsPerConnection circuitBreakers:cluster.CircuitBreakers http2ProtocolOptions:core.Http2ProtocolOptions typedExtensionProtocolOptions:{any=ext.upstreams.http.v3.HttpProtocolOptions} dnsRefreshRate:duration dnsJitter:duration respectDnsTtl dnsLookupFamily outlierDetection:cluster.OutlierDetection cleanupInterval:duration lbSubsetConfig:cluster.Cluster.LbSubsetConfig ringHashLbConfig:cluster.Cluster.RingHashLbConfig maglevLbConfig:cluster.Cluster.MaglevLbConfig leastRequestLbConfig:cluster.Cluster.LeastRequestLbConfig roundRobinLbConfig:cluster.Cluster.RoundRobinLbConfig commonLbConfig:cluster.Cluster.CommonLbConfig transportSocket:core.TransportSocket transportSocketMatches:cluster.Cluster.TransportSocketMatch metadata:core.Metadata upstreamConnectionOptions:cluster.UpstreamConnectionOptions closeConnectionsOnHostHealthFailure ignoreHealthOnHostRemoval loadBalancingPolicy:cluster.LoadBalancingPolicy trackClusterStats connectionPoolPerDownstreamConnection waitForWarmOnInit lrsServer upstreamBindConfig:core.BindConfig',
  'cluster.Cluster.CustomClusterType': 'name typedConfig:any=ext.clusters',
  'cluster.Cluster.EdsClusterConfig': 'edsConfig:core.ConfigSource serviceName',
  'cluster.Cluster.TransportSocketMatch': 'name match transportSocket:core.TransportSocket',
  'cluster.Cluster.CommonLbConfig':
    'healthyPanicThreshold:type.Percent zoneAwareLbConfig:cluster.Cluster.CommonLbConfig.ZoneAwareLbConfig localityWeightedLbConfig updateMergeWindow:duration ignoreNewHostsUntilFirstHc closeConnectionsOnHostSetChange consistentHashingLbConfig overrideHostStatus',
  'cluster.Cluster.CommonLbConfig.ZoneAwareLbConfig':
    'routingEnabled:type.Percent minClusterSize failTrafficOnPanic',
  'cluster.Cluster.LbSubsetConfig':
    'fallbackPolicy defaultSubset subsetSelectors:cluster.Cluster.LbSubsetConfig.LbSubsetSelector localityWeightAware scaleLocalityWeight panicModeAny listAsAny metadataFallbackPolicy',
  'cluster.Cluster.LbSubsetConfig.LbSubsetSelector':
    'keys singleHostPerSubset fallbackPolicy fallbackKeysSubset',
  'cluster.Cluster.RingHashLbConfig': 'minimumRingSize hashFunction maximumRingSize',
  'cluster.Cluster.MaglevLbConfig': 'tableSize',
  'cluster.Cluster.LeastRequestLbConfig':
    'choiceCount activeRequestBias:core.RuntimeDouble slowStartConfig:cluster.Cluster.SlowStartConfig',
  'cluster.Cluster.RoundRobinLbConfig': 'slowStartConfig:cluster.Cluster.SlowStartConfig',
  'cluster.Cluster.SlowStartConfig':
    'slowStartWindow:duration aggression:core.RuntimeDouble minWeightPercent:type.Percent',
  'cluster.CircuitBreakers': 'thresholds:cluster.CircuitBreakers.Thresholds',
  'cluster.CircuitBreakers.Thresholds':
    'priority maxConnections maxPendingRequests maxRequests maxRetries trackRemaining maxConnectionPools',
  'cluster.OutlierDetection':
    'consecutive5xx interval:duration baseEjectionTime:duration maxEjectionPercent enforcingConsecutive5xx enforcingSuccessRate successRateMinimumHosts successRateRequestVolume successRateStdevFactor consecutiveGatewayFailure enforcingConsecutiveGatewayFailure splitExternalLocalOriginErrors consecutiveLocalOriginFailure enforcingConsecutiveLocalOriginFailure enforcingLocalOriginSuccessRate failurePercentageThreshold enforcingFailurePercentage enforcingFailurePercentageLocalOrigin failurePercentageMinimumHosts failurePercentageRequestVolume maxEjectionTime:duration maxEjectionTimeJitter:duration successfulActiveHealthCheckUnejectHost alwaysEjectOneHost',
  'cluster.UpstreamConnectionOptions':
    'tcpKeepalive:core.TcpKeepalive setLocalInterfaceNameOnUpstreamConnections',
  'cluster.LoadBalancingPolicy': 'policies:cluster.LoadBalancingPolicy.Policy',
  'cluster.LoadBalancingPolicy.Policy': 'typedExtensionConfig:extension=lb',
  'core.HealthCheck':
    'timeout:duration interval:duration initialJitter:duration intervalJitter:duration intervalJitterPercent unhealthyThreshold healthyThreshold altPort reuseConnection httpHealthCheck:core.HealthCheck.HttpHealthCheck tcpHealthCheck:core.HealthCheck.TcpHealthCheck grpcHealthCheck:core.HealthCheck.GrpcHealthCheck noTrafficInterval:duration noTrafficHealthyInterval:duration unhealthyInterval:duration unhealthyEdgeInterval:duration healthyEdgeInterval:duration alwaysLogHealthCheckFailures alwaysLogHealthCheckSuccess transportSocketMatchCriteria',
  'core.HealthCheck.HttpHealthCheck':
    'host path requestHeadersToAdd:core.HeaderValueOption requestHeadersToRemove expectedStatuses:type.Int64Range method serviceNameMatcher:matcher.StringMatcher',
  'core.HealthCheck.TcpHealthCheck': 'send:core.HealthCheck.Payload receive:core.HealthCheck.Payload',
  'core.HealthCheck.GrpcHealthCheck': 'serviceName authority initialMetadata:core.HeaderValueOption',
  'core.HealthCheck.Payload': 'text',
  'ext.upstreams.http.v3.HttpProtocolOptions':
    'commonHttpProtocolOptions:core.HttpProtocolOptions upstreamHttpProtocolOptions:core.UpstreamHttpProtocolOptions explicitHttpConfig:ext.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig useDownstreamProtocolConfig:ext.upstreams.http.v3.HttpProtocolOptions.UseDownstreamHttpConfig',
  'core.UpstreamHttpProtocolOptions': 'autoSni autoSanValidation overrideAutoSniHeader',
  'ext.upstreams.http.v3.HttpProtocolOptions.ExplicitHttpConfig':
    'httpProtocolOptions:core.Http1ProtocolOptions http2ProtocolOptions:core.Http2ProtocolOptions',
  'ext.upstreams.http.v3.HttpProtocolOptions.UseDownstreamHttpConfig':
    'httpProtocolOptions:core.Http1ProtocolOptions http2ProtocolOptions:core.Http2ProtocolOptions',
  'ext.clusters.dns.v3.DnsCluster':
    'dnsRefreshRate:duration respectDnsTtl dnsJitter:duration dnsLookupFamily allAddressesInSingleEndpoint',
  'ext.clusters.aggregate.v3.ClusterConfig': 'clusters',
  'lb.round_robin.v3.RoundRobin':
    'slowStartConfig:lb.common.v3.SlowStartConfig localityLbConfig:lb.common.v3.LocalityLbConfig',
  'lb.least_request.v3.LeastRequest':
    'choiceCount activeRequestBias:core.RuntimeDouble slowStartConfig:lb.common.v3.SlowStartConfig localityLbConfig:lb.common.v3.LocalityLbConfig selectionMethod enableFullScan',
  'lb.random.v3.Random': 'localityLbConfig:lb.common.v3.LocalityLbConfig',
  'lb.ring_hash.v3.RingHash':
    'hashFunction minimumRingSize maximumRingSize useHostnameForHashing hashBalanceFactor consistentHashingLbConfig localityWeightedLbConfig',
  'lb.maglev.v3.Maglev': 'tableSize consistentHashingLbConfig localityWeightedLbConfig',
  'lb.cluster_provided.v3.ClusterProvided': '',
  'lb.wrr_locality.v3.WrrLocality': 'endpointPickingPolicy:cluster.LoadBalancingPolicy',
  'lb.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin':
    'enableOobLoadReport oobReportingPeriod:duration blackoutPeriod:duration weightExpirationPeriod:duration weightUpdatePeriod:duration errorUtilizationPenalty metricNamesForComputingUtilization',
  'lb.common.v3.SlowStartConfig':
    'slowStartWindow:duration aggression:core.RuntimeDouble minWeightPercent:type.Percent',
  'lb.common.v3.LocalityLbConfig':
    'zoneAwareLbConfig:lb.common.v3.LocalityLbConfig.ZoneAwareLbConfig localityWeightedLbConfig',
  'lb.common.v3.LocalityLbConfig.ZoneAwareLbConfig':
    'routingEnabled:type.Percent minClusterSize failTrafficOnPanic',

  'route.RouteConfiguration': `name virtualHosts:route.VirtualHost internalOnlyHeaders responseHeadersToAdd:core.HeaderValueOption responseHeadersToRemove requestHeadersToAdd:core.HeaderValueOption requestHeadersToRemove mostSpecificHeaderMutationsWins validateClusters maxDirectResponseBodySizeBytes ignorePortInHostMatching ignorePathParametersInPathMatching requestMirrorPolicies:route.RouteAction.RequestMirrorPolicy typedPerFilterConfig:{any=route.FilterConfig|${overrides}} metadata:core.Metadata vhostHeader`,
  'route.VirtualHost': `name domains routes:route.Route requireTls virtualClusters:route.VirtualCluster rateLimits:route.RateLimit requestHeadersToAdd:core.HeaderValueOption requestHeadersToRemove responseHeadersToAdd:core.HeaderValueOption responseHeadersToRemove typedPerFilterConfig:{any=route.FilterConfig|${overrides}} includeRequestAttemptCount includeAttemptCountInResponse retryPolicy:route.RetryPolicy hedgePolicy:route.HedgePolicy includeIsTimeoutRetryHeader perRequestBufferLimitBytes requestMirrorPolicies:route.RouteAction.RequestMirrorPolicy metadata:core.Metadata`,
  'route.VirtualCluster': 'headers:route.HeaderMatcher name',
  'route.Route': `name match:route.RouteMatch route:route.RouteAction redirect:route.RedirectAction directResponse:route.DirectResponseAction nonForwardingAction metadata:core.Metadata decorator:route.Decorator typedPerFilterConfig:{any=route.FilterConfig|${overrides}} requestHeadersToAdd:core.HeaderValueOption requestHeadersToRemove responseHeadersToAdd:core.HeaderValueOption responseHeadersToRemove perRequestBufferLimitBytes statPrefix`,
  'route.Decorator': 'operation propagate',
  'route.RouteMatch':
    'prefix path safeRegex:matcher.RegexMatcher connectMatcher pathSeparatedPrefix caseSensitive runtimeFraction:core.RuntimeFractionalPercent headers:route.HeaderMatcher queryParameters:route.QueryParameterMatcher grpc tlsContext dynamicMetadata:matcher.MetadataMatcher',
  'route.HeaderMatcher':
    'name exactMatch safeRegexMatch:matcher.RegexMatcher rangeMatch:type.Int64Range presentMatch prefixMatch suffixMatch containsMatch stringMatch:matcher.StringMatcher invertMatch treatMissingHeaderAsEmpty',
  'route.QueryParameterMatcher': 'name stringMatch:matcher.StringMatcher presentMatch',
  'route.DirectResponseAction': 'status body:core.DataSource',
  'route.RedirectAction':
    'httpsRedirect schemeRedirect hostRedirect portRedirect pathRedirect prefixRewrite regexRewrite:matcher.RegexMatchAndSubstitute responseCode stripQuery',
  'route.RouteAction':
    'cluster clusterHeader weightedClusters:route.WeightedCluster clusterNotFoundResponseCode metadataMatch:core.Metadata prefixRewrite regexRewrite:matcher.RegexMatchAndSubstitute hostRewriteLiteral autoHostRewrite hostRewriteHeader hostRewritePathRegex:matcher.RegexMatchAndSubstitute appendXForwardedHost timeout:duration idleTimeout:duration flushTimeout:duration retryPolicy:route.RetryPolicy requestMirrorPolicies:route.RouteAction.RequestMirrorPolicy priority rateLimits:route.RateLimit includeVhRateLimits hashPolicy:route.RouteAction.HashPolicy maxGrpcTimeout:duration grpcTimeoutOffset:duration upgradeConfigs:route.RouteAction.UpgradeConfig hedgePolicy:route.HedgePolicy maxStreamDuration:route.RouteAction.MaxStreamDuration',
  'route.RouteAction.MaxStreamDuration':
    'maxStreamDuration:duration grpcTimeoutHeaderMax:duration grpcTimeoutHeaderOffset:duration',
  'route.RouteAction.UpgradeConfig':
    'upgradeType enabled connectConfig:route.RouteAction.UpgradeConfig.ConnectConfig',
  'route.RouteAction.UpgradeConfig.ConnectConfig': 'allowPost',
  'route.RouteAction.RequestMirrorPolicy':
    'cluster clusterHeader runtimeFraction:core.RuntimeFractionalPercent traceSampled disableShadowHostSuffixAppend',
  'route.RouteAction.HashPolicy':
    'header:route.RouteAction.HashPolicy.Header cookie:route.RouteAction.HashPolicy.Cookie connectionProperties:route.RouteAction.HashPolicy.ConnectionProperties queryParameter:route.RouteAction.HashPolicy.QueryParameter filterState:route.RouteAction.HashPolicy.FilterState terminal',
  'route.RouteAction.HashPolicy.Header': 'headerName regexRewrite:matcher.RegexMatchAndSubstitute',
  'route.RouteAction.HashPolicy.Cookie': 'name ttl:duration path',
  'route.RouteAction.HashPolicy.ConnectionProperties': 'sourceIp',
  'route.RouteAction.HashPolicy.QueryParameter': 'name',
  'route.RouteAction.HashPolicy.FilterState': 'key',
  'route.WeightedCluster':
    'clusters:route.WeightedCluster.ClusterWeight totalWeight runtimeKeyPrefix headerName',
  'route.WeightedCluster.ClusterWeight': `name clusterHeader weight metadataMatch:core.Metadata requestHeadersToAdd:core.HeaderValueOption requestHeadersToRemove responseHeadersToAdd:core.HeaderValueOption responseHeadersToRemove typedPerFilterConfig:{any=route.FilterConfig|${overrides}} hostRewriteLiteral`,
  'route.RetryPolicy':
    'retryOn numRetries perTryTimeout:duration perTryIdleTimeout:duration retryPriority:route.RetryPolicy.RetryPriority retryHostPredicate:route.RetryPolicy.RetryHostPredicate hostSelectionRetryMaxAttempts retriableStatusCodes retryBackOff:route.RetryPolicy.RetryBackOff rateLimitedRetryBackOff:route.RetryPolicy.RateLimitedRetryBackOff retriableHeaders:route.HeaderMatcher retriableRequestHeaders:route.HeaderMatcher',
  'route.RetryPolicy.RetryPriority': 'name typedConfig:any=ext.retry.priority',
  'route.RetryPolicy.RetryHostPredicate': 'name typedConfig:any=ext.retry.host',
  'route.RetryPolicy.RetryBackOff': 'baseInterval:duration maxInterval:duration',
  'route.RetryPolicy.RateLimitedRetryBackOff':
    'resetHeaders:route.RetryPolicy.ResetHeader maxInterval:duration',
  'route.RetryPolicy.ResetHeader': 'name format',
  'ext.retry.host.previous_hosts.v3.PreviousHostsPredicate': '',
  'ext.retry.host.omit_host_metadata.v3.OmitHostMetadataConfig': 'metadataMatch:core.Metadata',
  'ext.retry.priority.previous_priorities.v3.PreviousPrioritiesConfig': 'updateFrequency',
  'route.HedgePolicy': 'initialRequests additionalRequestChance:type.FractionalPercent hedgeOnPerTryTimeout',
  'route.RateLimit': 'stage disableKey actions:route.RateLimit.Action',
  'route.RateLimit.Action':
    'sourceCluster destinationCluster requestHeaders:route.RateLimit.Action.RequestHeaders remoteAddress genericKey:route.RateLimit.Action.GenericKey headerValueMatch:route.RateLimit.Action.HeaderValueMatch',
  'route.RateLimit.Action.RequestHeaders': 'headerName descriptorKey skipIfAbsent',
  'route.RateLimit.Action.GenericKey': 'descriptorKey',
  'route.RateLimit.Action.HeaderValueMatch': 'descriptorKey expectMatch headers:route.HeaderMatcher',
  'route.FilterConfig': `config:any=${overrides} isOptional disabled`,
};
