'use client';

import { useQuestion } from './use-question';

const mostListed = 500;

/** The first clients that match a filter, by name. */
export function useFoundClients(q: string, limit = mostListed) {
  const { data, error } = useQuestion('fleet', { q, sort: 'client', limit });
  const clients = data?.items.flatMap((line) => (line.kind === 'client' ? [line.client] : []));
  return { data: clients, error };
}
