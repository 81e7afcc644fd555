import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { stringifyInSteps } from '@/lib/cooperative/stringify-in-steps';
import '../../support/seeded-properties';

describe('stringifyInSteps', () => {
  test('writes what JSON.stringify writes', () => {
    const member = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), member), (value) => {
        expect(runSteps(stringifyInSteps(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('a list is written in steps, as it was at the first one', () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ index, gone: undefined }));
    const text = JSON.stringify({ of: 'rows', rows });
    const steps = stringifyInSteps({ of: 'rows', rows });
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) {
      rows.length = 0;
      count += 1;
    }
    expect(count).toBe(4);
    expect(step.value).toBe(text);
  });
});
