import { matchesRoute } from './find-misroute';
import { parseRequestPath } from './request-path';

/** Which of the process's limits an operation counts against: `recording` sends a whole file, `question` one answer. */
export type ExpensiveKind = 'recording' | 'question';

/**
 * Every operation whose cost grows with all that is recorded, or with what a request brings along. Nothing else decides
 * what is expensive; paths are those of server/api/openapi.ts.
 */
export const expensiveOperations: readonly {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly kind: ExpensiveKind;
}[] = [
  { method: 'GET', path: '/export', kind: 'recording' },
  { method: 'GET', path: '/export/estimate', kind: 'question' },
  { method: 'GET', path: '/history', kind: 'question' },
  { method: 'GET', path: '/history/timeline', kind: 'question' },
  { method: 'GET', path: '/load/series', kind: 'question' },
  { method: 'GET', path: '/load/totals', kind: 'question' },
  { method: 'GET', path: '/load/split', kind: 'question' },
  { method: 'GET', path: '/churn', kind: 'question' },
  { method: 'GET', path: '/convergence', kind: 'question' },
  { method: 'GET', path: '/convergence/recent', kind: 'question' },
  { method: 'GET', path: '/diff', kind: 'question' },
  { method: 'GET', path: '/sizes', kind: 'question' },
  { method: 'GET', path: '/divergences', kind: 'question' },
  { method: 'GET', path: '/certificates', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/changes', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/failovers', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/findings', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/lb-tree', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/tears', kind: 'question' },
  { method: 'GET', path: '/clients/{id}/truth', kind: 'question' },
  { method: 'GET', path: '/permalinks/{id}/findings', kind: 'question' },
  { method: 'GET', path: '/permalinks/{id}/load/series', kind: 'question' },
  { method: 'GET', path: '/permalinks/{id}/load/split', kind: 'question' },
  { method: 'POST', path: '/failover/simulate', kind: 'question' },
  { method: 'POST', path: '/permalinks', kind: 'question' },
  { method: 'POST', path: '/validate', kind: 'question' },
];

/** undefined: the request is not expensive. HEAD costs what GET does. */
export function findExpensiveKind({
  method = 'GET',
  url = '/',
}: {
  readonly method?: string;
  readonly url?: string;
}): ExpensiveKind | undefined {
  const path = parseRequestPath(url);
  const asked = method === 'HEAD' ? 'GET' : method;
  return path === undefined
    ? undefined
    : expensiveOperations.find((each) => each.method === asked && matchesRoute(path, each.path))?.kind;
}
