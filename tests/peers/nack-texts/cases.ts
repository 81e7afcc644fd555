import { EDS, RDS } from '@/lib/xds/resource-type';
import type { NackCase } from './case';
import { socket } from './case';
import { cdsCases } from './cds-cases';
import { edsCases } from './eds-cases';
import { ldsCases } from './lds-cases';
import { ldsFilterCases } from './lds-filter-cases';
import { rdsCases } from './rds-cases';
import { sdsCases } from './sds-cases';

export const nackCases: readonly NackCase[] = [
  ...ldsCases,
  ...ldsFilterCases,
  ...rdsCases,
  ...cdsCases,
  ...edsCases,
  ...sdsCases,
];

/** Envoy accepts these resources before the first rejection. */
export const validResources = [
  {
    typeUrl: RDS.typeUrl,
    name: 'routes',
    resource: {
      name: 'routes',
      virtualHosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'plain' } }] },
      ],
    },
  },
  {
    typeUrl: EDS.typeUrl,
    name: 'endpoints',
    resource: {
      clusterName: 'endpoints',
      endpoints: [{ lbEndpoints: [{ endpoint: { address: socket() } }] }],
    },
  },
];
