import { FieldReader } from '../../model/field-reader';
import { matchesAnyCase } from '../../requests/path-match';
import type { ExplainRequest } from '../../requests/request';
import { lowerAscii } from '../../requests/string-match';
import { clientOf, type Profile } from '../../xds/profile';
import { sampleRegex } from './sample-regex';

/** A part of a request: "method", "scheme", "authority", "path", or as in "header x-a", "query q", "cookie id". */
export type Part = string;

/** A request by its parts; a header, parameter or cookie that is not in it is not sent. */
export type Point = ReadonlyMap<Part, string>;

/** Values of a part of which some meet a condition, those first, and some do not. undefined: the part is absent. */
export interface PartValues {
  readonly part: Part;
  readonly values: readonly (string | undefined)[];
}

/** Meets no usual condition but that of presence. */
const other = '~';
const methods = ['GET', 'POST', 'DELETE'];

/** The values that decide the conditions of a RouteMatch. */
export function partValuesOf(match: FieldReader, profile: Profile): PartValues[] {
  const list = [valuesOfPath(match, profile), ...match.objects('headers').map(valuesOfHeader)];
  if (clientOf(profile) !== 'envoy') return list;
  if (match.has('grpc')) list.push({ part: 'header content-type', values: ['application/grpc', undefined] });
  for (const [field, part] of [
    ['queryParameters', 'query'],
    ['cookies', 'cookie'],
  ] as const)
    for (const matcher of match.objects(field))
      list.push({ part: `${part} ${matcher.string('name')}`, values: valuesOfNamed(matcher).values });
  const tls = match.object('tlsContext');
  if (tls !== undefined) {
    const isPlain = ['presented', 'validated'].some((field) => tls.has(field) && !tls.boolean(field));
    list.push({ part: 'scheme', values: isPlain ? ['http', 'https'] : ['https', 'http'] });
  }
  return list;
}

/** The part that a header matcher reads. */
export function partOfHeader(name: string): Part {
  const key = name.toLowerCase();
  if (key === 'host') return 'authority';
  if (key === 'x-forwarded-proto') return 'scheme';
  return key.startsWith(':') ? key.slice(1) : `header ${key}`;
}

function valuesOfHeader(matcher: FieldReader): PartValues {
  const part = partOfHeader(matcher.string('name'));
  const { values, meeting, isInverted } = valuesOfNamed(matcher);
  if (part.startsWith('header ')) return { part, values };
  const always = part === 'method' ? methods : part === 'scheme' ? ['http', 'https'] : [undefined];
  const isFree = isInverted || meeting.length === 0;
  return { part, values: isFree ? [...always, ...meeting] : [...meeting, ...always] };
}

/** `meeting`: values that the matcher names; the mere presence of a value names none. */
function valuesOfNamed(matcher: FieldReader): {
  readonly values: readonly (string | undefined)[];
  readonly meeting: readonly string[];
  readonly isInverted: boolean;
} {
  const text = matcher.object('stringMatch') ?? oldSpecifier(matcher);
  const range = matcher.object('rangeMatch');
  const isPresence = text === undefined && range === undefined;
  const meeting =
    range !== undefined
      ? [range.number('start') ?? 0, (range.number('end') ?? 0) - 1].map(String)
      : text === undefined
        ? []
        : samplesOfText(text);
  const present = isPresence ? ['1'] : meeting;
  const isAbsence = isPresence && matcher.has('presentMatch') && !matcher.boolean('presentMatch');
  const otherwise = isPresence ? [undefined] : [other, undefined];
  const isInverted = isAbsence !== matcher.boolean('invertMatch');
  const values = isInverted ? [...otherwise, ...present] : [...present, ...otherwise];
  return { values, meeting, isInverted };
}

/** The deprecated `exact_match` and its kind, read as the StringMatcher that replaces them. */
function oldSpecifier(matcher: FieldReader): FieldReader | undefined {
  const kind = ['exact', 'prefix', 'suffix', 'contains', 'safeRegex'].find((each) =>
    matcher.has(`${each}Match`),
  );
  return kind === undefined ? undefined : FieldReader.open({ [kind]: matcher.json[`${kind}Match`] }, []);
}

function samplesOfText(text: FieldReader): string[] {
  const regex = text.object('safeRegex');
  if (regex !== undefined) return sampleRegex(regex.string('regex'));
  const of = (field: string): string => text.string(field);
  if (text.has('prefix')) return [of('prefix'), of('prefix') + other];
  if (text.has('suffix')) return [of('suffix'), other + of('suffix')];
  if (text.has('contains')) return [of('contains'), other + of('contains') + other];
  return inCases(of('exact'), text.boolean('ignoreCase'));
}

function inCases(text: string, isInAnyCase: boolean): string[] {
  return isInAnyCase ? [text, lowerAscii(text), text.toUpperCase()] : [text];
}

function valuesOfPath(match: FieldReader, profile: Profile): PartValues {
  if (match.has('connectMatcher')) return { part: 'method', values: ['CONNECT'] };
  const isGrpc = clientOf(profile) !== 'envoy';
  const usable = isGrpc ? /^\/[^/?#\s]+\/[^/?#\s]+$/ : /^\/[!-~]*$/;
  const all = samplesOfPath(match, profile).filter((each) => usable.test(each) && !/[?#]/.test(each));
  return { part: 'path', values: [...new Set(all)] };
}

function samplesOfPath(match: FieldReader, profile: Profile): string[] {
  const isInAnyCase = matchesAnyCase(match, profile);
  if (match.has('path')) return inCases(match.string('path'), isInAnyCase);
  const regex = match.object('safeRegex');
  if (regex !== undefined) return sampleRegex(regex.string('regex'));
  const policy = match.object('pathMatchPolicy')?.object('typedConfig');
  if (policy !== undefined)
    return ['x', '', 'x/x'].map((any) => fillTemplate(policy.string('pathTemplate'), any));
  const isSeparated = match.has('pathSeparatedPrefix');
  const prefixes = inCases(match.string(isSeparated ? 'pathSeparatedPrefix' : 'prefix') || '/', isInAnyCase);
  const ends = isSeparated ? [] : ['x', other, '0', 'x/x', '-'];
  return prefixes.flatMap((prefix) => {
    const base = prefix.endsWith('/') ? prefix : `${prefix}/`;
    return [prefix, `${base}x`, base, `${base}${other}`, `${base}x/x`, ...ends.map((end) => prefix + end)];
  });
}

/** `any` replaces "**", which matches any number of segments. */
function fillTemplate(template: string, any: string): string {
  return template
    .replace(/\{\w+(?:=([^{}]*))?\}/g, (_, pattern: string | undefined) => pattern ?? '*')
    .replace(/\*\*|\*/g, (each) => (each === '*' ? 'x' : any));
}

/** CONNECT has no path. */
export function requestOf(point: Point): ExplainRequest {
  const of = (part: Part): string => point.get(part) ?? '';
  const named = (kind: string): [string, string][] =>
    [...point].flatMap(([part, value]): [string, string][] =>
      part.startsWith(`${kind} `) ? [[part.slice(kind.length + 1), value]] : [],
    );
  const join = (kind: string, by: string): string =>
    named(kind)
      .map((pair) => pair.join('='))
      .join(by);
  const query = join('query', '&');
  const cookies = join('cookie', '; ');
  const method = of('method');
  return {
    ...{ method, scheme: of('scheme') === 'https' ? 'https' : 'http', authority: of('authority') },
    path: method === 'CONNECT' ? '' : `${of('path')}${query === '' ? '' : `?${query}`}`,
    headers: [...named('header'), ...(cookies === '' ? [] : [['cookie', cookies] as [string, string]])],
  };
}
