import { createSerializer, parseAsString } from 'nuqs/server';

export const serverChecksSearchParams = {
  /** The id of a run. */
  run: parseAsString.withDefault(''),
  /** The id of a check. */
  check: parseAsString.withDefault(''),
};

const { check } = serverChecksSearchParams;
export const sharedRunSearchParams = { check };

/** The page of a permalink, or of one of its checks. */
export const sharedRunHref = createSerializer(sharedRunSearchParams);

const serialize = createSerializer(serverChecksSearchParams);

export function serverChecksHref(chosen: { readonly run?: string; readonly check?: string }): string {
  return serialize('/interop/servers', chosen);
}
