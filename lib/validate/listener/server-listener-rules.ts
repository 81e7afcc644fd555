import { LDS } from '../xds/resource-type';
import type { Field } from './field';
import { allNack, nackBy, type Reactions } from './profile';
import { connectionManager } from './route-parts';
import type { Breach, Rule } from './rule';

function rule(
  id: string,
  fieldPath: string,
  reactions: Reactions,
  check: (listener: Field, report: (breach: Breach) => void) => void,
): Rule {
  return {
    id,
    types: [LDS.typeUrl],
    source: 'gRFC A36: socket listener',
    fieldPath,
    reactions,
    check(listener, report) {
      if (!listener.at('apiListener').exists) check(listener, report);
    },
  };
}

export const serverListenerRules: readonly Rule[] = [
  rule('S1', 'address.socketAddress', nackBy('core', 'go', 'java'), (listener, report) => {
    const socket = listener.in('address', 'socketAddress');
    if (!socket.exists) report({ field: socket, expected: 'a socket address' });
    const protocol = socket.at('protocol');
    if (!['', 'TCP'].includes(protocol.text))
      report({ field: protocol, expected: 'TCP', reactions: nackBy('core', 'java') });
  }),
  rule('S4', 'filterChains[].filters', allNack, (listener, report) => {
    for (const chain of [...listener.at('filterChains').items(), listener.at('defaultFilterChain')]) {
      if (!chain.exists) continue;
      const filters = chain.at('filters');
      const items = filters.items();
      // Go takes several, if all are connection managers.
      if (items.length !== 1)
        report({
          field: filters,
          expected: 'exactly one filter',
          got: String(items.length),
          reactions: items.length === 0 ? allNack : nackBy('core', 'java', 'node'),
        });
      for (const item of items) {
        const config = item.at('typedConfig');
        if (config.typeName !== connectionManager || config.unreadable !== undefined)
          report({
            field: config,
            expected: connectionManager,
            got: config.unreadable ?? (config.typeName || 'nothing'),
          });
      }
    }
  }),
];
