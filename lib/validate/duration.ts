import type { Field } from './field';

interface Duration {
  readonly seconds: number;
  readonly nanos: number;
}

const maxSeconds = 315_576_000_000;
const maxNanos = 999_999_999;
/** 2^63 ns, about 292 years. */
const maxJavaSeconds = 9_223_372_036;

/**
 * Parses a text such as "1.5s". The codec decodes an out-of-range duration, which has no text form, as an object with
 * two fields.
 */
export function parseDuration(field: Field): Duration | undefined {
  if (!field.exists) return undefined;
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?s$/.exec(field.text);
  if (match === null) {
    return { seconds: field.at('seconds').numberOr(0), nanos: field.at('nanos').numberOr(0) };
  }
  const sign = match[1] === '-' ? -1 : 1;
  return { seconds: sign * Number(match[2]), nanos: sign * Number((match[3] ?? '').padEnd(9, '0')) };
}

/**
 * Returns true if the field is absent or a google.protobuf.Duration as gRPC accepts it: not negative, at most 10,000
 * years.
 */
export function isDuration(field: Field): boolean {
  const duration = parseDuration(field);
  if (duration === undefined) return true;
  const { seconds, nanos } = duration;
  return seconds >= 0 && seconds <= maxSeconds && nanos >= 0 && nanos <= maxNanos;
}

/**
 * Returns true if grpc-java can convert the field to nanoseconds: seconds and nanos have the same sign and are in
 * range, and the result fits into 64 bits. A negative one is valid.
 */
export function isJavaDuration(field: Field, most = maxJavaSeconds): boolean {
  const duration = parseDuration(field);
  if (duration === undefined) return true;
  const { seconds, nanos } = duration;
  const isInRange = Math.abs(seconds) <= most && Math.abs(nanos) <= maxNanos;
  return isInRange && seconds * nanos >= 0;
}

/** Returns true if grpc-java can compare the field, which it does not convert. */
export function isComparableJavaDuration(field: Field): boolean {
  return isJavaDuration(field, maxSeconds);
}

export const javaDurationText = `a duration of at most ${maxJavaSeconds} seconds, whose nanos have the same sign`;

export const durationText = 'a duration of 0 to 315576000000 seconds';

/** Returns 0 if the field is absent. */
export function durationSeconds(field: Field): number {
  const duration = parseDuration(field);
  return duration === undefined ? 0 : duration.seconds + duration.nanos / 1e9;
}

/** Milliseconds as grpc-js-xds computes them in a retry policy: whole numbers of 32 bits. */
export function durationInt32Ms(field: Field): number {
  const duration = parseDuration(field);
  return duration === undefined ? 0 : (duration.seconds * 1000 + duration.nanos / 1e6) | 0;
}
