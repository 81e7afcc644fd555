import { parseAsInteger, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { runViews } from './run-views';

export const interopRunSearchParams = {
  /** The number of the chosen step. 0: the newest one, which follows the run. */
  step: parseAsInteger.withDefault(0),
  /** A moment that a view of the client leads to, instead of that of a step. */
  at: parseAsString.withDefault(''),
  view: parseAsStringLiteral(runViews).withDefault('failover'),
};
