import type { FieldReader } from '../model/field-reader';
import type { MetadataDoubt } from '../model/metadata-doubt';
import { type Match, matchAny, matchIf } from './match';
import { matchString } from './string-match';

type Json = Readonly<Record<string, unknown>>;

/** The dynamic metadata of a request. */
export interface DynamicMetadata {
  /** By namespace. */
  readonly known: Readonly<Record<string, Json>>;
  readonly doubts: readonly MetadataDoubt[];
}

export type MetadataValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'depends'; readonly reason: string };

/** That of a request before its first filter. */
export const noMetadata: DynamicMetadata = { known: {}, doubts: [] };

export function withMetadata(metadata: DynamicMetadata, namespace: string, value: Json): DynamicMetadata {
  return { ...metadata, known: { ...metadata.known, [namespace]: value } };
}

export function findMetadata(
  { known, doubts }: DynamicMetadata,
  namespace: string,
  path: readonly string[],
): MetadataValue {
  const doubt = doubts.find((each) => each.namespace === undefined || each.namespace === namespace);
  return doubt === undefined
    ? valueAt(known, [namespace, ...path])
    : { kind: 'depends', reason: doubt.reason };
}

function valueAt(struct: unknown, path: readonly string[]): MetadataValue {
  let value: unknown = struct;
  for (const key of path) {
    if (!isStruct(value) || !Object.hasOwn(value, key)) return { kind: 'absent' };
    value = value[key];
  }
  return { kind: 'value', value };
}

export function isStruct(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An envoy.type.matcher.v3.MetadataMatcher of dynamic metadata; absent metadata is not known. */
export function matchMetadata(
  matcher: FieldReader,
  path: string,
  metadata: DynamicMetadata | undefined,
): Match {
  if (metadata === undefined)
    return { verdict: 'depends', reason: 'it depends on metadata that filters set', path };
  const namespace = matcher.string('filter');
  const keys = matcher.objects('path').map((each) => each.string('key'));
  return matchFound(matcher, path, findMetadata(metadata, namespace, keys));
}

/** An envoy.type.matcher.v3.MetadataMatcher of the metadata of a resource. */
export function matchMetadataOf(matcher: FieldReader, path: string, owner: FieldReader): Match {
  const keys = matcher.objects('path').map((each) => each.string('key'));
  const all = owner.object('metadata')?.object('filterMetadata')?.json;
  return matchFound(matcher, path, valueAt(all, [matcher.string('filter'), ...keys]));
}

/** The fields value and invert, which an envoy.extensions.matching.input_matchers.metadata.v3.Metadata has, too. */
export function matchFound(matcher: FieldReader, path: string, found: MetadataValue): Match {
  if (found.kind === 'depends') return { verdict: 'depends', reason: found.reason, path };
  const isInverted = matcher.boolean('invert');
  const wanted = matcher.object('value');
  const holds = wanted !== undefined && matchValue(wanted, found, path);
  if (typeof holds !== 'boolean') return holds;
  const name = [matcher.string('filter'), ...matcher.objects('path').map((each) => each.string('key'))];
  const is = found.kind === 'absent' ? 'absent' : JSON.stringify(found.value);
  return matchIf(
    holds !== isInverted,
    path,
    () =>
      `metadata ${name.join('.')} is ${is}, and must ${isInverted ? 'not ' : ''}match ${JSON.stringify(wanted?.json ?? {})}`,
  );
}

/** An envoy.type.matcher.v3.ValueMatcher. Returns a Match if it is not known whether it holds. */
function matchValue(matcher: FieldReader, found: MetadataValue, path: string): boolean | Match {
  const value = found.kind === 'value' ? found.value : undefined;
  if (matcher.has('nullMatch')) return value === null;
  if (matcher.has('presentMatch')) return matcher.boolean('presentMatch') && found.kind === 'value';
  if (matcher.has('boolMatch')) return value === matcher.boolean('boolMatch');
  const number = matcher.object('doubleMatch');
  if (number !== undefined) {
    if (typeof value !== 'number') return false;
    const range = number.object('range');
    if (range === undefined) return value === (number.number('exact') ?? 0);
    return value >= (range.number('start') ?? 0) && value < (range.number('end') ?? 0);
  }
  const text = matcher.object('stringMatch');
  if (text !== undefined) {
    if (typeof value !== 'string') return false;
    const result = matchString(text, value);
    return result.kind === 'known' ? result.holds : { verdict: 'depends', reason: result.reason, path };
  }
  const item = matcher.object('listMatch')?.object('oneOf');
  if (item !== undefined)
    return anyOf(
      (Array.isArray(value) ? value : []).map((each) =>
        matchValue(item, { kind: 'value', value: each }, path),
      ),
    );
  const either = matcher.object('orMatch')?.objects('valueMatchers');
  if (either !== undefined) return anyOf(either.map((each) => matchValue(each, found, path)));
  return { verdict: 'depends', reason: 'the kind of the metadata matcher is not known', path };
}

function anyOf(results: readonly (boolean | Match)[]): boolean | Match {
  if (results.includes(true)) return true;
  const open = results.flatMap((each) => (typeof each === 'boolean' ? [] : [each]));
  return open.length === 0 ? false : matchAny(open);
}
