import { EDS } from '@/lib/xds/resource-type';
import { type Family, mutationsOf } from './mutation';

const at = (address: string, portValue?: number) => ({
  endpoint: { address: { socketAddress: { address, ...(portValue === undefined ? {} : { portValue }) } } },
});
const locality = (fields: object) => ({
  locality: { region: 'r', zone: 'z' },
  loadBalancingWeight: 1,
  lbEndpoints: [at('10.0.0.1', 80)],
  ...fields,
});
const second = (fields: object = {}) =>
  locality({ locality: { region: 'r', zone: 'y' }, lbEndpoints: [at('10.0.0.2', 80)], ...fields });
const first = 'endpoints.0';
const endpoint = `${first}.lbEndpoints.0`;
const drop = (fields: object) => ({ dropOverloads: [fields] });

export const endpointFamily: Family = {
  typeUrl: EDS.typeUrl,
  base: { clusterName: 'cl', endpoints: [locality({})] },
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
    ['no locality', `${first}.locality`, undefined, 'cgjn', 'E3'],
    ['no locality and no weight', first, { lbEndpoints: [] }, 'gn', 'E3'],
    ['empty locality', `${first}.locality`, {}, ''],
    ['endpoint weight 0', `${endpoint}.loadBalancingWeight`, 0, 'cgje', 'E4'],
    ['endpoint weight 1', `${endpoint}.loadBalancingWeight`, 1, ''],
    ['endpoint of nothing', endpoint, {}, 'cjne', 'E5'],
    ['endpoint without address', endpoint, { endpoint: {} }, 'cjne', 'E5'],
    ['pipe', endpoint, { endpoint: { address: { pipe: { path: '/x' } } } }, 'cjn', 'E5'],
    ['a name', endpoint, at('foo.example', 80), 'cjne', 'E5'],
    ['IPv6', endpoint, at('::1', 80), ''],
    ['no port', endpoint, at('10.0.0.1'), 'ne', 'E5'],
    ['port 65536', endpoint, at('10.0.0.1', 65536), 'cje', 'E5'],
    ['port 0', endpoint, at('10.0.0.1', 0), ''],
    ['unhealthy and malformed', endpoint, { ...at('x', 80), healthStatus: 'UNHEALTHY' }, 'jne', 'E5'],
    ['unhealthy', endpoint, { ...at('10.0.0.1', 80), healthStatus: 'UNHEALTHY' }, '', 'E12'],
    [
      'additional address that is a name',
      `${endpoint}.endpoint.additionalAddresses`,
      [{ address: { socketAddress: { address: 'x', portValue: 1 } } }],
      'jne',
      'E6',
    ],
    ['additional address of nothing', `${endpoint}.endpoint.additionalAddresses`, [{}], 'jne', 'E6'],
    [
      'additional address',
      `${endpoint}.endpoint.additionalAddresses`,
      [{ address: { socketAddress: { address: '10.0.0.9', portValue: 1 } } }],
      '',
    ],
    [
      'additional address that is the first',
      `${endpoint}.endpoint.additionalAddresses`,
      [{ address: { socketAddress: { address: '10.0.0.1', portValue: 80 } } }],
      'jn',
      'E7',
    ],
    ['duplicate address', 'endpoints.1', second({ lbEndpoints: [at('10.0.0.1', 80)] }), 'cgjn', 'E7'],
    ['the same host, another port', 'endpoints.1', second({ lbEndpoints: [at('10.0.0.1', 81)] }), ''],
    [
      'duplicate address of an unhealthy one',
      'endpoints.1',
      second({ lbEndpoints: [{ ...at('10.0.0.1', 80), healthStatus: 'UNHEALTHY' }] }),
      'gjn',
      'E7',
    ],
    [
      'duplicate address in other words',
      `${first}.lbEndpoints`,
      [at('::1', 80), at('0:0:0:0:0:0:0:1', 80)],
      'c',
      'E7',
    ],
    ['locality twice', 'endpoints.1', second({ locality: { region: 'r', zone: 'z' } }), 'cgjn', 'E8'],
    [
      'locality twice, in two priorities',
      'endpoints.1',
      second({ locality: { region: 'r', zone: 'z' }, priority: 1 }),
      '',
    ],
    [
      'locality twice, one without weight',
      'endpoints.1',
      second({ locality: { region: 'r', zone: 'z' }, loadBalancingWeight: undefined }),
      'n',
      'E8',
    ],
    ['starts at 1', `${first}.priority`, 1, 'cgjn', 'E9'],
    ['a gap', 'endpoints.1', second({ priority: 2 }), 'cgjn', 'E9'],
    ['two priorities', 'endpoints.1', second({ priority: 1 }), ''],
    ['priority 129', `${first}.priority`, 129, 'cgjne', 'E9'],
    [
      'weights too large',
      'endpoints',
      [locality({ loadBalancingWeight: 4294967295 }), second()],
      'cgne',
      'E10',
    ],
    [
      'weights too large, in two priorities',
      'endpoints',
      [locality({ loadBalancingWeight: 4294967295 }), second({ priority: 1 })],
      '',
    ],
    ['drop', 'policy', drop({ category: 'x', dropPercentage: { numerator: 5 } }), ''],
    ['drop without category', 'policy', drop({ dropPercentage: { numerator: 5 } }), 'ce', 'E11'],
    ['drop without percentage', 'policy', drop({ category: 'x' }), 'c', 'E11'],
    ['drop of 200 %', 'policy', drop({ category: 'x', dropPercentage: { numerator: 200 } }), ''],
    [
      'LEDS from ads',
      `${first}.ledsClusterLocalityConfig`,
      { ledsConfig: { ads: {} }, ledsCollectionName: 'xdstp://a/b/c' },
      'e',
      'E14',
    ],
  ]),
};
