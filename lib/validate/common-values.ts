import type { Field } from './field';

export const uint32Max = 0xffff_ffff;

/** gRFC A47: the two spellings of "where this resource came from". */
export function isAdsOrSelf(configSource: Field): boolean {
  return configSource.at('ads').exists || configSource.at('self').exists;
}

/** FractionalPercent; an unknown number comes as such. */
export function isKnownDenominator(percent: Field): boolean {
  const denominator = percent.at('denominator');
  return !denominator.exists || ['HUNDRED', 'TEN_THOUSAND', 'MILLION'].includes(denominator.text);
}

export const denominators = 'HUNDRED, TEN_THOUSAND or MILLION';
