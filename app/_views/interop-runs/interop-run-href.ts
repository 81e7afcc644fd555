import { formatCondition } from '@/lib/filter/format-filter';

export function interopRunHref(runId: string): string {
  return `/interop/runs/${encodeURIComponent(runId)}`;
}

/** The results of a case with all clients. */
export function interopMatrixHref(testCase: string): string {
  return `/interop?${new URLSearchParams({ q: formatCondition('case', '=', testCase) })}`;
}
