import { useClientViewData } from '@/app/_ask/client-view-data';
import { profileOfClient } from '@/lib/resolve/client-profile';
import type { FlowSide } from '@/lib/view-model/failover/build-flow';
import { clientOf } from '@/lib/xds/profile';

export const sideNames: Readonly<Record<FlowSide, string>> = { grpc: 'gRPC', envoy: 'Envoy' };

/** The rules of the client, then the others. */
export function useSides(): readonly [own: FlowSide, other: FlowSide] {
  const { client } = useClientViewData();
  return clientOf(profileOfClient(client)) === 'envoy' ? ['envoy', 'grpc'] : ['grpc', 'envoy'];
}
