'use client';

import { useQuery } from '@tanstack/react-query';
import { fleetPageQuery } from '@/app/_hooks/fleet-queries';
import { labClientsQuestion } from '@/app/_hooks/query-keys';
import { formatHintKey, type Mission } from '@/lib/view-model/lab/missions';

const mostClients = 50;

/** Links to the screen of a hint, which marks its target; undefined: the client is not connected yet. */
export function useHintHref(): (mission: Mission, index: number) => string | undefined {
  const { data } = useQuery(fleetPageQuery(labClientsQuestion, 0, mostClients));
  const pathOf = (client: string): string | undefined => {
    const line = data?.items.find((each) => each.kind === 'client' && each.client.nodeId === client);
    return line?.kind === 'client' ? `/clients/${encodeURIComponent(line.client.id)}` : undefined;
  };
  return (mission, index) => {
    const screen = mission.hints[index]?.screen;
    const base = screen?.client === null ? '' : screen && pathOf(screen.client);
    if (screen === undefined || base === undefined) return undefined;
    const mark = screen.path.includes('?') ? '&' : '?';
    return `${base}${screen.path}${mark}hint=${formatHintKey(mission, index)}`;
  };
}
