'use client';

import { bodyQuestion } from './body-question';
import { useQuestion } from './use-question';

/** null or undefined: no resource is chosen. */
export function useResourceBody(hash: string | null | undefined, format: 'json' | 'yaml' = 'yaml') {
  return useQuestion('resources/{hash}', bodyQuestion(hash ?? '', format), { enabled: hash != null });
}
