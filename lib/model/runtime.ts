import type { FieldReader } from './field-reader';

/** The values of an Envoy's runtime by key, as in {"routing.canary": 5}. */
export type RuntimeValues = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads an envoy.config.bootstrap.v3.LayeredRuntime: "Layers are applied in order". undefined if one is not static, so that what it
 * has is not in the bootstrap.
 */
export function readRuntime(runtime: FieldReader | undefined): RuntimeValues | undefined {
  const layers = runtime?.objects('layers') ?? [];
  if (layers.length === 0 || !layers.every((layer) => layer.has('staticLayer'))) return undefined;
  return Object.fromEntries(
    layers.flatMap((layer) => [...valuesOf(layer.object('staticLayer')?.json ?? {})]),
  );
}

/** A struct is the prefix of further keys, unless it is a FractionalPercent. */
function* valuesOf(layer: Json, prefix = ''): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(layer)) {
    if (isJson(value) && !('numerator' in value || 'denominator' in value))
      yield* valuesOf(value, `${prefix}${key}.`);
    else yield [`${prefix}${key}`, value];
  }
}

/** Gives each fraction with a runtime key in proto3 JSON the value that it has, and leaves out the key: nothing else can set it. */
export function withRuntime<T>(json: T, runtime: RuntimeValues | undefined): T {
  return runtime === undefined ? json : (apply(json, runtime) as T);
}

function apply(json: unknown, runtime: RuntimeValues): unknown {
  if (Array.isArray(json)) {
    const applied = json.map((each) => apply(each, runtime));
    return applied.every((each, at) => each === json[at]) ? json : applied;
  }
  if (!isJson(json)) return json;
  const { runtimeKey, ...rest } = json;
  if (typeof runtimeKey === 'string' && isJson(rest.defaultValue)) {
    const value = Object.hasOwn(runtime, runtimeKey) ? runtime[runtimeKey] : rest.defaultValue;
    return { ...rest, defaultValue: typeof value === 'number' ? { numerator: value } : value };
  }
  const applied = Object.entries(json).map(([key, value]) => [key, apply(value, runtime)] as const);
  return applied.every(([key, value]) => value === json[key]) ? json : Object.fromEntries(applied);
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
