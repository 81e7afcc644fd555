export function issueHref(issueId: string): string {
  return `/issues/${encodeURIComponent(issueId)}`;
}
