import { cache } from 'react';
import type { Permalink } from '@/lib/views/permalinks/schema';
import { getRuntime } from '@/server/index';

type FoundPermalink =
  | { readonly kind: 'found'; readonly permalink: Permalink }
  | { readonly kind: 'unknown' }
  /** It is stored and cannot be read; `reason` has the expected and the actual value. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Read once per request for layout, title and page. */
export const readPermalink = cache(async (id: string): Promise<FoundPermalink> => {
  try {
    const permalink = await getRuntime().api.ask('permalinks/{id}', {}, { params: { id } });
    return { kind: 'found', permalink };
  } catch (error) {
    // Compared by name, because the server's bundle has its own classes.
    const isReason = error instanceof Error && ['ApiError', 'RecorderError'].includes(error.name);
    if (!isReason) throw error;
    if ('status' in error && error.status === 404) return { kind: 'unknown' };
    return { kind: 'unreadable', reason: error.message };
  }
});

export async function findPermalink(id: string): Promise<Permalink | undefined> {
  const found = await readPermalink(id);
  return found.kind === 'found' ? found.permalink : undefined;
}
