import { before } from '../../xds/profile';
import { denominators, isKnownDenominator } from '../common-values';
import { durationText, isDuration, isJavaDuration, javaDurationText } from '../duration';
import { fault } from '../http-filters';
import { javaThrows, nackBy, react } from '../reactions';
import type { Rule } from '../rule';
import { ruleOfFilter } from './filter-places';

/** UNAUTHENTICATED, the highest gRPC status code. */
const lastStatus = 16;

export const faultRules: readonly Rule[] = [
  ruleOfFilter(
    'A33',
    'The config of fault injection is valid',
    'gRFC A33: fault injection',
    [fault],
    nackBy(),
    (config, report) => {
      const abort = config.at('abort');
      const delay = config.at('delay');
      const status = abort.at('grpcStatus');
      if (status.numberOr(0) > lastStatus)
        report({ field: status, expected: `a gRPC status of 0 to ${lastStatus}`, reactions: nackBy('core') });
      for (const part of [abort, delay]) {
        const percentage = part.at('percentage');
        if (!part.exists) continue;
        if (!percentage.exists)
          report({ field: percentage, expected: 'a percentage', reactions: nackBy('node') });
        if (!isKnownDenominator(percentage))
          report({
            field: percentage.at('denominator'),
            expected: denominators,
            reactions: react({
              NACK: ['java-1.85', 'envoy'],
              'no answer': before('java-1.85'),
            }),
            note: 'C-core 1.51 treats it as HUNDRED.',
          });
      }
      if (abort.exists && !['httpStatus', 'grpcStatus', 'headerAbort'].some((name) => abort.at(name).exists))
        report({
          field: abort,
          expected: 'httpStatus, grpcStatus or headerAbort',
          reactions: nackBy('node', 'java'),
        });
      const fixed = delay.at('fixedDelay');
      if (!isDuration(fixed)) report({ field: fixed, expected: durationText, reactions: nackBy('core') });
      if (!isJavaDuration(fixed)) report({ field: fixed, expected: javaDurationText, reactions: javaThrows });
      if (delay.exists && !['fixedDelay', 'headerDelay'].some((name) => delay.at(name).exists))
        report({ field: delay, expected: 'fixedDelay or headerDelay', reactions: nackBy('node') });
    },
  ),
];
