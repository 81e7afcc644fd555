import { describe, expect, it } from 'vitest';
import { rules, validateResource, verdictOf } from '@/lib/validate/validate-resource';
import { hasCorpus } from '../../support/codec-corpus';
import { measured, readNackCases } from '../../support/validate-cases';

/** Where our verdict may differ from the recorded one, and why. */
const exceptions = new Map<string, string>([
  ['RDS header: bad regex / node', 'grpc-js-xds 1.14 crashes: it compiles the regex long after it said ACK'],
]);

/** The recorded clients had a bootstrap without certificate providers. */
const context = { certificateProviders: new Set<string>() };

const covered = new Set(rules.flatMap(({ types }) => types));
const cases = readNackCases().filter(({ resources }) =>
  resources.every(({ typeUrl }) => covered.has(typeUrl)),
);

describe.skipIf(!hasCorpus)('verdictOf, beside real clients (skipped where the corpus is missing)', () => {
  it.each(cases.map((one) => ({ name: `${one.type} ${one.label}`, one })))('$name', ({ name, one }) => {
    const findings = one.resources.flatMap(({ typeUrl, json }) => validateResource(typeUrl, json, context));
    for (const profile of measured) {
      if (exceptions.has(`${name} / ${profile}`)) continue;
      const why = `${profile}: ${findings.map(({ ruleId, message }) => `${ruleId} ${message}`).join('; ')}`;
      expect(verdictOf(findings, profile), why).toBe(one.recorded[profile]);
    }
  });
});
