import { type NackStatement, statementOf } from './nack-statement';
import { parseEnvoyErrors } from './parse-envoy-errors';
import { parseGoErrors } from './parse-go-errors';
import { parseIndexedErrors, parseReason, withWord } from './parse-indexed-errors';
import { parseJavaErrors } from './parse-java-errors';
import { parseProbeErrors } from './parse-probe-errors';

/** What is longer is read up to here: clients print whole resources, and a text is at most as long as a message. */
export const maxNackChars = 64 * 1024;
export const maxNackStatements = 1_000;

const parsers = [
  parseIndexedErrors,
  parseGoErrors,
  parseJavaErrors,
  parseEnvoyErrors,
  parseReason,
  parseProbeErrors,
] as const;

/**
 * What the error text of a NACK, or of a row of CSDS, says of which resource and field: of C-core, grpc-go, grpc-java,
 * grpc-js-xds, Envoy and our own probe. A text of nobody that is known is one statement of its own, of no resource;
 * an empty one says nothing.
 */
export function parseNackText(text: string): NackStatement[] {
  const whole = { text: text.slice(0, maxNackChars).trimEnd(), from: 0 };
  if (whole.text === '') return [];
  for (const parse of parsers) {
    const statements = parse(whole);
    if (statements !== undefined && statements.length > 0) return statements.slice(0, maxNackStatements);
  }
  return [statementOf(withWord({}, whole.text), whole)];
}
