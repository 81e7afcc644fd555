import { cache } from 'react';
import type { Permalink } from '@/lib/views/permalinks/schema';
import { getRuntime } from '@/server/index';
import { readStored } from '../read-stored';

/** Read once per request for layout, title and page. */
export const readPermalink = cache((id: string) =>
  readStored<Permalink>(() => getRuntime().api.ask('permalinks/{id}', {}, { params: { id } })),
);

export async function findPermalink(id: string): Promise<Permalink | undefined> {
  const found = await readPermalink(id);
  return found.kind === 'found' ? found.stored : undefined;
}
