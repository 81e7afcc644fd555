import type { Field } from './field';
import { canonicalCidr, parseIpAddress, withoutBrackets } from './ip-address';

/** The text of an absent list in a match: it matches everything. */
export const any = '';

export function valuesOf(field: Field): string[] {
  const values = field.items().map((item) => String(item.value));
  return values.length === 0 ? [any] : values;
}

/** Address ranges as texts; equal ranges have equal texts. */
export function rangesOf(field: Field): string[] {
  const ranges = field.items().map((item) => rangeOf(item) ?? `? ${item.at('addressPrefix').text}`);
  return ranges.length === 0 ? [any] : ranges;
}

export function destinationsOf(match: Field): string[] {
  return rangesOf(match.at('prefixRanges'));
}

/** Address ranges as texts that are equal where grpc-java 1.85 finds them equal: the bits beyond the prefix count. */
export function javaRangesOf(field: Field): string[] {
  const ranges = field.items().map((range) => {
    const text = range.at('addressPrefix').text;
    const address = parseIpAddress(withoutBrackets(text));
    const length = range.at('prefixLen').numberOr(0);
    return `${address === undefined ? `? ${text}` : canonicalCidr(address, address.bits)} ${length}`;
  });
  return ranges.length === 0 ? [any] : ranges;
}

/** Returns undefined if the range has no address. */
function rangeOf(range: Field): string | undefined {
  const text = withoutBrackets(range.at('addressPrefix').text);
  const address = parseIpAddress(text);
  if (address === undefined) return undefined;
  return `${canonicalCidr(address, range.at('prefixLen').numberOr(0))}%${text.split('%')[1] ?? ''}`;
}
