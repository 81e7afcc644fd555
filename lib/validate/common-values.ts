import type { Field } from './field';
import { nackBy } from './reactions';
import type { Dependence } from './rule';

export const uint32Max = 0xffff_ffff;

/** gRFC A47: `ads` and `self` both mean that the resource comes from the server that sent the reference. */
export function isAdsOrSelf(configSource: Field): boolean {
  return configSource.at('ads').exists || configSource.at('self').exists;
}

/**
 * Returns true if the denominator of a FractionalPercent is a known enum value. The codec decodes an unknown value as
 * a number.
 */
export function isKnownDenominator(percent: Field): boolean {
  const denominator = percent.at('denominator');
  return !denominator.exists || ['HUNDRED', 'TEN_THOUSAND', 'MILLION'].includes(denominator.text);
}

export const denominators = 'HUNDRED, TEN_THOUSAND or MILLION';

export const missingFile: Dependence = {
  dependsOn: "The files of Envoy's host, which are not known here: the path is assumed to exist.",
  otherwise: nackBy('envoy'),
};
