import type { FieldReader } from '../../model/field-reader';
import { readPercent } from '../../model/fractional-percent';
import { matchHeader } from '../../requests/header-match';
import { matchesAnyCase, matchPath } from '../../requests/path-match';
import { literalStart, lowerAscii } from '../../requests/string-match';
import { clientOf, type Profile } from '../../xds/profile';
import { partOfHeader } from './witness-parts';

/** Returns true if it is proven that the RouteMatch holds for every request for which `other` holds. */
export function containsMatch(match: FieldReader, other: FieldReader, profile: Profile): boolean {
  const fraction = match.object('runtimeFraction');
  const isWhole = fraction === undefined || (readPercent(fraction.object('defaultValue')) ?? 0) >= 100;
  if (!isWhole || fraction?.has('runtimeKey') || undecided.some((field) => match.has(field))) return false;
  const known = new Set(conditionTexts(other));
  return (
    (!match.has('grpc') || other.has('grpc')) &&
    match
      .objects('headers')
      .every((each) => known.has(conditionText('headers', each)) || isImplied(each, other, profile)) &&
    conditionTexts(match, ['queryParameters', 'cookies']).every((text) => known.has(text)) &&
    containsPath(match, other, profile)
  );
}

/** They depend on more than the request. */
const undecided = ['tlsContext', 'dynamicMetadata', 'filterState'];

function conditionTexts(match: FieldReader, fields = ['headers', 'queryParameters', 'cookies']): string[] {
  return fields.flatMap((field) => match.objects(field).map((each) => conditionText(field, each)));
}

function conditionText(field: string, { json }: FieldReader): string {
  const entries = Object.entries(json).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${field} ${JSON.stringify(entries)}`;
}

/** Returns true if the matcher holds for each request that has the one value, or any value, that `other` demands. */
function isImplied(matcher: FieldReader, other: FieldReader, profile: Profile): boolean {
  if (matcher.boolean('invertMatch')) return false;
  const part = partOfHeader(matcher.string('name'));
  return other.objects('headers').some((each) => {
    if (partOfHeader(each.string('name')) !== part || each.boolean('invertMatch')) return false;
    const text = each.object('stringMatch');
    const isExact = each.has('exactMatch') || (text?.has('exact') === true && !text.boolean('ignoreCase'));
    if (!isExact || each.boolean('treatMissingHeaderAsEmpty')) return false;
    const value = each.string('exactMatch') || (text?.string('exact') ?? '');
    const find = () => ({ kind: 'value', first: value, values: [value] }) as const;
    return matchHeader(matcher, '', find, profile).verdict === 'match';
  });
}

function containsPath(match: FieldReader, other: FieldReader, profile: Profile): boolean {
  const isInAnyCase = matchesAnyCase(match, profile);
  const isOtherInAnyCase = matchesAnyCase(other, profile);
  const same = specifiers.find((field) => match.has(field));
  if (same !== undefined && other.has(same) && isInAnyCase === isOtherInAnyCase)
    if (JSON.stringify(match.json[same]) === JSON.stringify(other.json[same])) return true;
  if (match.has('connectMatcher') || other.has('connectMatcher')) return false;
  if (same === undefined) return clientOf(profile) === 'envoy';
  const path = other.string('path');
  const begin = beginOf(other);
  if (isEveryPath(match)) return true;
  if (isOtherInAnyCase && !isInAnyCase && /[A-Za-z]/.test(begin)) return false;
  if (other.has('path')) {
    const request = { method: 'GET', scheme: 'http', authority: '', path, headers: [] } as const;
    return matchPath(match, request, profile).verdict === 'match';
  }
  const fold = (text: string): string => (isInAnyCase ? lowerAscii(text) : text);
  if (match.has('prefix')) return fold(begin).startsWith(fold(match.string('prefix')));
  if (match.has('pathSeparatedPrefix')) {
    const prefix = fold(match.string('pathSeparatedPrefix'));
    const isWhole = other.has('pathSeparatedPrefix') && fold(begin) === prefix;
    return isWhole || fold(begin).startsWith(`${prefix}/`);
  }
  const template = templateOf(match);
  if (template !== undefined) {
    const own = templateOf(other);
    const start = /^([^*]*)\*\*$/.exec(template)?.[1];
    return own !== undefined && (own === template || (start !== undefined && own.startsWith(start)));
  }
  // An expression such as "/img/.*" matches every path with its prefix.
  const prefix = /^([\w/~-]*)\.\*$/.exec(match.object('safeRegex')?.string('regex') ?? '')?.[1];
  return prefix !== undefined && begin.startsWith(prefix);
}

const specifiers = [
  'prefix',
  'path',
  'safeRegex',
  'pathSeparatedPrefix',
  'connectMatcher',
  'pathMatchPolicy',
] as const;

function isEveryPath(match: FieldReader): boolean {
  return match.has('prefix') && (match.string('prefix') === '' || match.string('prefix') === '/');
}

/** The template without the names of its variables; undefined for other specifiers. */
function templateOf(match: FieldReader): string | undefined {
  const policy = match.object('pathMatchPolicy')?.object('typedConfig');
  if (policy?.messageName().endsWith('.UriTemplateMatchConfig') !== true) return undefined;
  return policy
    .string('pathTemplate')
    .replace(/\{\w+(?:=([^{}]*))?\}/g, (_, pattern: string | undefined) => pattern ?? '*');
}

/** The text with which every path of the match begins. */
export function beginOf(match: FieldReader): string {
  const regex = match.object('safeRegex');
  if (regex !== undefined) return literalStart(regex.string('regex'));
  const template = match.object('pathMatchPolicy')?.object('typedConfig')?.string('pathTemplate') ?? '';
  return (
    match.string('prefix') ||
    match.string('path') ||
    match.string('pathSeparatedPrefix') ||
    (/^[^{}*]*/.exec(template)?.[0] ?? '')
  );
}
