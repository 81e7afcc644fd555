import type { Metadata } from 'next';
import { formatIsoTime } from '@/lib/format/iso-time';
import { formatName } from '@/lib/format/names/format-name';
import { type ClientViewName, clientViews } from '@/lib/views/client/client-views';
import type { Permalink } from '@/lib/views/permalinks/schema';

/** As in "Graph - shop-web as of 2026-11-22T20:54:25Z". Without a permalink the title of the layout applies. */
export function tabTitle(permalink: Permalink | undefined, tab: ClientViewName): Metadata {
  if (permalink === undefined) return {};
  const { client, moment, createdAt } = permalink;
  return {
    title: `${clientViews[tab].label} - ${formatName(client.nodeId)} as of ${formatIsoTime(moment?.at ?? createdAt)}`,
  };
}
