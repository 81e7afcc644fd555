import { createSerializer, parseAsString } from 'nuqs/server';

export const serverChecksSearchParams = {
  /** The id of a run. */
  run: parseAsString.withDefault(''),
  /** The id of a check. */
  check: parseAsString.withDefault(''),
};

const serialize = createSerializer(serverChecksSearchParams);

export function serverChecksHref(chosen: { readonly run?: string; readonly check?: string }): string {
  return serialize('/interop/servers', chosen);
}
