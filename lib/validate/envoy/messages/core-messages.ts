/** Messages that occur in several kinds of resources. The notation is that of parseMessages(). */
export const coreMessages: Readonly<Record<string, string>> = {
  'core.Address':
    'socketAddress:core.SocketAddress pipe:core.Pipe envoyInternalAddress:core.EnvoyInternalAddress',
  'core.SocketAddress': 'address portValue protocol namedPort',
  'core.Pipe': 'path mode',
  'core.EnvoyInternalAddress': 'serverListenerName endpointId',
  'core.Metadata': 'filterMetadata',
  'core.Locality': 'region zone subZone',
  'core.CidrRange': 'addressPrefix prefixLen',
  'core.DataSource': 'inlineString',
  'core.ConfigSource':
    'ads self resourceApiVersion initialFetchTimeout:duration apiConfigSource:core.ApiConfigSource',
  // Its clusters have to be static ones of the bootstrap, so that no resource of it is known to be accepted.
  'core.ApiConfigSource': 'apiType transportApiVersion setNodeOnFirstMessageOnly',
  'core.GrpcService': 'envoyGrpc:core.GrpcService.EnvoyGrpc timeout:duration',
  'core.GrpcService.EnvoyGrpc': 'clusterName authority',
  'core.HttpUri': 'uri cluster timeout:duration',
  'core.HeaderValue': 'key value',
  'core.HeaderValueOption': 'header:core.HeaderValue append appendAction keepEmptyValue',
  'core.RuntimeFractionalPercent': 'defaultValue:type.FractionalPercent runtimeKey',
  'core.RuntimeFeatureFlag': 'defaultValue runtimeKey',
  'core.RuntimeUInt32': 'defaultValue runtimeKey',
  'core.RuntimeDouble': 'defaultValue runtimeKey',
  'core.TransportSocket': 'name typedConfig:any=ext.transport_sockets',
  'core.TcpKeepalive': 'keepaliveProbes keepaliveTime keepaliveInterval',
  'core.SocketOption': 'description level name intValue state',
  'core.BindConfig': 'sourceAddress:core.SocketAddress',
  'core.KeepaliveSettings':
    'interval:duration timeout:duration intervalJitter:type.Percent connectionIdleInterval:duration',
  'core.HttpProtocolOptions':
    'idleTimeout:duration maxConnectionDuration:duration maxStreamDuration:duration maxHeadersCount maxRequestsPerConnection headersWithUnderscoresAction maxResponseHeadersKb',
  'core.Http1ProtocolOptions':
    'allowAbsoluteUrl acceptHttp10 defaultHostForHttp10 enableTrailers allowChunkedLength headerKeyFormat:core.Http1ProtocolOptions.HeaderKeyFormat overrideStreamErrorOnInvalidHttpMessage',
  'core.Http1ProtocolOptions.HeaderKeyFormat':
    'properCaseWords statefulFormatter:extension=ext.http.header_formatters',
  'core.Http2ProtocolOptions':
    'hpackTableSize maxConcurrentStreams initialStreamWindowSize initialConnectionWindowSize allowConnect allowMetadata connectionKeepalive:core.KeepaliveSettings customSettingsParameters:core.Http2ProtocolOptions.SettingsParameter',
  'core.Http2ProtocolOptions.SettingsParameter': 'identifier value',
  'core.SubstitutionFormatString':
    'textFormat textFormatSource:core.DataSource jsonFormat omitEmptyValues contentType jsonFormatOptions',
  'core.BackoffStrategy': 'baseInterval:duration maxInterval:duration',

  'type.FractionalPercent': 'numerator denominator',
  'type.Percent': 'value',
  'type.Int64Range': 'start end',
  'type.HttpStatus': 'code',
  'matcher.StringMatcher': 'exact prefix suffix contains ignoreCase safeRegex:matcher.RegexMatcher',
  'matcher.RegexMatcher': 'regex googleRe2',
  'matcher.ListStringMatcher': 'patterns:matcher.StringMatcher',
  'matcher.MetadataMatcher':
    'filter path:matcher.MetadataMatcher.PathSegment value:matcher.ValueMatcher invert',
  'matcher.MetadataMatcher.PathSegment': 'key',
  'matcher.ValueMatcher': 'nullMatch doubleMatch stringMatch:matcher.StringMatcher boolMatch presentMatch',
  'matcher.PathMatcher': 'path:matcher.StringMatcher',
  'matcher.RegexMatchAndSubstitute': 'pattern:matcher.RegexMatcher substitution',
  'metadata.MetadataKey': 'key path:metadata.MetadataKey.PathSegment',
  'metadata.MetadataKey.PathSegment': 'key',
  'metadata.MetadataKind': 'request route cluster host',
  'tracing.CustomTag':
    'tag literal:tracing.CustomTag.Literal environment:tracing.CustomTag.Environment requestHeader:tracing.CustomTag.Header metadata:tracing.CustomTag.Metadata',
  'tracing.CustomTag.Literal': 'value',
  'tracing.CustomTag.Environment': 'name defaultValue',
  'tracing.CustomTag.Header': 'name defaultValue',
  'tracing.CustomTag.Metadata': 'kind:metadata.MetadataKind metadataKey:metadata.MetadataKey defaultValue',

  'accesslog.AccessLog': 'name filter:accesslog.AccessLogFilter typedConfig:any=ext.access_loggers',
  'accesslog.AccessLogFilter':
    'statusCodeFilter:accesslog.StatusCodeFilter durationFilter:accesslog.DurationFilter notHealthCheckFilter traceableFilter runtimeFilter:accesslog.RuntimeFilter andFilter:accesslog.AndFilter orFilter:accesslog.OrFilter headerFilter:accesslog.HeaderFilter responseFlagFilter:accesslog.ResponseFlagFilter grpcStatusFilter:accesslog.GrpcStatusFilter metadataFilter:accesslog.MetadataFilter logTypeFilter:accesslog.LogTypeFilter',
  'accesslog.StatusCodeFilter': 'comparison:accesslog.ComparisonFilter',
  'accesslog.DurationFilter': 'comparison:accesslog.ComparisonFilter',
  'accesslog.ComparisonFilter': 'op value:core.RuntimeUInt32',
  'accesslog.RuntimeFilter': 'runtimeKey percentSampled:type.FractionalPercent useIndependentRandomness',
  'accesslog.AndFilter': 'filters:accesslog.AccessLogFilter',
  'accesslog.OrFilter': 'filters:accesslog.AccessLogFilter',
  'accesslog.HeaderFilter': 'header:route.HeaderMatcher',
  'accesslog.ResponseFlagFilter': 'flags',
  'accesslog.GrpcStatusFilter': 'statuses exclude',
  'accesslog.MetadataFilter': 'matcher:matcher.MetadataMatcher matchIfKeyNotFound',
  'accesslog.LogTypeFilter': 'types exclude',
  'ext.access_loggers.file.v3.FileAccessLog':
    'path logFormat:core.SubstitutionFormatString format jsonFormat typedJsonFormat',
  'ext.access_loggers.stream.v3.StdoutAccessLog': 'logFormat:core.SubstitutionFormatString',
  'ext.access_loggers.stream.v3.StderrAccessLog': 'logFormat:core.SubstitutionFormatString',
  'ext.access_loggers.grpc.v3.HttpGrpcAccessLogConfig':
    'commonConfig:ext.access_loggers.grpc.v3.CommonGrpcAccessLogConfig additionalRequestHeadersToLog additionalResponseHeadersToLog additionalResponseTrailersToLog',
  'ext.access_loggers.grpc.v3.TcpGrpcAccessLogConfig':
    'commonConfig:ext.access_loggers.grpc.v3.CommonGrpcAccessLogConfig',
  'ext.access_loggers.grpc.v3.CommonGrpcAccessLogConfig':
    'logName grpcService:core.GrpcService transportApiVersion bufferFlushInterval:duration bufferSizeBytes',

  'tls.UpstreamTlsContext':
    'commonTlsContext:tls.CommonTlsContext sni allowRenegotiation maxSessionKeys enforceRsaKeyUsage',
  'tls.DownstreamTlsContext':
    'commonTlsContext:tls.CommonTlsContext requireClientCertificate requireSni disableStatelessSessionResumption fullScanCertsOnSniMismatch',
  'tls.CommonTlsContext':
    'alpnProtocols tlsParams:tls.TlsParameters tlsCertificateSdsSecretConfigs:tls.SdsSecretConfig validationContextSdsSecretConfig:tls.SdsSecretConfig validationContext:tls.CertificateValidationContext combinedValidationContext:tls.CommonTlsContext.CombinedCertificateValidationContext',
  'tls.CommonTlsContext.CombinedCertificateValidationContext':
    'defaultValidationContext:tls.CertificateValidationContext validationContextSdsSecretConfig:tls.SdsSecretConfig',
  'tls.CertificateValidationContext':
    'matchTypedSubjectAltNames:tls.SubjectAltNameMatcher matchSubjectAltNames:matcher.StringMatcher systemRootCerts allowExpiredCertificate verifyCertificateSpki verifyCertificateHash',
  'tls.SubjectAltNameMatcher': 'sanType matcher:matcher.StringMatcher',
  'tls.SdsSecretConfig': 'name sdsConfig:core.ConfigSource',
  'tls.TlsParameters': 'tlsMinimumProtocolVersion tlsMaximumProtocolVersion',
  'ext.transport_sockets.raw_buffer.v3.RawBuffer': '',
  'ext.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport':
    'transportSocket:core.TransportSocket',
  'ext.transport_sockets.internal_upstream.v3.InternalUpstreamTransport':
    'transportSocket:core.TransportSocket passthroughMetadata:ext.transport_sockets.internal_upstream.v3.InternalUpstreamTransport.MetadataValueSource',
  'ext.transport_sockets.internal_upstream.v3.InternalUpstreamTransport.MetadataValueSource':
    'kind:metadata.MetadataKind name',
  'ext.http.header_formatters.preserve_case.v3.PreserveCaseFormatterConfig': '',
};
