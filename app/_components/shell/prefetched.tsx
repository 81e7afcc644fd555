import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';

interface PrefetchedProps {
  /** Data by query key; undefined data is skipped. */
  readonly data: readonly (readonly [QueryKey, unknown])[];
  readonly children: ReactNode;
}

export function Prefetched({ data, children }: PrefetchedProps) {
  const queryClient = new QueryClient();
  for (const [key, value] of data) if (value !== undefined) queryClient.setQueryData(key, value);
  return <HydrationBoundary state={dehydrate(queryClient)}>{children}</HydrationBoundary>;
}
