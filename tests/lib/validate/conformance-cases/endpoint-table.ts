import { any } from '../cases/any';
import { at, endpoint, endpointFamily, first, firstWith, locality, unhealthy } from '../cases/endpoint-cases';
import { type ConformanceTable, rowsAt } from './conformance-case';

const socket = `${endpoint}.endpoint.address.socketAddress`;
const dropped = (dropPercentage: object) => ({ category: 'x', dropPercentage });
const drop = (dropPercentage: object) => ({ dropOverloads: [dropped(dropPercentage)] });

const most = 4294967295;
const half = 2147483648;
const weighted = (zone: string, address: string, loadBalancingWeight: number) =>
  locality(zone, address, { loadBalancingWeight });
const placed = (place: object, address: string) => locality('', address, { locality: place });
const text = any('google.protobuf.StringValue', { value: 'x' });
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
    ...rowsAt(`${endpoint}.healthStatus`, [
      ['health UNKNOWN', 'UNKNOWN'],
      ['health DRAINING', 'DRAINING'],
      ['health DEGRADED', 'DEGRADED'],
      ['health TIMEOUT', 'TIMEOUT'],
      ['health of an unknown number', 99],
    ]),
    ...rowsAt(endpoint, [
      ['draining and malformed', { healthStatus: 'DRAINING' }],
      ['degraded and malformed', { healthStatus: 'DEGRADED' }],
      ['unhealthy with weight 0', firstWith({ healthStatus: 'UNHEALTHY', loadBalancingWeight: 0 })],
    ]),
    ['endpoint weight at the most', `${endpoint}.loadBalancingWeight`, 4294967295],
    [
      'endpoint weights beyond the most',
      `${first}.lbEndpoints`,
      [firstWith({ loadBalancingWeight: most }), at('10.0.0.2', 80, { loadBalancingWeight: 1 })],
    ],
    ['locality weight at the most', `${first}.loadBalancingWeight`, 4294967295],
    [
      'locality weights beyond the most by three',
      'endpoints',
      [weighted('a', '10.0.0.1', half), weighted('b', '10.0.0.2', half - 1), weighted('c', '10.0.0.3', 1)],
    ],
    [
      'locality weights exactly the most',
      'endpoints',
      [weighted('a', '10.0.0.1', half), weighted('b', '10.0.0.2', half - 1)],
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
    ...rowsAt(first, [
      [
        'only a locality of weight 0 in priority 1',
        locality('a', '10.0.0.1', { priority: 1, loadBalancingWeight: 0 }),
      ],
      [
        'only a locality of weight 0 without locality',
        { loadBalancingWeight: 0, lbEndpoints: [at('10.0.0.1', 80)] },
      ],
      ['only a locality of weight 0 with a name for a host', weighted('a', 'localhost', 0)],
    ]),
    ['priority 128', `${first}.priority`, 128],
    ['priority 4294967295', `${first}.priority`, 4294967295],
    [
      'priority 0 all unhealthy, priority 1',
      'endpoints',
      [locality('a', '10.0.0.1', { lbEndpoints: [unhealthy] }), locality('b', '10.0.0.2', { priority: 1 })],
    ],
    [
      'priorities in reverse',
      'endpoints',
      [locality('a', '10.0.0.1', { priority: 1 }), locality('b', '10.0.0.2')],
    ],
    ['duplicate address in a locality of weight 0', 'endpoints.1', weighted('b', '10.0.0.1', 0)],
    ['duplicate address within a locality', `${first}.lbEndpoints`, [at('10.0.0.1', 80), at('10.0.0.1', 80)]],
    ['duplicate address in another priority', 'endpoints.1', locality('b', '10.0.0.1', { priority: 1 })],
    ['duplicate of IPv4 in IPv6', 'endpoints.1', locality('b', '::ffff:10.0.0.1')],
    ...rowsAt(`${first}.lbEndpoints`, [
      ['duplicate with a zone', [at('fe80::1', 80), at('fe80::1%lo', 80)]],
      ['duplicate in brackets', [at('::1', 80), at('[::1]', 80)]],
      ['two zones', [at('fe80::1%lo', 80), at('fe80::1%lo', 80)]],
    ]),
    ['draining with weight 0', endpoint, firstWith({ healthStatus: 'DRAINING', loadBalancingWeight: 0 })],
    ...rowsAt(`${first}.lbEndpoints`, [
      ['duplicate of a draining one', [at('10.0.0.1', 80), firstWith({ healthStatus: 'DRAINING' })]],
      ['duplicate in capitals', [at('fe80::a', 80), at('FE80::A', 80)]],
      ['duplicate of two unhealthy ones', [unhealthy, firstWith({ healthStatus: 'TIMEOUT' })]],
      ['two endpoints of nothing', [{}, {}]],
    ]),
    ...rowsAt('endpoints', [
      ['locality twice, an empty one', [placed({}, '10.0.0.1'), placed({}, '10.0.0.2')]],
      [
        'localities that differ by sub-zone',
        [placed({ subZone: 'x' }, '10.0.0.1'), placed({ subZone: 'y' }, '10.0.0.2')],
      ],
      [
        'localities that are alike when joined',
        [placed({ region: 'a', zone: 'b' }, '10.0.0.1'), placed({ region: 'a', subZone: 'b' }, '10.0.0.2')],
      ],
    ]),
    ...rowsAt('policy', [
      ['drop of 0', drop({})],
      ['drop of an unknown denominator', drop({ numerator: 1, denominator: 9 })],
      ['drop of 4294967295 %', drop({ numerator: 4294967295 })],
      ['drop of 4294967295 of a million', drop({ numerator: 4294967295, denominator: 'MILLION' })],
      ['two drops of a category', { dropOverloads: [dropped({}), dropped({})] }],
      ['drop without category beside a good one', { dropOverloads: [dropped({}), { dropPercentage: {} }] }],
      ['overprovisioning factor 0', { overprovisioningFactor: 0 }],
      ['stale after a negative time', { endpointStaleAfter: '-1s' }],
    ]),
    ['named endpoints', 'namedEndpoints', { x: { address: { pipe: { path: '/x' } } } }],
    ['endpoint metadata', `${endpoint}.metadata`, { filterMetadata: { 'envoy.lb': { hash_key: 1 } } }],
    [
      'load balancer endpoints',
      first,
      { locality: {}, loadBalancingWeight: 1, loadBalancerEndpoints: { lbEndpoints: [at('10.0.0.1', 80)] } },
    ],
    ['proximity', `${first}.proximity`, 5],
    ['typed metadata of an unknown type', `${endpoint}.metadata`, { typedFilterMetadata: { x: text } }],
    ['a service name of nothing', 'clusterName', ''],
    ['two violations', `${first}.locality`, undefined, endpoint, {}],
  ],
};
