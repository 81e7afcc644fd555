import type { FieldReader } from '../model/field-reader';
import { matchesRe2 } from '../validate/re2';
import { clientOf, type Profile } from '../xds/profile';
import { type Match, matched, matchIf } from './match';
import { type ExplainRequest, pathOf } from './request';
import { lowerAscii, matchRegex } from './string-match';

/** The path specifier of an envoy.config.route.v3.RouteMatch. Query string and fragment do not count. */
export function matchPath(match: FieldReader, request: ExplainRequest, profile: Profile): Match {
  const path = pathOf(request);
  const minds = !matchesAnyCase(match, profile);
  const fold = (text: string): string => (minds ? text : lowerAscii(text));
  const expected = (field: string, words: string): (() => string) => {
    const value = JSON.stringify(match.string(field));
    return () => `path ${JSON.stringify(path)} must ${words} ${value}${minds ? '' : ' in any case'}`;
  };
  // Envoy allows CONNECT without a path only for connect_matcher.
  if (clientOf(profile) === 'envoy' && request.method === 'CONNECT' && !match.has('connectMatcher'))
    if (path === '')
      return {
        verdict: 'no-match',
        reason: 'a CONNECT request without a path is matched only by connect_matcher',
        path: 'match',
      };
  if (match.has('prefix')) {
    const prefix = match.string('prefix');
    return matchIf(fold(path).startsWith(fold(prefix)), 'match.prefix', expected('prefix', 'begin with'));
  }
  if (match.has('path'))
    return matchIf(fold(path) === fold(match.string('path')), 'match.path', expected('path', 'be'));
  const regex = match.object('safeRegex');
  if (regex !== undefined) {
    const result = matchRegex(regex.string('regex'), path);
    const field = 'match.safeRegex.regex';
    if (result.kind === 'unknown') return { verdict: 'depends', reason: result.reason, path: field };
    return matchIf(result.holds, field, () => `path ${JSON.stringify(path)} must ${result.expected}`);
  }
  if (match.has('pathSeparatedPrefix')) {
    const prefix = fold(match.string('pathSeparatedPrefix'));
    const own = fold(path);
    const holds = own.startsWith(prefix) && (own.length === prefix.length || own[prefix.length] === '/');
    return matchIf(
      holds,
      'match.pathSeparatedPrefix',
      expected('pathSeparatedPrefix', 'be, or begin with the path segments of,'),
    );
  }
  if (match.has('connectMatcher'))
    return matchIf(
      request.method === 'CONNECT',
      'match.connectMatcher',
      () => `method ${request.method} must be CONNECT`,
    );
  const policy = match.object('pathMatchPolicy');
  if (policy?.has('typedConfig')) return matchPathTemplate(policy, path, 'match.pathMatchPolicy');
  return clientOf(profile) === 'envoy'
    ? matched
    : { verdict: 'no-match', reason: 'the route has no path specifier', path: 'match' };
}

/** A TypedExtensionConfig of envoy.path.match, at `field`. `path` has no query string. */
export function matchPathTemplate(extension: FieldReader, path: string, field: string): Match {
  const config = extension.object('typedConfig');
  const type = config?.messageName() ?? '';
  const template = config?.string('pathTemplate') ?? '';
  const holds = type.endsWith('.UriTemplateMatchConfig') ? matchUriTemplate(template, path) : undefined;
  if (holds === undefined)
    return { verdict: 'depends', reason: `${type} is not evaluated`, path: `${field}.typedConfig` };
  return matchIf(
    holds,
    `${field}.typedConfig.pathTemplate`,
    () => `path ${JSON.stringify(path)} must match the template ${JSON.stringify(template)}`,
  );
}

/** `case_sensitive` is a BoolValue: absent means true, but in gRPC-Java (measured with 1.85.1). */
export function matchesAnyCase(match: FieldReader, profile: Profile): boolean {
  return match.has('caseSensitive') ? !match.boolean('caseSensitive') : clientOf(profile) === 'java';
}

/** The characters of a path segment (pchar of RFC 3986) without "*". */
const pathCharacters = "a-zA-Z0-9\\-._~%!$&'()+,;:@=";
const oneSegment = `[${pathCharacters}]+`;
const anySegments = `[${pathCharacters}/]*`;

/**
 * envoy.extensions.path.match.uri_template.v3: "*" matches one path segment, "**" zero or more, and "{name}" or
 * "{name=pattern}" a part that a rewrite can refer to. undefined if the template cannot be read.
 */
function matchUriTemplate(template: string, path: string): boolean | undefined {
  let regex = '';
  let rest = template;
  while (rest !== '') {
    const variable = /^\{[A-Za-z][A-Za-z0-9_]*(?:=([^{}]*))?\}/.exec(rest);
    const token = variable ?? /^(?:\*\*|\*|[^{}*]+)/.exec(rest);
    if (token === null) return undefined;
    const part = variable === null ? token[0] : (variable[1] ?? '*');
    regex += part.replace(/\*\*|\*|[^*]+/g, (each) => {
      if (each === '**') return anySegments;
      return each === '*' ? oneSegment : each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    });
    rest = rest.slice(token[0].length);
  }
  return matchesRe2(regex, path);
}
