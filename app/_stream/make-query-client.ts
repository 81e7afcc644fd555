import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../_hooks/api-error';

const retriesWithoutAnswer = 2;

/** The stream keeps data fresh, so nothing is read again only because somebody looked away and back. */
export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 30_000,
        // A loopback server answers a machine that is offline, too.
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) =>
          error instanceof ApiError && error.status === 0 && failures < retriesWithoutAnswer,
      },
    },
  });
}
