import { parseAsArrayOf, parseAsBoolean, parseAsString } from 'nuqs/server';

export const interopMatrixSearchParams = {
  /** A filter of `matrixGrammar`. */
  q: parseAsString.withDefault(''),
  /** Only cases with a result that contradicts what gRPC claims. */
  differs: parseAsBoolean.withDefault(false),
  /** Only releases that run in the fleet. */
  fleet: parseAsBoolean.withDefault(false),
  /** The features whose cases are shown. */
  open: parseAsArrayOf(parseAsString).withDefault([]),
};
