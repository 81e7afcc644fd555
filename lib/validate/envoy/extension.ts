import type { Field } from '../field';

/** The config of an extension, and how the types begin that Envoy knows in its place. */
export interface Extension {
  readonly config: Field;
  /** Absent: a place where Envoy finds extensions only by their types. */
  readonly name?: string;
  readonly prefixes: readonly string[];
}

export const httpFilters = ['envoy.extensions.filters.http.', 'envoy.extensions.common.matching.'];

/** Returns the extension of a message with a name and a typed config; empty if the config comes from ECDS. */
export function extensionOf(field: Field, prefixes: readonly string[]): Extension[] {
  if (!field.exists || field.at('configDiscovery').exists) return [];
  return [{ config: field.at('typedConfig'), name: field.at('name').text, prefixes }];
}
