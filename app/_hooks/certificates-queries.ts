'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import { requestJson } from './api-client';

/** They change seldom, and are asked of Envoy once a minute. */
const liveMs = 30_000;

/** Of one client, or of all. */
export function useCertificates(clientId?: string) {
  const wanted = clientId === undefined ? '' : `&client=${encodeURIComponent(clientId)}`;
  return useQuery({
    queryKey: ['certificates', clientId ?? null],
    queryFn: ({ signal }) => requestJson<CertificatePage>(`certificates?limit=1000${wanted}`, { signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  });
}
