import { EDS } from '@/lib/xds/resource-type';
import { casesOf, socket } from './case';

const of = casesOf(EDS, 'endpoints');
const length1 = 'value length must be at least 1 characters';
const good = { endpoint: { address: socket() }, loadBalancingWeight: 1 };
const bad = 'endpoints[1].lbEndpoints[1]';

const assignment = (change: object = {}) => ({
  clusterName: 'endpoints',
  endpoints: [{ locality: { zone: 'a' }, lbEndpoints: [good] }],
  ...change,
});
const locality = (change: object) =>
  assignment({
    endpoints: [
      { locality: { zone: 'a' }, lbEndpoints: [good] },
      { locality: { zone: 'b' }, lbEndpoints: [good], ...change },
    ],
  });
const endpoint = (change: object) => locality({ lbEndpoints: [good, { ...good, ...change }] });
const dropped = (category: string) => ({ category, dropPercentage: { numerator: 1 } });

export const edsCases = [
  of('no cluster name', assignment({ clusterName: '' }), 'clusterName', length1),
  of(
    'drop without category',
    assignment({ policy: { dropOverloads: [dropped('')] } }),
    'policy.dropOverloads[0].category',
    length1,
  ),
  of(
    'two drops',
    assignment({ policy: { dropOverloads: [dropped('a'), dropped('b')] } }),
    'policy.dropOverloads',
    'Cluster drop_overloads config has 2 categories. Envoy only support one.',
  ),
  of(
    'overprovisioning factor of 0',
    assignment({ policy: { overprovisioningFactor: 0 } }),
    'policy.overprovisioningFactor',
    'value must be greater than 0',
  ),
  of(
    'stale after 0',
    assignment({ policy: { endpointStaleAfter: '0s' } }),
    'policy.endpointStaleAfter',
    'value must be greater than 0s',
  ),
  of(
    'endpoint without address',
    endpoint({ endpoint: {} }),
    `${bad}.endpoint.address`,
    "Address must be set: . Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'",
  ),
  of(
    'address without kind',
    endpoint({ endpoint: { address: {} } }),
    `${bad}.endpoint.address.address`,
    'is required',
  ),
  of(
    'host name',
    endpoint({ endpoint: { address: socket('nowhere.test') } }),
    `${bad}.endpoint.address.socketAddress.address`,
    "malformed IP address: nowhere.test. Consider setting resolver_name or setting cluster type to 'STRICT_DNS' or 'LOGICAL_DNS'",
  ),
  of(
    'empty address',
    endpoint({ endpoint: { address: socket('') } }),
    `${bad}.endpoint.address.socketAddress.address`,
    length1,
  ),
  of(
    'port above the maximum',
    endpoint({ endpoint: { address: socket('127.0.0.1', 65536) } }),
    `${bad}.endpoint.address.socketAddress.portValue`,
    'value must be less than or equal to 65535',
  ),
  of(
    'address without port',
    endpoint({ endpoint: { address: { socketAddress: { address: '127.0.0.1' } } } }),
    `${bad}.endpoint.address.socketAddress.portSpecifier`,
    'is required',
  ),
  of(
    'port of a health check',
    endpoint({ endpoint: { address: socket(), healthCheckConfig: { portValue: 70000 } } }),
    `${bad}.endpoint.healthCheckConfig.portValue`,
    'value must be less than or equal to 65535',
  ),
  of(
    'endpoint weight of 0',
    endpoint({ loadBalancingWeight: 0 }),
    `${bad}.loadBalancingWeight`,
    'value must be greater than or equal to 1',
  ),
  of(
    'locality weight of 0',
    locality({ loadBalancingWeight: 0 }),
    'endpoints[1].loadBalancingWeight',
    'value must be greater than or equal to 1',
  ),
  of(
    'priority above the maximum',
    locality({ priority: 129 }),
    'endpoints[1].priority',
    'value must be less than or equal to 128',
  ),
  of(
    'undecodable bytes',
    assignment(),
    '',
    'Unable to unpack as envoy.config.endpoint.v3.ClusterLoadAssignment',
    { isUndecodable: true },
  ),
];
