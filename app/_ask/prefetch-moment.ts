import type { QueryClient } from '@tanstack/react-query';
import { subjectKey } from './client-subject';

/**
 * Asks at another moment all that is in sight now. Resolves when all of it is there, or could not be read: then the view
 * goes there in one step, and never shows two moments at once.
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
