'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CertificatePage } from '@/lib/api/certificates';
import { answerOf } from './answer-of';

/** Certificates change rarely, and Envoys are polled once a minute. */
const certificatesMs = 30_000;

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
    ...answerOf<CertificatePage>(['certificates', search.toString()], `certificates?${search}`),
    refetchInterval: certificatesMs,
    placeholderData: keepPreviousData,
  });
}
