import type { FieldReader } from '../model/field-reader';
import type { FindHeader } from '../requests/request';

/** The key by which ScopedRoutes choose the route configuration of a request. */
type ScopeKey =
  | { readonly kind: 'key'; readonly key: readonly string[] }
  /** A fragment cannot be built: no scope is chosen. */
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Builds the key of ScopedRoutes.scope_key_builder: "the final(built) scope key is an ordered union of these fragments". Only the
 * first value of a header is read.
 */
export function readScopeKey(scoped: FieldReader, find: FindHeader): ScopeKey {
  const key: string[] = [];
  for (const fragment of scoped.object('scopeKeyBuilder')?.objects('fragments') ?? []) {
    const extractor = fragment.object('headerValueExtractor');
    if (extractor === undefined)
      return { kind: 'unknown', reason: 'the kind of a key fragment is not known' };
    const name = extractor.string('name');
    const header = find(name);
    if (header.kind === 'depends') return { kind: 'unknown', reason: header.reason };
    if (header.kind === 'absent') return { kind: 'none', reason: `the request has no header ${name}` };
    const value = extract(extractor, header.first);
    if (value === undefined)
      return { kind: 'none', reason: `header ${name} ${JSON.stringify(header.first)} has no such element` };
    key.push(value);
  }
  return { kind: 'key', key };
}

/** "If separator is not empty, the header value is split"; then an element by its index, or the value of a key. */
function extract(extractor: FieldReader, header: string): string | undefined {
  const separator = extractor.string('elementSeparator');
  const elements = separator === '' ? [header] : header.split(separator);
  const element = extractor.object('element');
  if (element === undefined) return elements[extractor.number('index') ?? 0];
  const [between, wanted] = [element.string('separator'), element.string('key')];
  for (const each of elements) {
    const at = each.indexOf(between);
    const [name, value] = at < 0 ? [each, ''] : [each.slice(0, at), each.slice(at + between.length)];
    if (name === wanted) return value;
  }
  return undefined;
}
