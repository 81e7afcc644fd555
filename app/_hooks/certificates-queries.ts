'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import { requestJson } from './api-client';

/** They change seldom, and are asked of Envoy once a minute. */
const liveMs = 30_000;

export function useCertificates() {
  return useQuery({
    queryKey: ['certificates'],
    queryFn: ({ signal }) => requestJson<CertificatePage>('certificates?limit=1000', { signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  });
}
