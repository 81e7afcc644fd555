'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import { requestJson } from './api-client';

/** They change seldom, and are asked of Envoy once a minute. */
const liveMs = 30_000;
export const certificatesPerPage = 200;
/** The most that one answer may have. */
const mostOfClient = 1_000;

/** Of one client. */
export function useClientCertificates(clientId: string) {
  return useCertificatePage(new URLSearchParams({ client: clientId, limit: String(mostOfClient) }));
}

/** Of all clients, page by page. */
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
