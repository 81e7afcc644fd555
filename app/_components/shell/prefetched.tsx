import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface PrefetchedProps {
  /** What the server knows already, under the keys by which the page asks for it. undefined: nothing. */
  readonly data: readonly (readonly [QueryKey, unknown])[];
  readonly children: ReactNode;
}

/** First data with the page itself: it shows something before any script ran. */
export function Prefetched({ data, children }: PrefetchedProps) {
  const queryClient = new QueryClient();
  for (const [key, value] of data) if (value !== undefined) queryClient.setQueryData(key, value);
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}
