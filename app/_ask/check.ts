import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query';
import type { Check } from '@/lib/views/check/schema';
import { requestJson } from '../_hooks/api-client';

export interface CheckInput {
  /** The text of the field, or a file that is too large for it; null: there is nothing to check. */
  readonly document: string | Blob | null;
  readonly clientId: string;
  readonly show: number;
  readonly ask: boolean;
  readonly whole: boolean;
}

/** A large document takes as long as its import. */
const checkMs = 120_000;
let blobs = 0;
const blobIds = new WeakMap<Blob, number>();

export function checkOptions({ document, clientId, show, ask, whole }: CheckInput) {
  const query = new URLSearchParams({
    ...(clientId !== '' && { client: clientId }),
    ...(show >= 0 && { show: String(show) }),
    ...(ask && { ask: 'true' }),
    ...(whole && { whole: 'true' }),
  });
  return queryOptions({
    queryKey: ['check', typeof document === 'string' ? document : idOf(document), String(query)],
    queryFn:
      document === null
        ? skipToken
        : ({ signal }) =>
            requestJson<Check>(`check?${query}`, {
              ...{ method: 'POST', signal, timeoutMs: checkMs },
              body: typeof document === 'string' ? new Blob([document]) : document,
            }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    // A document may be large.
    gcTime: 60_000,
  });
}

function idOf(blob: Blob | null): string {
  if (blob === null) return '';
  const id = blobIds.get(blob) ?? ++blobs;
  blobIds.set(blob, id);
  return `file ${id}`;
}
