import type { FieldReader } from './field-reader';

const denominators: Readonly<Record<string, number>> = { HUNDRED: 1, TEN_THOUSAND: 100, MILLION: 10_000 };

/** An envoy.type.v3.FractionalPercent in per cent; undefined if absent or with an unknown denominator. */
export function readPercent(fraction: FieldReader | undefined): number | undefined {
  if (fraction === undefined) return undefined;
  const denominator = fraction.enumName('denominator', 'HUNDRED');
  const perPercent = denominators[denominator];
  if (perPercent === undefined) {
    fraction.note('denominator', `expected HUNDRED, TEN_THOUSAND or MILLION, got ${denominator}`);
    return undefined;
  }
  return (fraction.number('numerator') ?? 0) / perPercent;
}
