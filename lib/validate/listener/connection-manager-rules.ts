import { LDS } from '../../xds/resource-type';
import { isAdsOrSelf, missingFile } from '../common-values';
import { connectionManager, connectionManagersOf } from '../connection-managers';
import { durationText, isDuration, isJavaDuration, javaDurationText } from '../duration';
import type { Field } from '../field';
import type { Side } from '../http-filters';
import { grpcNack, javaThrows, nackBy, type Reactions, react } from '../reactions';
import { type Report, type Rule, reportExceptFor, rulesOf } from '../rule';

const rule = rulesOf(LDS.typeUrl);

export function ruleOfManager(
  id: string,
  title: string,
  source: string,
  reactions: Reactions,
  check: (manager: Field, report: Report, side: Side) => void,
): Rule {
  return rule(id, title, source, reactions, (listener, report) => {
    for (const { field, side, skippedBy } of connectionManagersOf(listener))
      check(field, reportExceptFor(report, skippedBy), side);
  });
}

export const connectionManagerRules: readonly Rule[] = [
  rule(
    'L1',
    'A listener has either an API listener or an address, and Envoy has no API listeners from LDS',
    'gRFC A27, A74: API listener',
    nackBy(),
    (listener, report) => {
      const isSocket = listener.at('address').exists || listener.at('filterChains').items().length > 0;
      if (listener.at('apiListener').exists && isSocket)
        report({
          field: listener.at('apiListener'),
          expected: 'either an apiListener or an address',
          got: 'both',
          note: 'gRPC treats it as an API listener.',
        });
      if (listener.at('apiListener').exists)
        report({
          field: listener.at('apiListener'),
          expected: 'none over LDS',
          got: 'an API listener',
          reactions: react({ 'ignore resource': ['envoy'] }),
          note: 'Envoy accepts API listeners only in its bootstrap.',
        });
    },
  ),
  rule(
    'L2',
    'api_listener contains an HttpConnectionManager',
    'gRFC A27: API listener',
    grpcNack,
    (listener, report) => {
      const config = listener.in('apiListener', 'apiListener');
      if (!listener.at('apiListener').exists) return;
      if (config.typeName !== connectionManager || config.isTypedStruct)
        report({
          field: config,
          expected: connectionManager,
          got: config.typeName || config.show(),
          reactions: config.exists ? grpcNack : react({ NACK: ['core', 'go', 'java'], crash: ['node'] }),
        });
      else if (config.unreadable !== undefined)
        report({ field: config, expected: 'a readable HttpConnectionManager', got: config.unreadable });
    },
  ),
  ruleOfManager(
    'L3',
    'xff_num_trusted_hops is 0',
    'gRFC A41',
    nackBy('core', 'go', 'java'),
    (manager, report) => {
      const hops = manager.at('xffNumTrustedHops');
      if (hops.numberOr(0) !== 0) report({ field: hops, expected: '0' });
    },
  ),
  ruleOfManager(
    'L4',
    'original_ip_detection_extensions is empty',
    'gRFC A41',
    nackBy('core', 'go', 'java'),
    (manager, report) => {
      const extensions = manager.at('originalIpDetectionExtensions');
      if (extensions.items().length > 0) report({ field: extensions, expected: 'none' });
    },
  ),
  ruleOfManager(
    'L5',
    'max_stream_duration is a valid duration',
    'gRFC A31',
    nackBy('core', 'envoy'),
    (manager, report) => {
      const duration = manager.in('commonHttpProtocolOptions', 'maxStreamDuration');
      if (!isDuration(duration)) report({ field: duration, expected: durationText });
      if (!isJavaDuration(duration))
        report({ field: duration, expected: javaDurationText, reactions: javaThrows });
    },
  ),
  ruleOfManager(
    'L12',
    'The routes come from RDS or from an inline route configuration',
    'gRFC A27',
    grpcNack,
    (manager, report) => {
      if (!manager.at('rds').exists && !manager.at('routeConfig').exists)
        report({ field: manager.at('rds'), expected: 'rds or routeConfig' });
    },
  ),
  ruleOfManager(
    'L13',
    'RDS is read from ADS or from the same server',
    'gRFC A27',
    grpcNack,
    (manager, report, side) => {
      const source = manager.in('rds', 'configSource');
      if (!manager.at('rds').exists) return;
      if (!isAdsOrSelf(source)) report({ field: source, expected: 'ads or self' });
      // grpc-go accepts `self` only on the client side.
      else if (side === 'server' && !source.at('ads').exists)
        report({ field: source, expected: 'ads', reactions: nackBy('go') });
      if (source.at('path').exists || source.at('pathConfigSource').exists)
        report({
          field: source,
          expected: 'a file that exists',
          reactions: nackBy(),
          dependence: missingFile,
        });
    },
  ),
  ruleOfManager('L14', 'RDS has a route_config_name', 'gRFC A27', nackBy('go'), (manager, report) => {
    const name = manager.in('rds', 'routeConfigName');
    if (manager.at('rds').exists && name.text === '') report({ field: name, expected: 'a name' });
  }),
];
