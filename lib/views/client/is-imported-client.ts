import type { Vantage } from '../../observation/vantage';

/** Returns true if only files report the client, so that it is neither live nor stale. */
export function isImportedClient({
  reports,
}: {
  readonly reports: readonly { readonly vantage: Vantage }[];
}): boolean {
  return reports.length > 0 && reports.every(({ vantage }) => vantage === 'dump');
}
