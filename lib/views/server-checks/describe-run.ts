import { formatCounts } from '../../server-checks/format-results';
import type { CheckRunSummary } from './schema';

/** "33 of 40 checks pass, 6 fail, 1 is not asked. All checks ran, and its config was changed." */
export function describeRun({ verdicts, state, access, mayReject, nodeId }: CheckRunSummary): string {
  const results = Object.values(verdicts).map((verdict) => ({ verdict }));
  const counts =
    state === 'running' && results.length === 0 ? 'No check has ended yet' : formatCounts(results);
  const how =
    access === 'all'
      ? 'The checks changed its config'
      : `The server was only read${mayReject ? ', and responses were rejected' : ''}`;
  return `${counts}. ${how}${nodeId === undefined ? '' : `, as node ${nodeId}`}.`;
}
