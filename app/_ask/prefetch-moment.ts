import type { QueryClient } from '@tanstack/react-query';
import { subjectKey } from './client-subject';

/**
 * Fetches all visible answers for another moment. Resolves when each is there or has failed, so that the view changes in
 * one step and never shows two moments at once.
 */
export async function prefetchMoment(
  cache: QueryClient,
  clientId: string,
  from: string,
  to: string,
): Promise<void> {
  const queryKey = subjectKey({ clientId, at: from });
  const inSight = cache.getQueryCache().findAll({ queryKey, type: 'active' });
  await Promise.all(inSight.map(({ meta }) => meta?.prefetchAt?.(cache, to)));
}
