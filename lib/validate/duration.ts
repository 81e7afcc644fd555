import type { Field } from './field';

interface Duration {
  readonly seconds: number;
  readonly nanos: number;
}

const maxSeconds = 315_576_000_000;
const maxNanos = 999_999_999;

/** Written as "1.5s"; one out of range has no text form and comes as its two fields. */
export function parseDuration(field: Field): Duration | undefined {
  if (!field.exists) return undefined;
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?s$/.exec(field.text);
  if (match === null) {
    return { seconds: field.at('seconds').numberOr(0), nanos: field.at('nanos').numberOr(0) };
  }
  const sign = match[1] === '-' ? -1 : 1;
  return { seconds: sign * Number(match[2]), nanos: sign * Number((match[3] ?? '').padEnd(9, '0')) };
}

/** google.protobuf.Duration, as gRPC reads it: not negative, at most 10,000 years. Absent is fine. */
export function isDuration(field: Field): boolean {
  const duration = parseDuration(field);
  if (duration === undefined) return true;
  const { seconds, nanos } = duration;
  return seconds >= 0 && seconds <= maxSeconds && nanos >= 0 && nanos <= maxNanos;
}

export const durationText = 'a duration of 0 to 315576000000 seconds';

/** 0 when it is absent. */
export function durationSeconds(field: Field): number {
  const duration = parseDuration(field);
  return duration === undefined ? 0 : duration.seconds + duration.nanos / 1e9;
}

/** As grpc-js-xds counts in a retry policy: whole milliseconds, in 32 bits. */
export function durationInt32Ms(field: Field): number {
  const duration = parseDuration(field);
  return duration === undefined ? 0 : (duration.seconds * 1000 + duration.nanos / 1e6) | 0;
}
