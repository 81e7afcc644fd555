'use client';

import { useQuestion } from './use-question';

/** Without a text, there is no request, and no earlier answer is shown. */
export function useSearch(text: string, limit: number) {
  const q = text.trim();
  return useQuestion('search', { q, limit }, q === '' ? { enabled: false, placeholderData: undefined } : {});
}
