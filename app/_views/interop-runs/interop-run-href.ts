import { formatCondition } from '@/lib/filter/format-filter';
import type { InteropClient } from '@/lib/interop/run-schema';

export function interopRunHref(runId: string): string {
  return `/interop/runs/${encodeURIComponent(runId)}`;
}

/** The results of a case with all clients. */
export function interopMatrixHref(testCase: string): string {
  return `/interop?${new URLSearchParams({ q: formatCondition('case', '=', testCase) })}`;
}

/** A client in requests, as in "grpc-go@1.64.1". */
export function programOf({ name, version }: Pick<InteropClient, 'name' | 'version'>): string {
  return `${name}@${version}`;
}
