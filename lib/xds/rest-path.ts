import { findResourceType, resourceTypes } from './resource-type';

export type ApiVersion = 'v3' | 'v2';

/** The last part of each type's path (xDS REST-JSON). VHDS is delta only, so it has none. */
const nouns = new Map([
  ['LDS', 'listeners'],
  ['RDS', 'routes'],
  ['SRDS', 'scoped-routes'],
  ['CDS', 'clusters'],
  ['EDS', 'endpoints'],
  ['SDS', 'secrets'],
  ['RTDS', 'runtime'],
  ['ECDS', 'extension_configs'],
]);

/** Where a type is polled, as in "/v3/discovery:clusters"; undefined for a type that REST does not have. */
export function findRestPath(typeUrl: string, apiVersion: ApiVersion): string | undefined {
  const noun = nouns.get(findResourceType(typeUrl)?.service ?? '');
  return noun === undefined ? undefined : `/${apiVersion}/discovery:${noun}`;
}

/** The other way round: what a path asks for, by the v3 type URL. */
export function findTypeOfRestPath(path: string): { typeUrl: string; apiVersion: ApiVersion } | undefined {
  for (const apiVersion of ['v3', 'v2'] as const) {
    const found = resourceTypes.find(({ typeUrl }) => findRestPath(typeUrl, apiVersion) === path);
    if (found !== undefined) return { typeUrl: found.typeUrl, apiVersion };
  }
  return undefined;
}
