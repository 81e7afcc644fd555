import type { Field } from '../field';

/** The message in a TypedStruct, which may have the names of the proto; any other config as it is. */
export function messageOf(config: Field): Field {
  if (!config.isTypedStruct) return config;
  const value = config.at('value');
  return value.withValue(withJsonNames(value.value));
}

function withJsonNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withJsonNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      withJsonNames(each),
    ]),
  );
}
