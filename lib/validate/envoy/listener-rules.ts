import { LDS } from '../../xds/resource-type';
import { connectionManager, connectionManagersOf, filterChainsOf } from '../connection-managers';
import type { Field } from '../field';
import { fault, router } from '../http-filters';
import { isIpAddress } from '../ip-address';
import { nackBy, react } from '../reactions';
import { type Report, rulesOf } from '../rule';
import { checkConfigSource, checkEnvoyDuration } from './common-checks';
import { filterActionsOf } from './composite';
import { messageOf } from './typed-struct';

const source = 'Envoy: measured with 1.40.0';
const rule = rulesOf(LDS.typeUrl);
const tcpProxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
const downstream = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

/** Conditions on listeners that Envoy rejects and that are no constraints of the protos. */
export const envoyListenerRules = [
  rule(
    'ENVOY-address',
    'A listener has an address that Envoy can bind',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      const socket = listener.in('address', 'socketAddress');
      const host = socket.at('address');
      if (!socket.exists || socket.at('resolverName').text !== '') return;
      if (host.text !== '' && !isIpAddress(host.text)) report({ field: host, expected: 'an IP address' });
      if (socket.at('namedPort').exists) report({ field: socket.at('namedPort'), expected: 'a port number' });
      const bind = listener.at('bindToPort');
      if (socket.at('protocol').text === 'UDP' && bind.exists && !bind.isTrue)
        report({ field: bind, expected: 'true: the protocol is UDP' });
    },
  ),
  rule(
    'ENVOY-composite',
    'The filters of a composite filter are valid',
    source,
    nackBy('envoy'),
    (listener, report) => {
      for (const { field: manager, side } of connectionManagersOf(listener)) {
        if (side !== 'server' || listener.at('apiListener').exists) continue;
        for (const filter of manager.at('httpFilters').items()) {
          for (const action of filterActionsOf(filter.at('typedConfig'))) checkAction(action, report);
        }
      }
    },
  ),
  rule(
    'ENVOY-addresses',
    'Additional addresses of a listener are valid',
    source,
    react({ crash: ['envoy'] }),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      for (const extra of listener.at('additionalAddresses').items())
        if (!extra.at('address').exists) report({ field: extra.at('address'), expected: 'an address' });
    },
  ),
  rule(
    'ENVOY-last-filter',
    'The last network filter, and no other, is a terminal one',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      for (const chain of filterChainsOf(listener)) {
        for (const filter of chain.at('filters').items().slice(0, -1)) {
          const { typeName } = filter.at('typedConfig');
          if (typeName === connectionManager || typeName === tcpProxy)
            report({ field: filter, expected: 'the last filter of the chain', got: typeName });
        }
      }
    },
  ),
  rule(
    'ENVOY-certificates',
    'The TLS certificates of a listener are complete',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      for (const chain of filterChainsOf(listener)) {
        const config = chain.in('transportSocket', 'typedConfig');
        if (config.typeName !== downstream || config.unreadable !== undefined) continue;
        const common = messageOf(config).at('commonTlsContext');
        const names = ['tlsCertificates', 'tlsCertificateSdsSecretConfigs'];
        const hasCertificate = names.some((name) => common.at(name).items().length > 0);
        if (!hasCertificate && !common.at('customTlsCertificateSelector').exists)
          report({ field: common, expected: names.join(' or ') });
      }
    },
  ),
  rule('ENVOY-matcher', 'The filter chain matcher is valid', source, nackBy('envoy'), (listener, report) => {
    if (listener.at('apiListener').exists) return;
    const matcher = listener.at('filterChainMatcher');
    if (listener.at('fcdsConfig').exists && !matcher.exists)
      report({ field: matcher, expected: 'a matcher beside fcdsConfig', reactions: nackBy('envoy-1.37') });
    if (!matcher.exists) return;
    for (const chain of listener.at('filterChains').items())
      if (chain.at('name').text === '')
        report({ field: chain.at('name'), expected: 'a name, to which filterChainMatcher refers' });
  }),
  rule(
    'ENVOY-manager',
    'The config of the HttpConnectionManager is valid',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      checkLogs(listener.at('accessLog'), report);
      for (const { field: manager, side } of connectionManagersOf(listener)) {
        if (side === 'server') checkManager(manager, report);
      }
    },
  ),
];

function checkAction(action: Field, report: Report): void {
  const chain = action.at('filterChain');
  if (chain.exists && chain.at('typedConfig').items().length === 0)
    report({
      field: chain.at('typedConfig'),
      expected: 'at least one filter',
      reactions: nackBy('envoy-1.37'),
    });
  const inner = action.at('typedConfig');
  const others = ['dynamicConfig', 'filterChain', 'filterChainName'];
  if (!inner.exists && !others.some((name) => action.at(name).exists))
    report({ field: inner, expected: `a filter, or one of ${others.join(', ')}` });
  if (inner.at('typedConfig').typeName === fault)
    checkEnvoyDuration(inner.in('typedConfig', 'delay', 'fixedDelay'), report);
}

function checkManager(manager: Field, report: Report): void {
  checkLogs(manager.at('accessLog'), report);
  for (const filter of manager.at('httpFilters').items()) {
    const config = filter.at('typedConfig');
    if (config.typeName === router && !config.isTypedStruct) checkLogs(config.at('upstreamLog'), report);
  }
  const options = manager.at('commonHttpProtocolOptions');
  const kilobytes = options.at('maxResponseHeadersKb');
  if (kilobytes.exists) report({ field: kilobytes, expected: 'no value in a listener' });
  for (const field of [options.at('idleTimeout'), manager.at('streamIdleTimeout')])
    checkEnvoyDuration(field, report);
  const rds = manager.at('rds');
  if (rds.exists) checkConfigSource(rds.at('configSource'), report);
}

function checkLogs(logs: Field, report: Report): void {
  for (const log of logs.items())
    if (!log.at('typedConfig').exists)
      report({ field: log.at('typedConfig'), expected: 'the config of an access logger' });
}
