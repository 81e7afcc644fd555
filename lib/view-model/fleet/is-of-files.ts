import type { ClientSummary } from '../../api/schema';

/** Whether only files report the client, so that it is neither live nor stale. */
export function isOfFiles({
  reports,
}: {
  readonly reports: readonly Pick<ClientSummary['reports'][number], 'vantage'>[];
}): boolean {
  return reports.length > 0 && reports.every(({ vantage }) => vantage === 'dump');
}
