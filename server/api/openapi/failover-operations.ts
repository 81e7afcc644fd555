import { failoverQuestion, failoverSimulation } from '@/lib/api/failover';
import type { Operation } from './operation';

/** Where traffic goes. */
export const failoverOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/failover/simulate',
    cost: 'question',
    summary:
      "Where a cluster's requests go by gRPC's rules and by Envoy's, and where they would go when endpoints, weights or the overprovisioning factor change, second by second.",
    body: failoverQuestion,
    answer: failoverSimulation,
  },
];
