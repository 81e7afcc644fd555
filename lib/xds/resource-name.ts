import { by } from '../collections/compare';
import { decodePercent } from './decode-percent';
import { findResourceType, messageNameOf } from './resource-type';

/**
 * The name of a resource. Old-style names are arbitrary text and belong to the top-level servers. `xdstp:` names
 * (gRFC A47) have parts, percent-decoded here: `xdstp://AUTHORITY/TYPE/ID?contextParams#directives`.
 */
type ResourceName =
  | { readonly kind: 'old-style'; readonly name: string }
  | {
      readonly kind: 'xdstp';
      /** An empty authority is an authority of its own, not the absence of one. */
      readonly authority: string;
      /** Message name, without `type.googleapis.com/`. */
      readonly type: string;
      readonly id: string;
      /** Sorted by key. If a key is repeated, the last value counts. */
      readonly contextParams: ReadonlyMap<string, string>;
      /** As written, without the `#`. Directives state how to read the resource and are not part of its identity. */
      readonly directives: string;
    };

type ParsedResourceName =
  | { readonly ok: true; readonly name: ResourceName }
  | { readonly ok: false; readonly message: string };

const scheme = 'xdstp:';

/** gRFC A47: whether the name claims to be an `xdstp:` name. */
export function isNewStyleName(text: string): boolean {
  return text.startsWith(scheme);
}

/** gRFC A47: a name that begins with `xdstp:` must be a valid new-style name; every other name is old-style. */
export function parseResourceName(text: string): ParsedResourceName {
  if (!text.startsWith(scheme)) return { ok: true, name: { kind: 'old-style', name: text } };
  const [, beforeQuery = '', query = '', directives = ''] =
    /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text.slice(scheme.length)) ?? [];
  const [, rawAuthority = '', rawType, rawId] = /^(?:\/\/([^/]*))?\/([^/]+)\/(.+)$/s.exec(beforeQuery) ?? [];
  if (rawType === undefined || rawId === undefined) return reject(text, 'xdstp://AUTHORITY/TYPE/ID');

  const authority = decodePercent(rawAuthority);
  const type = decodePercent(rawType);
  const id = decodePercent(rawId);
  const params = parseContextParams(query);
  if (params === 'no-pairs') return reject(text, 'KEY=VALUE after "?" and after each "&"');
  if (authority === undefined || type === undefined || id === undefined || params === 'no-utf8') {
    return reject(text, 'two hexadecimal digits after each "%", which make UTF-8');
  }
  return { ok: true, name: { kind: 'xdstp', authority, type, id, contextParams: params, directives } };
}

/** True for the name of a collection of resources, as in "xdstp://authority/type/shop/*" (xDS: glob collections). */
export function isCollection(text: string): boolean {
  return isNewStyleName(text) && /\/\*(?:[?#]|$)/.test(text);
}

/**
 * Parses a name as parseResourceName does; in addition, the TYPE of an `xdstp:` name must be the type of the
 * resource.
 */
export function parseResourceNameOf(typeUrl: string, text: string): ParsedResourceName {
  const parsed = parseResourceName(text);
  if (!parsed.ok || parsed.name.kind === 'old-style') return parsed;
  const expected = messageNameOf(findResourceType(typeUrl)?.typeUrl ?? typeUrl);
  return parsed.name.type === expected ? parsed : reject(text, `the type ${expected} in the resource name`);
}

/**
 * The canonical spelling of a name, for comparison: context parameters sorted, percent-encoding only where required,
 * directives removed. Old-style and malformed names are returned unchanged.
 */
export function normaliseResourceName(text: string): string {
  if (!text.startsWith(scheme)) return text;
  const parsed = parseResourceName(text);
  return parsed.ok ? formatResourceName(parsed.name) : text;
}

/** Excludes directives. */
export function formatResourceName(name: ResourceName): string {
  if (name.kind === 'old-style') return name.name;
  const { authority, type, id, contextParams } = name;
  const params = [...contextParams].map(([key, value]) => `${encodeParam(key)}=${encodeParam(value)}`);
  const query = params.length === 0 ? '' : `?${params.join('&')}`;
  return `${scheme}//${encodeAuthority(authority)}/${encodePath(type)}/${encodePath(id)}${query}`;
}

/** RFC 3986 3.3: a path keeps its slashes; characters that are not allowed in a path are percent-encoded. */
export function encodePath(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu, encodeChar);
}

export function encodeAuthority(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@[\]]/gu, encodeChar);
}

/** Escapes `&`, `=` and `+` of a key or a value, which would otherwise be read as syntax. */
function encodeParam(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~!$'()*,;:@/?]/gu, encodeChar);
}

/** An unpaired surrogate, which only JSON can contain, has no UTF-8 encoding. */
function encodeChar(char: string): string {
  return encodeURIComponent(/\p{Surrogate}/u.test(char) ? '\ufffd' : char);
}

function parseContextParams(query: string): ReadonlyMap<string, string> | 'no-pairs' | 'no-utf8' {
  const params = new Map<string, string>();
  for (const pair of query === '' ? [] : query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 1) return 'no-pairs';
    const key = decodePercent(pair.slice(0, equals));
    const value = decodePercent(pair.slice(equals + 1));
    if (key === undefined || value === undefined) return 'no-utf8';
    params.set(key, value);
  }
  return new Map([...params].sort(by(([key]) => key)));
}

function reject(text: string, expected: string): ParsedResourceName {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return { ok: false, message: `expected ${expected}, got ${JSON.stringify(shown)}` };
}
