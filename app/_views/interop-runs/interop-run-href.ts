export function interopRunHref(runId: string): string {
  return `/interop/runs/${encodeURIComponent(runId)}`;
}
