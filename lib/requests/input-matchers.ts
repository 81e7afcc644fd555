import type { FieldReader } from '../model/field-reader';
import { canonicalCidr, parseIpAddress } from '../validate/ip-address';
import { xxh64 } from '../xds/xxh64';
import { type MetadataValue, matchFound } from './metadata';
import { matchString } from './string-match';

/** The value of an input of a matcher. `what`: as in "destination port". */
export type KnownInput =
  | { readonly kind: 'value'; readonly what: string; readonly value: string }
  | { readonly kind: 'absent'; readonly what: string }
  /** Metadata is no text, whatever its value is. */
  | { readonly kind: 'metadata'; readonly what: string; readonly found: MetadataValue };

/** Returns the reason if it is not known whether the matcher accepts the value. */
type Accepts = (input: KnownInput, matcher: FieldReader) => boolean | string;

/** A matcher of texts accepts nothing that is absent or no text. */
const ofText =
  (accepts: (text: string, matcher: FieldReader) => boolean | string): Accepts =>
  (input, matcher) =>
    input.kind === 'value' && accepts(input.value, matcher);

/** A StringMatcher. */
export const acceptsText = ofText((text, matcher) => {
  const result = matchString(matcher, text);
  return result.kind === 'unknown' ? result.reason : result.holds;
});

/** Extensions of the category envoy.matching.input_matchers, by the ends of their types. */
const extensions: Readonly<Record<string, Accepts>> = {
  '.ip.v3.Ip': ofText((address, matcher) =>
    matcher.objects('cidrRanges').some((range) => isInRange(range, address)),
  ),
  '.metadata.v3.Metadata': (input, matcher) => {
    if (input.kind !== 'metadata') return false;
    const match = matchFound(matcher, '', input.found);
    return match.verdict === 'depends' ? match.reason : match.verdict === 'match';
  },
  // "if hash(input) % modulo >= threshold"
  '.consistent_hashing.v3.ConsistentHashing': ofText((text, matcher) => {
    const modulo = readUint64(matcher, 'modulo');
    return modulo > 0n && hashOf(text, matcher) % modulo >= readUint64(matcher, 'threshold');
  }),
  // The hash takes the place of the random number.
  '.runtime_fraction.v3.RuntimeFraction': ofText((text, matcher) => {
    const fraction = matcher.object('runtimeFraction');
    const key = fraction?.string('runtimeKey') ?? '';
    if (key !== '') return `runtime key ${JSON.stringify(key)} can set the share that it matches`;
    const share = fraction?.object('defaultValue');
    const denominator = denominators[share?.enumName('denominator', 'HUNDRED') ?? 'HUNDRED'];
    if (denominator === undefined) return 'the denominator of its share is not known';
    return share !== undefined && hashOf(text, matcher) % denominator < readUint64(share, 'numerator');
  }),
};

const denominators: Readonly<Record<string, bigint>> = {
  HUNDRED: 100n,
  TEN_THOUSAND: 10_000n,
  MILLION: 1_000_000n,
};

function hashOf(text: string, matcher: FieldReader): bigint {
  return xxh64(text, readUint64(matcher, 'seed'));
}

/** A number above 2^53 is a text in JSON. */
function readUint64(of: FieldReader, field: string): bigint {
  const text = String(of.json[field] ?? '');
  return /^\d{1,20}$/.test(text) ? BigInt.asUintN(64, BigInt(text)) : 0n;
}

/** undefined: matchers of this type are not evaluated. */
export function findInputMatcher(type: string): Accepts | undefined {
  return Object.entries(extensions).find(([end]) => type.endsWith(end))?.[1];
}

/** An envoy.config.core.v3.CidrRange. */
export function isInRange(range: FieldReader, address: string): boolean {
  const own = parseIpAddress(address);
  const wanted = parseIpAddress(range.string('addressPrefix'));
  if (own === undefined || wanted === undefined || own.bits !== wanted.bits) return false;
  return canonicalCidr(own, lengthOf(range)) === canonicalCidr(wanted, lengthOf(range));
}

export function lengthOf(range: FieldReader): number {
  return range.number('prefixLen') ?? 0;
}
