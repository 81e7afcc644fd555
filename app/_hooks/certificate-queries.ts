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

interface CertificatesQuestion {
  readonly q: string;
  /** "issuer", or "-issuer" in descending order; empty: by expiration time. */
  readonly sort: string;
  readonly offset: number;
}

export function useCertificates({ q, sort, offset }: CertificatesQuestion) {
  const limit = String(certificatesPerPage);
  const asked = { limit, offset: String(offset), ...(q !== '' && { q }), ...(sort !== '' && { sort }) };
  return useCertificatePage(new URLSearchParams(asked));
}

function useCertificatePage(search: URLSearchParams) {
  return useQuery({
    ...answerOf<CertificatePage>(['certificates', search.toString()], `certificates?${search}`),
    refetchInterval: certificatesMs,
    placeholderData: keepPreviousData,
  });
}
