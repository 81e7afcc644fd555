import type { FieldReader } from '../model/field-reader';
import { clientOf, type Profile } from '../xds/profile';
import { type Match, matched, matchIf } from './match';
import type { FindHeader } from './request';
import { matchOldSpecifier, matchString, type TextMatch } from './string-match';

/** An envoy.config.route.v3.HeaderMatcher. `path` is its field. */
export function matchHeader(matcher: FieldReader, path: string, find: FindHeader, profile: Profile): Match {
  const name = matcher.string('name');
  const header = find(name);
  if (header.kind === 'depends') return { verdict: 'depends', reason: header.reason, path };
  const isInverted = matcher.boolean('invertMatch');
  const isEnvoy = clientOf(profile) === 'envoy';
  const isEmptyIfAbsent = isEnvoy && matcher.boolean('treatMissingHeaderAsEmpty');
  const values = header.kind === 'value' ? header.values : isEmptyIfAbsent ? [''] : undefined;
  if (isPresenceMatcher(matcher)) {
    // grpc-js-xds does not read the value false.
    const wanted =
      clientOf(profile) === 'node' || !matcher.has('presentMatch') || matcher.boolean('presentMatch');
    const isWanted = isInverted ? !wanted : wanted;
    return matchIf((values !== undefined) === isWanted, path, () =>
      isWanted
        ? `header ${name} must be present, and the request does not have it`
        : `header ${name} must be absent, and the request has it`,
    );
  }
  if (values === undefined) {
    // grpc-js-xds inverts the result of an absent header, too.
    if (isInverted && clientOf(profile) === 'node') return matched;
    const what = describeExpected(matchValue(matcher, '', profile), isInverted);
    return { verdict: 'no-match', reason: `header ${name} is absent, and its value ${what}`, path };
  }
  const results = values.map((value) => matchValue(matcher, value, profile));
  const unknown = results.find(({ kind }) => kind === 'unknown');
  if (unknown?.kind === 'unknown') return { verdict: 'depends', reason: unknown.reason, path };
  const holds = results.some((result) => result.kind === 'known' && result.holds);
  return matchIf(holds !== isInverted, path, () => {
    const expected = results[0] === undefined ? '' : describeExpected(results[0], isInverted);
    return `header ${name} is ${values.map((value) => JSON.stringify(value)).join(' and ')}, and ${expected}`;
  });
}

function describeExpected(result: TextMatch, isInverted: boolean): string {
  if (result.kind === 'unknown') return result.reason;
  return `${isInverted ? 'must not' : 'must'} ${result.expected}`;
}

/** "If header_match_specifier is not specified, a match is performed on the presence of the header." */
function isPresenceMatcher(matcher: FieldReader): boolean {
  return (
    matcher.has('presentMatch') || !Object.keys(matcher.json).some((key) => /(?<!invert)Match$/.test(key))
  );
}

function matchValue(matcher: FieldReader, value: string, profile: Profile): TextMatch {
  const range = matcher.object('rangeMatch');
  if (range !== undefined) return matchRange(range, value, profile);
  const text = matcher.object('stringMatch');
  if (text !== undefined) return matchString(text, value);
  // Measured: in Envoy, an empty exact_match matches every value.
  if (clientOf(profile) === 'envoy' && matcher.has('exactMatch') && matcher.string('exactMatch') === '')
    return { kind: 'known', holds: true, expected: 'be any value' };
  return (
    matchOldSpecifier(matcher, value) ?? {
      kind: 'unknown',
      reason: 'the kind of the header matcher is not known',
    }
  );
}

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/**
 * An envoy.type.v3.Int64Range: "The entire request header value must represent an integer in base 10 notation"; the range
 * has no end, except in grpc-java, which includes it.
 */
function matchRange(range: FieldReader, value: string, profile: Profile): TextMatch {
  const [start, end] = [range.number('start') ?? 0, range.number('end') ?? 0];
  const number = /^\s*[+-]?\d+\s*$/.test(value) ? BigInt(value.trim().replace(/^\+/, '')) : undefined;
  const isInt64 = number !== undefined && number >= int64.least && number <= int64.most;
  const isBelow = (at: number): boolean => (clientOf(profile) === 'java' ? at <= end : at < end);
  return {
    kind: 'known',
    holds: isInt64 && Number(number) >= start && isBelow(Number(number)),
    expected: `be an integer from ${start} to ${clientOf(profile) === 'java' ? end : end - 1}`,
  };
}
