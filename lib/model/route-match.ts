import type { FieldReader } from './field-reader';
import { readPercent } from './fractional-percent';

/** Formats a RouteMatch, as in "prefix /cart, header x-canary = 1, 10% of requests". All conditions must hold. */
export function readRouteMatch(match: FieldReader | undefined): string {
  if (match === undefined) return 'no match';
  const conditions = [
    readPath(match),
    match.has('caseSensitive') && !match.boolean('caseSensitive') ? 'in any case' : '',
    ...conditionsOf(match),
  ];
  return conditions.filter((condition) => condition !== '').join(', ');
}

function conditionsOf(match: FieldReader): string[] {
  const fraction = match.object('runtimeFraction');
  const percent = readPercent(fraction?.object('defaultValue'));
  const conditions = [
    ...match.objects('headers').map(readHeader),
    ...match.objects('queryParameters').map(readQueryParameter),
    fraction === undefined ? '' : `${percent ?? 0}% of requests`,
    match.has('grpc') ? 'gRPC only' : '',
    match.has('tlsContext') ? 'TLS context' : '',
    match.has('dynamicMetadata') ? 'dynamic metadata' : '',
    match.has('filterState') ? 'filter state' : '',
    match.has('cookies') ? 'cookies' : '',
  ];
  return conditions.filter((condition) => condition !== '');
}

function readPath(match: FieldReader): string {
  if (match.has('prefix')) {
    const prefix = match.string('prefix');
    return prefix === '' ? 'every path' : `prefix ${prefix}`;
  }
  if (match.has('path')) return `path ${match.string('path')}`;
  if (match.has('safeRegex')) return `regex ${match.object('safeRegex')?.string('regex') ?? ''}`;
  if (match.has('pathSeparatedPrefix')) return `path under ${match.string('pathSeparatedPrefix')}`;
  if (match.has('connectMatcher')) return 'CONNECT';
  if (match.has('pathMatchPolicy'))
    return `path policy ${match.object('pathMatchPolicy')?.string('name') ?? ''}`;
  return 'no path';
}

function readHeader(header: FieldReader): string {
  const name = header.string('name');
  const words = `header ${name} ${readHeaderValue(header)}`;
  return header.boolean('invertMatch') ? `not (${words})` : words;
}

function readHeaderValue(header: FieldReader): string {
  if (header.has('stringMatch')) return readStringMatch(header.object('stringMatch'));
  if (header.has('exactMatch')) return `= ${header.string('exactMatch')}`;
  if (header.has('safeRegexMatch')) return `~ ${header.object('safeRegexMatch')?.string('regex') ?? ''}`;
  if (header.has('prefixMatch')) return `starts with ${header.string('prefixMatch')}`;
  if (header.has('suffixMatch')) return `ends with ${header.string('suffixMatch')}`;
  if (header.has('containsMatch')) return `contains ${header.string('containsMatch')}`;
  if (header.has('rangeMatch')) {
    const range = header.object('rangeMatch');
    return `in [${range?.number('start') ?? 0}, ${range?.number('end') ?? 0})`;
  }
  if (header.has('presentMatch')) return header.boolean('presentMatch') ? 'present' : 'absent';
  return 'present';
}

function readQueryParameter(parameter: FieldReader): string {
  const name = parameter.string('name');
  if (parameter.has('stringMatch'))
    return `query ${name} ${readStringMatch(parameter.object('stringMatch'))}`;
  return `query ${name} present`;
}

function readStringMatch(match: FieldReader | undefined): string {
  if (match === undefined) return '';
  const suffix = match.boolean('ignoreCase') ? ' (any case)' : '';
  if (match.has('exact')) return `= ${match.string('exact')}${suffix}`;
  if (match.has('prefix')) return `starts with ${match.string('prefix')}${suffix}`;
  if (match.has('suffix')) return `ends with ${match.string('suffix')}${suffix}`;
  if (match.has('contains')) return `contains ${match.string('contains')}${suffix}`;
  if (match.has('safeRegex')) return `~ ${match.object('safeRegex')?.string('regex') ?? ''}`;
  return 'matches a custom matcher';
}
