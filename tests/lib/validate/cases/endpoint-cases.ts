import { EDS } from '@/lib/xds/resource-type';
import { type Family, mutationsOf, rowsAt } from './mutation';

const socketAt = (address: string, portValue?: number) => ({
  address: { socketAddress: { address, ...(portValue === undefined ? {} : { portValue }) } },
});
export const at = (address: string, portValue?: number, more: object = {}) => ({
  endpoint: socketAt(address, portValue),
  ...more,
});
/** An endpoint like that of the base, with more fields. */
export const firstWith = (more: object) => at('10.0.0.1', 80, more);
export const unhealthy = firstWith({ healthStatus: 'UNHEALTHY' });
export const locality = (zone: string, address: string, more: object = {}) => ({
  locality: { region: 'r', zone },
  loadBalancingWeight: 1,
  lbEndpoints: [at(address, 80)],
  ...more,
});
const base = locality('z', '10.0.0.1');
const second = (fields: object = {}) => locality('y', '10.0.0.2', fields);
export const first = 'endpoints.0';
export const endpoint = `${first}.lbEndpoints.0`;
const drop = (fields: object) => ({ dropOverloads: [fields] });

export const endpointFamily: Family = {
  typeUrl: EDS.typeUrl,
  base: { clusterName: 'cl', endpoints: [base] },
  mutations: mutationsOf([
    ['no name', 'clusterName', undefined, 'ge', 'E1'],
    ['no endpoints', 'endpoints', [], ''],
    ['weight 0', `${first}.loadBalancingWeight`, 0, 'e', 'E2'],
    ['no weight', `${first}.loadBalancingWeight`, undefined, '', 'E2'],
    [
      'weight 0 and malformed',
      'endpoints.1',
      second({ loadBalancingWeight: 0, lbEndpoints: [{}] }),
      'ne',
      'E5',
    ],
    [
      'weight unset and a gap',
      'endpoints.1',
      second({ loadBalancingWeight: undefined, priority: 2 }),
      'n',
      'E9',
    ],
    ['no locality', `${first}.locality`, undefined, 'cgn', 'E3'],
    ['no locality and no weight', first, { lbEndpoints: [] }, 'gn', 'E3'],
    ['empty locality', `${first}.locality`, {}, ''],
    ['endpoint weight 0', `${endpoint}.loadBalancingWeight`, 0, 'cge', 'E4'],
    ['endpoint weight 1', `${endpoint}.loadBalancingWeight`, 1, ''],
    ...rowsAt(endpoint, [
      ['endpoint of nothing', {}, 'cjne', 'E5'],
      ['endpoint without address', { endpoint: {} }, 'cjne', 'E5'],
      ['pipe', { endpoint: { address: { pipe: { path: '/x' } } } }, 'cjn', 'E5'],
      ['a name', at('foo.example', 80), 'cjne', 'E5'],
      ['IPv6', at('::1', 80), ''],
      ['no port', at('10.0.0.1'), 'ne', 'E5'],
      ['port 65536', at('10.0.0.1', 65536), 'cje', 'E5'],
      ['port 0', at('10.0.0.1', 0), ''],
      ['unhealthy and malformed', at('x', 80, { healthStatus: 'UNHEALTHY' }), 'jne', 'E5'],
      ['unhealthy', unhealthy, '', 'E12'],
    ]),
    ...rowsAt(`${endpoint}.endpoint.additionalAddresses`, [
      ['additional address that is a name', [socketAt('x', 1)], 'ne', 'E6'],
      ['additional address of nothing', [{}], 'ne', 'E6'],
      ['additional address', [socketAt('10.0.0.9', 1)], ''],
      ['additional address that is the first', [socketAt('10.0.0.1', 80)], 'n', 'E7'],
    ]),
    ...rowsAt('endpoints.1', [
      ['duplicate address', second({ lbEndpoints: [at('10.0.0.1', 80)] }), 'cgn', 'E7'],
      ['the same host, another port', second({ lbEndpoints: [at('10.0.0.1', 81)] }), ''],
      ['duplicate address of an unhealthy one', second({ lbEndpoints: [unhealthy] }), 'gn', 'E7'],
    ]),
    [
      'duplicate address in other words',
      `${first}.lbEndpoints`,
      [at('::1', 80), at('0:0:0:0:0:0:0:1', 80)],
      'c',
      'E7',
    ],
    ...rowsAt('endpoints.1', [
      ['locality twice', locality('z', '10.0.0.2'), 'cgjn', 'E8'],
      ['locality twice, in two priorities', locality('z', '10.0.0.2', { priority: 1 }), ''],
      [
        'locality twice, one without weight',
        locality('z', '10.0.0.2', { loadBalancingWeight: undefined }),
        'n',
        'E8',
      ],
    ]),
    ['starts at 1', `${first}.priority`, 1, 'cgjn', 'E9'],
    ['a gap', 'endpoints.1', second({ priority: 2 }), 'cgjn', 'E9'],
    ['two priorities', 'endpoints.1', second({ priority: 1 }), ''],
    ['priority 129', `${first}.priority`, 129, 'cgjne', 'E9'],
    [
      'weights too large',
      'endpoints',
      [{ ...base, loadBalancingWeight: 4294967295 }, second()],
      'cgn',
      'E10',
    ],
    [
      'weights too large, in two priorities',
      'endpoints',
      [{ ...base, loadBalancingWeight: 4294967295 }, second({ priority: 1 })],
      'j',
      'E9',
    ],
    ...rowsAt('policy', [
      ['drop', drop({ category: 'x', dropPercentage: { numerator: 5 } }), ''],
      ['drop without category', drop({ dropPercentage: { numerator: 5 } }), 'ce', 'E11'],
      ['drop without percentage', drop({ category: 'x' }), 'c', 'E11'],
      ['drop of 200 %', drop({ category: 'x', dropPercentage: { numerator: 200 } }), 'e', 'ENVOY-drops'],
    ]),
    [
      'LEDS from ads',
      `${first}.ledsClusterLocalityConfig`,
      { ledsConfig: { ads: {} }, ledsCollectionName: 'xdstp://a/b/c' },
      'e',
      'E14',
    ],
  ]),
};
