import { since } from '../../xds/profile';
import { LDS } from '../../xds/resource-type';
import { connectionManagersOf, filterChainsOf } from '../connection-managers';
import type { Field } from '../field';
import { fault } from '../http-filters';
import { isIpAddress } from '../ip-address';
import { nackBy, react } from '../reactions';
import { type Report, rulesOf } from '../rule';
import { checkEnvoyDuration } from './common-checks';
import { filterActionsOf } from './composite';
import { checkCodec, checkLogOptions, checkLogs, checkManager } from './connection-manager-checks';
import { ruleOfMessages } from './messages/rule-of-messages';
import { messageOf } from './typed-struct';

const source = 'Envoy: measured with 1.40.0';
const rule = rulesOf(LDS.typeUrl);
const tcpProxy = 'envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';
const downstream = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';

const network = (names: string): ReadonlySet<string> =>
  new Set(names.split(/\s+/).map((name) => `envoy.extensions.filters.network.${name}`));

/** Each was tried alone and before another filter. */
const terminalFilters = network(
  `http_connection_manager.v3.HttpConnectionManager tcp_proxy.v3.TcpProxy echo.v3.Echo direct_response.v3.Config
  redis_proxy.v3.RedisProxy thrift_proxy.v3.ThriftProxy dubbo_proxy.v3.DubboProxy
  reverse_tunnel.v3.ReverseTunnel`,
);
const otherFilters = network(
  `rbac.v3.RBAC mongo_proxy.v3.MongoProxy connection_limit.v3.ConnectionLimit sni_cluster.v3.SniCluster
  zookeeper_proxy.v3.ZooKeeperProxy ext_authz.v3.ExtAuthz local_ratelimit.v3.LocalRateLimit ratelimit.v3.RateLimit
  set_filter_state.v3.Config sni_dynamic_forward_proxy.v3.FilterConfig`,
);

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
      if (listener.at('internalListener').exists && listener.at('address').exists)
        report({ field: listener.at('address'), expected: 'no address beside internalListener' });
      if (!socket.exists || socket.at('resolverName').text !== '') return;
      const compatible = socket.at('ipv4Compat');
      if (compatible.isTrue && isIpAddress(host.text) && !host.text.includes(':'))
        report({ field: compatible, expected: 'false: the address is not IPv6' });
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
      const protocol = protocolOf(listener.in('address', 'socketAddress'));
      for (const extra of listener.at('additionalAddresses').items()) {
        const socket = extra.in('address', 'socketAddress');
        if (!extra.at('address').exists) report({ field: extra.at('address'), expected: 'an address' });
        else if (socket.exists && protocolOf(socket) !== protocol)
          report({
            field: socket,
            expected: `the protocol ${protocol}, as the first address`,
            reactions: nackBy('envoy'),
          });
      }
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
        const filters = chain.at('filters').items();
        for (const [index, filter] of filters.entries()) {
          const { typeName } = filter.at('typedConfig');
          const isLast = index === filters.length - 1;
          if (!isLast && terminalFilters.has(typeName))
            report({ field: filter, expected: 'the last filter of the chain', got: typeName });
          if (isLast && otherFilters.has(typeName))
            report({
              field: filter,
              expected: 'a terminal filter, such as the connection manager',
              got: typeName,
            });
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
      report({
        field: matcher,
        expected: 'a matcher beside fcdsConfig',
        reactions: nackBy('envoy-1.40'),
      });
    if (!matcher.exists) return;
    const names = new Set<string>();
    for (const name of listener
      .at('filterChains')
      .items()
      .map((chain) => chain.at('name'))) {
      if (name.text === '') report({ field: name, expected: 'a name, to which filterChainMatcher refers' });
      else if (names.has(name.text)) report({ field: name, expected: 'a name that no chain before it has' });
      names.add(name.text);
    }
  }),
  rule(
    'ENVOY-server-names',
    'A wildcard is the first label of a server name',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      const isRead = !listener.at('filterChainMatcher').exists;
      for (const chain of listener.at('filterChains').items()) {
        for (const name of isRead ? chain.in('filterChainMatch', 'serverNames').items() : [])
          if (name.text.includes('*') && !name.text.startsWith('*.'))
            report({ field: name, expected: 'a name, or *. with a domain' });
        const suffix = chain.in('filterChainMatch', 'addressSuffix');
        const length = chain.in('filterChainMatch', 'suffixLen');
        for (const field of [suffix, length])
          if (field.exists) report({ field, expected: 'no value: Envoy does not implement it' });
      }
    },
  ),
  rule(
    'ENVOY-udp',
    'A UDP listener has listener filters for UDP, and filter chains only for QUIC',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists || listener.at('internalListener').exists) return;
      const isUdp = isUdpListener(listener);
      for (const filter of listener.at('listenerFilters').items()) {
        const config = filter.at('typedConfig');
        if (
          config.typeName.startsWith('envoy.extensions.filters.') &&
          !isOtherEcosystem(config.typeName, isUdp)
        ) {
          report({
            field: config,
            expected: isUdp ? 'a listener filter for UDP' : 'a listener filter for TCP',
            got: config.typeName,
          });
        }
      }
      const chains = listener.at('filterChains');
      const isQuic = listener.in('udpListenerConfig', 'quicOptions').exists;
      if (isUdp && !isQuic && chains.items().length > 0)
        report({
          field: chains,
          expected: 'none: the protocol is UDP without QUIC',
          got: String(chains.items().length),
        });
      if (isUdp && isQuic)
        for (const chain of filterChainsOf(listener))
          if (!chain.at('transportSocket').exists)
            report({ field: chain.at('transportSocket'), expected: 'a transport socket for QUIC' });
    },
  ),
  rule(
    'ENVOY-pipe',
    'The path of a Unix domain socket is short enough',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      const pipe = listener.in('address', 'pipe');
      checkPipe(pipe, report);
      if (pipe.at('path').text.startsWith('@') && pipe.at('mode').numberOr(0) > 0)
        report({ field: pipe.at('mode'), expected: 'no mode: the socket is abstract' });
    },
  ),
  rule(
    'ENVOY-same-address',
    'No two listeners have the same address',
    source,
    nackBy('envoy'),
    (listener, report, { takenAddresses }) => {
      for (const { field, text } of listenedAddressesOf(listener)) {
        const other = takenAddresses?.get(text);
        if (other !== undefined && other !== listener.at('name').text)
          report({
            field,
            expected: `an address that the listener ${JSON.stringify(other)} does not have`,
            got: text,
          });
      }
    },
  ),
  ruleOfMessages('ENVOY-tcp-proxy', 'The options of a TCP proxy fit together', [tcpProxy], (filter, report) =>
    checkLogOptions(filter, ['accessLogFlushInterval', 'flushAccessLogOnConnected'], report),
  ),
  rule(
    'ENVOY-manager',
    'The config of the HttpConnectionManager is valid',
    source,
    nackBy('envoy'),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      checkLogs(listener.at('accessLog'), report);
      for (const { field: manager, side } of connectionManagersOf(listener)) {
        if (side !== 'server') continue;
        checkManager(manager, report);
        checkCodec(listener, manager, report);
      }
    },
  ),
];

function protocolOf(socket: Field): string {
  return socket.at('protocol').text || 'TCP';
}

function isUdpListener(listener: Field): boolean {
  return protocolOf(listener.in('address', 'socketAddress')) === 'UDP';
}

/** TCP listeners and UDP listeners have filters of their own. */
function isOtherEcosystem(typeName: string, isUdp: boolean): boolean {
  const ofUdp = /^envoy\.extensions\.filters\.udp\./.test(typeName);
  return ofUdp === isUdp;
}

/** The size of sun_path in Linux. */
const maxPipePath = 107;

export function checkPipe(pipe: Field, report: Report): void {
  const path = pipe.at('path');
  if (path.text.length > maxPipePath)
    report({
      field: path,
      expected: `at most ${maxPipePath} characters`,
      got: `${path.text.length} characters`,
    });
}

interface ListenedAddress {
  readonly field: Field;
  /** 0 is any free port. */
  readonly port: number;
  /** As in "TCP 127.0.0.1:80". */
  readonly text: string;
}

/** The addresses to which a listener binds. */
export function listenedAddressesOf(listener: Field): ListenedAddress[] {
  if (listener.at('apiListener').exists) return [];
  const extra = listener.at('additionalAddresses').items();
  return [listener, ...extra].flatMap((owner) => {
    const field = owner.in('address', 'socketAddress');
    const port = field.at('portValue').numberOr(0);
    if (!field.exists) return [];
    return [{ field, port, text: `${protocolOf(field)} ${field.at('address').text}:${port}` }];
  });
}

function checkAction(action: Field, report: Report): void {
  const chain = action.at('filterChain');
  if (chain.exists && chain.at('typedConfig').items().length === 0)
    report({
      field: chain.at('typedConfig'),
      expected: 'at least one filter',
      reactions: nackBy(...since('envoy-1.37')),
    });
  const inner = action.at('typedConfig');
  const others = ['dynamicConfig', 'filterChain', 'filterChainName'];
  if (!inner.exists && !others.some((name) => action.at(name).exists))
    report({ field: inner, expected: `a filter, or one of ${others.join(', ')}` });
  if (inner.at('typedConfig').typeName === fault)
    checkEnvoyDuration(inner.in('typedConfig', 'delay', 'fixedDelay'), report);
}
