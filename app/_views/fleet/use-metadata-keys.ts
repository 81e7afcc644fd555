'use client';

import { useQuery } from '@tanstack/react-query';
import { questionOptions } from '@/app/_ask/question';
import type { FleetPage } from '@/lib/views/fleet/schema';

const freshMs = 60_000;

export function useMetadataKeys(): FleetPage['metadataKeys'] {
  const { data } = useQuery({
    ...questionOptions('fleet', { limit: 0 }),
    // Not below "fleet", because they are fetched at intervals and not with each change of a client.
    queryKey: ['metadata-keys'],
    staleTime: freshMs,
  });
  return data?.metadataKeys ?? [];
}
