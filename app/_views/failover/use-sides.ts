import { useClientViewData } from '@/app/_ask/client-view-data';
import { namedProfile } from '@/lib/resolve/client-profile';
import type { FlowSide } from '@/lib/views/failover/build-flow';
import { clientOf } from '@/lib/xds/profile';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams } from './search-params';

export const sideNames: Readonly<Record<FlowSide, string>> = { grpc: 'gRPC', envoy: 'Envoy' };

/** The rules of the profile, then the others. */
export function useSides(): readonly [own: FlowSide, other: FlowSide] {
  const { client } = useClientViewData();
  const { query } = useClientViewQuery(failoverParams);
  const isEnvoy = clientOf(namedProfile(query.profile || undefined, client)) === 'envoy';
  return isEnvoy ? ['envoy', 'grpc'] : ['grpc', 'envoy'];
}
