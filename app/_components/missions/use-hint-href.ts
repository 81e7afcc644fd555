'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { formatHintKey, type Mission } from '@/lib/views/lab/missions';

/** The clients of the lab, whose node ids begin with this word. */
const labClients = { q: 'shop fresh=live', sort: 'client', limit: 50 };

/** Links to the screen of a hint, which marks its target; undefined: the client is not connected yet. */
export function useHintHref(): (mission: Mission, index: number) => string | undefined {
  const { data } = useQuestion('fleet', labClients);
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
