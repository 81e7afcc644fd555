'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import { requestJson } from './api-client';

/** Certificates change rarely, and Envoys are polled once a minute. */
const liveMs = 30_000;
export const certificatesPerPage = 200;
/** The largest number that the API answers. */
const mostOfClient = 1_000;

export function useClientCertificates(clientId: string) {
  return useCertificatePage(new URLSearchParams({ client: clientId, limit: String(mostOfClient) }));
}

export function useCertificates({ q, offset }: { readonly q: string; readonly offset: number }) {
  const limit = String(certificatesPerPage);
  return useCertificatePage(new URLSearchParams({ limit, offset: String(offset), ...(q !== '' && { q }) }));
}

function useCertificatePage(search: URLSearchParams) {
  return useQuery({
    queryKey: ['certificates', search.toString()],
    queryFn: ({ signal }) => requestJson<CertificatePage>(`certificates?${search}`, { signal }),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  });
}
