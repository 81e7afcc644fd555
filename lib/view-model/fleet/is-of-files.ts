import type { ClientSummary } from '../../api/schema';

/** Do files alone report the client? Then it is as they tell, and nobody waits for a newer word. */
export function isOfFiles({
  reports,
}: {
  readonly reports: readonly Pick<ClientSummary['reports'][number], 'vantage'>[];
}): boolean {
  return reports.length > 0 && reports.every(({ vantage }) => vantage === 'dump');
}
