import { any } from '../cases/any';
import { endpointFamily } from '../cases/endpoint-cases';
import type { ConformanceTable } from './conformance-case';

const at = (address: string, portValue = 80, more: object = {}) => ({
  endpoint: { address: { socketAddress: { address, portValue } } },
  ...more,
});
const locality = (zone: string, address: string, more: object = {}) => ({
  locality: { region: 'r', zone },
  loadBalancingWeight: 1,
  lbEndpoints: [at(address)],
  ...more,
});
const first = 'endpoints.0';
const endpoint = `${first}.lbEndpoints.0`;
const socket = `${endpoint}.endpoint.address.socketAddress`;
const drop = (dropPercentage: unknown, category = 'x') => ({ dropOverloads: [{ category, dropPercentage }] });

const hosts = [
  '',
  '10.0.0.256',
  '10.0.0',
  '010.0.0.1',
  '10.0.0.01',
  '1',
  '0x7f000001',
  ' 10.0.0.1',
  '10.0.0.1 ',
  '[::1]',
  '[10.0.0.1]',
  '[]',
  '[::1',
  '::1]',
  '::ffff:10.0.0.1',
  '::',
  'fe80::1%lo',
  'fe80::1%1',
  'fe80::1%nope',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  '::12345',
  'localhost',
  '0.0.0.0',
  '255.255.255.255',
];

export const endpointTable: ConformanceTable = {
  family: endpointFamily,
  rows: [
    ...hosts.map((host) => [`host ${JSON.stringify(host)}`, `${socket}.address`, host] as const),
    ['port 65535', `${socket}.portValue`, 65535],
    ['port 4294967295', `${socket}.portValue`, 4294967295],
    ['named port', socket, { address: '10.0.0.1', namedPort: 'http' }],
    ['UDP', `${socket}.protocol`, 'UDP'],
    ['resolver name', `${socket}.resolverName`, 'x'],
    ['socket of nothing', socket, {}],
    [
      'internal address',
      `${endpoint}.endpoint.address`,
      { envoyInternalAddress: { serverListenerName: 'x' } },
    ],
    ['address of nothing', `${endpoint}.endpoint.address`, {}],
    ['endpoint by name', endpoint, { endpointName: 'x' }],
    ['health UNKNOWN', `${endpoint}.healthStatus`, 'UNKNOWN'],
    ['health DRAINING', `${endpoint}.healthStatus`, 'DRAINING'],
    ['health DEGRADED', `${endpoint}.healthStatus`, 'DEGRADED'],
    ['health TIMEOUT', `${endpoint}.healthStatus`, 'TIMEOUT'],
    ['health of an unknown number', `${endpoint}.healthStatus`, 99],
    ['draining and malformed', endpoint, { healthStatus: 'DRAINING' }],
    ['degraded and malformed', endpoint, { healthStatus: 'DEGRADED' }],
    [
      'unhealthy with weight 0',
      endpoint,
      at('10.0.0.1', 80, { healthStatus: 'UNHEALTHY', loadBalancingWeight: 0 }),
    ],
    ['endpoint weight at the most', `${endpoint}.loadBalancingWeight`, 4294967295],
    [
      'endpoint weights beyond the most',
      `${first}.lbEndpoints`,
      [
        at('10.0.0.1', 80, { loadBalancingWeight: 4294967295 }),
        at('10.0.0.2', 80, { loadBalancingWeight: 1 }),
      ],
    ],
    ['locality weight at the most', `${first}.loadBalancingWeight`, 4294967295],
    [
      'locality weights beyond the most by three',
      'endpoints',
      [
        locality('a', '10.0.0.1', { loadBalancingWeight: 2147483648 }),
        locality('b', '10.0.0.2', { loadBalancingWeight: 2147483647 }),
        locality('c', '10.0.0.3', { loadBalancingWeight: 1 }),
      ],
    ],
    [
      'locality weights exactly the most',
      'endpoints',
      [
        locality('a', '10.0.0.1', { loadBalancingWeight: 2147483648 }),
        locality('b', '10.0.0.2', { loadBalancingWeight: 2147483647 }),
      ],
    ],
    ['locality without endpoints', `${first}.lbEndpoints`, []],
    [
      'locality without endpoints in priority 1',
      'endpoints.1',
      locality('b', '10.0.0.2', { priority: 1, lbEndpoints: [] }),
    ],
    [
      'locality without endpoints in priority 2',
      'endpoints.1',
      locality('b', '10.0.0.2', { priority: 2, lbEndpoints: [] }),
    ],
    [
      'only a locality of weight 0 in priority 1',
      first,
      locality('a', '10.0.0.1', { priority: 1, loadBalancingWeight: 0 }),
    ],
    [
      'only a locality of weight 0 without locality',
      first,
      { loadBalancingWeight: 0, lbEndpoints: [at('10.0.0.1')] },
    ],
    [
      'only a locality of weight 0 with a name for a host',
      first,
      locality('a', 'localhost', { loadBalancingWeight: 0 }),
    ],
    ['priority 128', `${first}.priority`, 128],
    ['priority 4294967295', `${first}.priority`, 4294967295],
    [
      'priority 0 all unhealthy, priority 1',
      'endpoints',
      [
        locality('a', '10.0.0.1', { lbEndpoints: [at('10.0.0.1', 80, { healthStatus: 'UNHEALTHY' })] }),
        locality('b', '10.0.0.2', { priority: 1 }),
      ],
    ],
    [
      'priorities in reverse',
      'endpoints',
      [locality('a', '10.0.0.1', { priority: 1 }), locality('b', '10.0.0.2')],
    ],
    [
      'duplicate address in a locality of weight 0',
      'endpoints.1',
      locality('b', '10.0.0.1', { loadBalancingWeight: 0 }),
    ],
    ['duplicate address within a locality', `${first}.lbEndpoints`, [at('10.0.0.1'), at('10.0.0.1')]],
    ['duplicate address in another priority', 'endpoints.1', locality('b', '10.0.0.1', { priority: 1 })],
    ['duplicate of IPv4 in IPv6', 'endpoints.1', locality('b', '::ffff:10.0.0.1')],
    ['duplicate with a zone', `${first}.lbEndpoints`, [at('fe80::1'), at('fe80::1%lo')]],
    ['duplicate in brackets', `${first}.lbEndpoints`, [at('::1'), at('[::1]')]],
    ['two zones', `${first}.lbEndpoints`, [at('fe80::1%lo'), at('fe80::1%lo')]],
    [
      'draining with weight 0',
      endpoint,
      at('10.0.0.1', 80, { healthStatus: 'DRAINING', loadBalancingWeight: 0 }),
    ],
    [
      'duplicate of a draining one',
      `${first}.lbEndpoints`,
      [at('10.0.0.1'), at('10.0.0.1', 80, { healthStatus: 'DRAINING' })],
    ],
    ['duplicate in capitals', `${first}.lbEndpoints`, [at('fe80::a'), at('FE80::A')]],
    [
      'duplicate of two unhealthy ones',
      `${first}.lbEndpoints`,
      [at('10.0.0.1', 80, { healthStatus: 'UNHEALTHY' }), at('10.0.0.1', 80, { healthStatus: 'TIMEOUT' })],
    ],
    ['two endpoints of nothing', `${first}.lbEndpoints`, [{}, {}]],
    [
      'locality twice, an empty one',
      'endpoints',
      [locality('', '10.0.0.1', { locality: {} }), locality('', '10.0.0.2', { locality: {} })],
    ],
    [
      'localities that differ by sub-zone',
      'endpoints',
      [
        locality('a', '10.0.0.1', { locality: { subZone: 'x' } }),
        locality('a', '10.0.0.2', { locality: { subZone: 'y' } }),
      ],
    ],
    [
      'localities that are alike when joined',
      'endpoints',
      [
        locality('', '10.0.0.1', { locality: { region: 'a', zone: 'b' } }),
        locality('', '10.0.0.2', { locality: { region: 'a', subZone: 'b' } }),
      ],
    ],
    ['drop of 0', 'policy', drop({})],
    ['drop of an unknown denominator', 'policy', drop({ numerator: 1, denominator: 9 })],
    ['drop of 4294967295 %', 'policy', drop({ numerator: 4294967295 })],
    ['drop of 4294967295 of a million', 'policy', drop({ numerator: 4294967295, denominator: 'MILLION' })],
    [
      'two drops of a category',
      'policy',
      {
        dropOverloads: [
          { category: 'x', dropPercentage: {} },
          { category: 'x', dropPercentage: {} },
        ],
      },
    ],
    [
      'drop without category beside a good one',
      'policy',
      { dropOverloads: [{ category: 'x', dropPercentage: {} }, { dropPercentage: {} }] },
    ],
    ['overprovisioning factor 0', 'policy', { overprovisioningFactor: 0 }],
    ['stale after a negative time', 'policy', { endpointStaleAfter: '-1s' }],
    ['named endpoints', 'namedEndpoints', { x: { address: { pipe: { path: '/x' } } } }],
    ['endpoint metadata', `${endpoint}.metadata`, { filterMetadata: { 'envoy.lb': { hash_key: 1 } } }],
    [
      'load balancer endpoints',
      first,
      { locality: {}, loadBalancingWeight: 1, loadBalancerEndpoints: { lbEndpoints: [at('10.0.0.1')] } },
    ],
    ['proximity', `${first}.proximity`, 5],
    [
      'typed metadata of an unknown type',
      `${endpoint}.metadata`,
      { typedFilterMetadata: { x: any('google.protobuf.StringValue', { value: 'x' }) } },
    ],
    ['a service name of nothing', 'clusterName', ''],
    ['two violations', `${first}.locality`, undefined, endpoint, {}],
  ],
};
