import type { Who } from '../../xds/profile';
import {
  durationInt32Ms,
  durationSeconds,
  durationText,
  isComparableJavaDuration,
  isDuration,
  isJavaDuration,
  javaDurationText,
} from '../duration';
import type { Field } from '../field';
import { grpcNack, ignoredBy, javaThrows, nackBy } from '../reactions';
import type { Report } from '../rule';

const retriable = ['cancelled', 'deadline-exceeded', 'internal', 'resource-exhausted', 'unavailable'];

/** gRFC A44: the retry policy of a virtual host or of a route. */
export function checkRetry(policy: Field, report: Report): void {
  if (!policy.exists) return;
  const retries = policy.at('numRetries');
  if (retries.exists && retries.numberOr(0) < 1)
    report({ field: retries, expected: 'at least 1', reactions: nackBy('core', 'go', 'node') });
  const backOff = policy.at('retryBackOff');
  if (backOff.exists) checkBackOff(backOff, report);
  const codes = policy.at('retryOn');
  const foreign = codes.text.split(',').filter((code) => !retriable.includes(code.trim().toLowerCase()));
  if (codes.text !== '' && foreign.length > 0)
    report({
      field: codes,
      expected: `of ${retriable.join(', ')}`,
      reactions: ignoredBy('core', 'go', 'java', 'node'),
      note: `gRPC does not retry on ${foreign.join(', ')}.`,
    });
}

function checkBackOff(backOff: Field, report: Report): void {
  const base = backOff.at('baseInterval');
  const max = backOff.at('maxInterval');
  if (!base.exists) report({ field: base, expected: 'an interval', reactions: grpcNack });
  else {
    const clients: Who[] = isDuration(base) ? [] : ['core'];
    if (durationSeconds(base) <= 0) clients.push('go', 'java');
    if (durationInt32Ms(base) <= 0) clients.push('node');
    if (clients.length > 0)
      report({ field: base, expected: 'a duration of more than 0', reactions: nackBy(...clients) });
  }
  if (!isJavaDuration(base)) report({ field: base, expected: javaDurationText, reactions: javaThrows });
  if (!max.exists) return;
  if (!isComparableJavaDuration(max))
    report({ field: max, expected: 'a duration whose nanos have the same sign', reactions: javaThrows });
  if (!isDuration(max)) report({ field: max, expected: durationText, reactions: nackBy('core') });
  if (durationSeconds(max) <= 0)
    report({ field: max, expected: 'a duration of more than 0', reactions: nackBy('go') });
  const clients: Who[] = [];
  if (durationSeconds(max) < durationSeconds(base))
    clients.push('envoy', ...(isJavaDuration(base) ? (['java'] as const) : []));
  if (base.exists && durationInt32Ms(max) < durationInt32Ms(base)) clients.push('node');
  if (base.exists && clients.length > 0)
    report({ field: max, expected: `at least baseInterval, ${base.show()}`, reactions: nackBy(...clients) });
}
