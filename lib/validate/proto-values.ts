import type { Field } from './field';

export const uint32Max = 0xffff_ffff;

interface Duration {
  readonly seconds: number;
  readonly nanos: number;
}

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
  return seconds >= 0 && seconds <= 315_576_000_000 && nanos >= 0 && nanos <= 999_999_999;
}

export const durationText = 'a duration of 0 to 315576000000 seconds';

export function durationSeconds(field: Field): number {
  const duration = parseDuration(field);
  return duration === undefined ? 0 : duration.seconds + duration.nanos / 1e9;
}

/** gRFC A47: the two spellings of "where this resource came from". */
export function isAdsOrSelf(configSource: Field): boolean {
  return configSource.at('ads').exists || configSource.at('self').exists;
}

export function isKnownDenominator(percent: Field): boolean {
  const denominator = percent.at('denominator');
  return !denominator.exists || ['HUNDRED', 'TEN_THOUSAND', 'MILLION'].includes(denominator.text);
}

export function isIpAddress(text: string): boolean {
  return isIpv4(text) || isIpv6(text);
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const address = text.split('%')[0] ?? '';
  const halves = address.split('::');
  if (halves.length > 2 || !address.includes(':')) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const isMapped = last.includes('.');
  if (isMapped && !isIpv4(last)) return false;
  const hex = isMapped ? groups.slice(0, -1) : groups;
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  const count = hex.length + (isMapped ? 2 : 0);
  return halves.length === 2 ? count < 8 : count === 8;
}

/**
 * Does RE2 take the pattern? Told with JavaScript's RegExp after what RE2 spells differently is respelled; what only
 * JavaScript has (look-around, back-references) is refused.
 */
export function isRe2(pattern: string): boolean {
  const plain = pattern.replace(/\\Q[\s\S]*?(\\E|$)/g, 'q').replace(/\\\\/g, 'b');
  if (/\(\?(=|!|<=|<!)/.test(plain) || /\\[1-9]/.test(plain)) return false;
  const respelled = plain
    .replace(/\(\?P</g, '(?<')
    .replace(/\(\?[imsU]*(?:-[imsU]+)?:/g, '(?:')
    .replace(/\(\?[imsU]+(?:-[imsU]+)?\)/g, '')
    .replace(/\[:\^?[a-z]+:\]/g, 'a')
    .replace(/\\[AzCaQ]/g, 'a')
    .replace(/\\[pP](\{\^?\w+\}|[A-Z])/g, 'a');
  try {
    new RegExp(respelled);
    return true;
  } catch {
    return false;
  }
}
