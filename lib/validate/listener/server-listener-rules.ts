import { before, profileSet, since } from '../../xds/profile';
import { LDS } from '../../xds/resource-type';
import {
  cannotMatch,
  chainsDroppedByGo,
  connectionManager,
  filterChainsOf,
  skippersOfChains,
} from '../connection-managers';
import { everyNack, grpcNack, nackBy, type Reactions, react } from '../reactions';
import { type Rule, reportExceptFor, rulesOf } from '../rule';

const rule = rulesOf(LDS.typeUrl);

/** A rule about socket listeners. The clients in `always` apply it to API listeners too. */
function ruleOfSocket(id: string, title: string, reactions: Reactions, check: Rule['check']): Rule {
  return rule(id, title, 'gRFC A36: socket listener', reactions, (listener, report, context) => {
    check(listener, reportExceptFor(report, skippersOfChains(listener)), context);
  });
}

export const serverListenerRules: readonly Rule[] = [
  ruleOfSocket(
    'S1',
    'A server listener has a TCP socket address',
    nackBy('core', 'go', 'java'),
    (listener, report, context) => {
      if (listener.at('apiListener').exists) return;
      const address = listener.at('address');
      const socket = address.at('socketAddress');
      if (!socket.exists) {
        const isOptionalInEnvoy = address.exists || listener.at('internalListener').exists;
        const reactions = react({
          NACK: isOptionalInEnvoy ? ['core', 'go'] : ['core', 'go', 'envoy'],
          'not serving': ['java'],
        });
        report({ field: socket, expected: 'a socket address', reactions });
        return;
      }
      const host = socket.at('address').text;
      const place = `${host.includes(':') ? `[${host}]` : host}:${socket.at('portValue').numberOr(0)}`;
      const own = /listening_address=(\[?[0-9a-fA-F:.]+\]?:\d+)$/.exec(listener.at('name').text)?.[1];
      if (own !== undefined && own !== place)
        report({
          field: socket,
          expected: `${own}, at which the server that requests this name listens`,
          got: place,
          reactions: react({ 'not serving': ['java'] }),
        });
      else if (own === undefined && context.isWithoutClient === true)
        report({
          field: socket,
          expected: 'the address at which the server listens',
          reactions: nackBy(),
          dependence: {
            dependsOn:
              'The address at which the server listens, which is not known here: a Java server ACKs a listener for another address, and does not serve.',
            otherwise: react({ 'not serving': ['java'] }),
          },
        });
      const protocol = socket.at('protocol');
      const port = socket.at('portValue');
      if (!['', 'TCP'].includes(protocol.text) || typeof protocol.value === 'number')
        report({ field: protocol, expected: 'TCP', reactions: nackBy('core') });
      if (port.numberOr(0) > 65535)
        report({ field: port, expected: 'a port <= 65535', reactions: nackBy('core') });
      const javaNack = react({ NACK: since('java-1.76'), 'not serving': before('java-1.76') });
      if (host === '') report({ field: socket.at('address'), expected: 'an address', reactions: javaNack });
      if (socket.at('namedPort').exists)
        report({ field: socket.at('namedPort'), expected: 'portValue', reactions: javaNack });
    },
  ),
  // C-core does not read listener_filters.
  ruleOfSocket(
    'S2',
    'A server listener has no listener filters',
    nackBy('go', 'java', 'node'),
    (listener, report) => {
      const filters = listener.at('listenerFilters');
      if (filters.items().length > 0) report({ field: filters, expected: 'none' });
    },
  ),
  ruleOfSocket('S3', 'use_original_dst is not set', grpcNack, (listener, report) => {
    const field = listener.at('useOriginalDst');
    if (field.isTrue) report({ field, expected: 'false' });
    else if (field.exists) report({ field, expected: 'no value', reactions: nackBy('java') });
  }),
  ruleOfSocket(
    'S4',
    'A filter chain has one HttpConnectionManager and no other network filter',
    grpcNack,
    (listener, report) => {
      const dropped = chainsDroppedByGo(listener);
      for (const chain of filterChainsOf(listener)) {
        const reportHere = reportExceptFor(
          report,
          profileSet(...(dropped.has(chain.value) ? (['go'] as const) : [])),
        );
        const filters = chain.at('filters');
        const items = filters.items();
        // grpc-go accepts several filters if all of them are connection managers with distinct names.
        if (items.length !== 1)
          reportHere({
            field: filters,
            expected: 'exactly one filter',
            got: String(items.length),
            reactions: items.length === 0 ? grpcNack : nackBy('core', 'java', 'node'),
          });
        const names = new Set<string>();
        for (const item of items) {
          const config = item.at('typedConfig');
          const name = item.at('name');
          const isConfigured = config.exists || item.at('configDiscovery').exists;
          if (config.typeName !== connectionManager || config.isTypedStruct)
            reportHere({
              field: config,
              expected: connectionManager,
              got: config.typeName || 'nothing',
              reactions: isConfigured ? grpcNack : everyNack,
            });
          else if (config.unreadable !== undefined)
            reportHere({
              field: config,
              expected: 'a readable HttpConnectionManager',
              got: config.unreadable,
              reactions: everyNack,
            });
          if (name.text === '') reportHere({ field: name, expected: 'a name', reactions: nackBy('go') });
          else if (names.has(name.text))
            reportHere({
              field: name,
              expected: 'a name that is unique in the chain',
              reactions: nackBy('go'),
            });
          names.add(name.text);
        }
      }
    },
  ),
  rule(
    'S7',
    'A server listener has a filter chain or a default one',
    'gRFC A36: filter chains',
    everyNack,
    (listener, report) => {
      const field = listener.at('filterChains');
      if (listener.at('apiListener').exists || listener.at('defaultFilterChain').exists) return;
      const chains = field.items();
      const expected = 'a filter chain, or a default one';
      const udp = listener.in('address', 'socketAddress', 'protocol').text === 'UDP';
      const reactions = react({
        NACK: udp ? ['core', 'go', 'node'] : ['core', 'go', 'node', 'envoy'],
        'not serving': ['java'],
      });
      if (chains.length === 0) report({ field, expected, reactions });
      else if (chains.every(cannotMatch))
        report({ field, expected, got: 'none that gRPC can use', reactions: nackBy('go') });
    },
  ),
  rule(
    'S9',
    'Routes of a server have the action non_forwarding_action',
    'gRFC A36: actions of a server',
    nackBy(),
    (listener, report) => {
      if (listener.at('apiListener').exists) return;
      for (const chain of filterChainsOf(listener)) {
        for (const filter of chain.at('filters').items()) {
          for (const host of filter.in('typedConfig', 'routeConfig', 'virtualHosts').items()) {
            for (const route of host.at('routes').items()) {
              if (!route.at('nonForwardingAction').exists)
                report({
                  field: route,
                  expected: 'nonForwardingAction',
                  got: route.names().find((name) => name !== 'match' && name !== 'name') ?? 'nothing',
                  note: 'A gRPC server fails the calls that match it with UNAVAILABLE.',
                });
            }
          }
        }
      }
    },
  ),
];
