import type { Divergence } from '@/lib/api/propagation';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { LiveState } from '../live/live-state';
import type { Clock } from '../observe';

/** The event that the two variants of the protocol begin or cease to deliver different content of a resource. */
export function announceDivergence(
  live: Pick<LiveState, 'seq' | 'announce' | 'world'>,
  clock: Clock,
  { service, name, typeUrl, text, target, delta }: Divergence,
  state: 'raised' | 'resolved',
): void {
  const isTrouble = state === 'raised';
  live.announce({
    seq: live.seq,
    at: formatIsoTime(clock.now()),
    kind: isTrouble ? 'sotw-delta-divergence' : 'sotw-delta-agree-again',
    vantage: 'probe',
    clientId: delta.clientId === '' ? null : delta.clientId,
    nodeId: live.world.get(delta.clientId)?.node.id ?? null,
    sourceId: delta.sourceId,
    typeUrl,
    resourceName: name,
    status: null,
    text: `${service} ${name}: ${isTrouble ? text : `state of the world and delta of ${target} agree again`}`,
    isTrouble,
  });
}
