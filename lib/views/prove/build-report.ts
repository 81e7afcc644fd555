import { formatWithoutCredentials } from '../explain/hide-credentials';
import type { Explanation } from '../explain/schema';
import { compareProof } from './compare-proof';
import type { Proof } from './schema';

/**
 * A report of a bug as JSON: the comparison, the trace, the observation and the config of the twin. The credentials of the request
 * are replaced.
 */
export function buildReport(proof: Proof, explanation: Explanation): string {
  const report = { comparison: compareProof(explanation, proof), explanation, proof };
  return formatWithoutCredentials(report, explanation.request, 2);
}
