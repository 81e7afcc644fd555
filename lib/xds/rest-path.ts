import { findResourceType, resourceTypes } from './resource-type';

export type ApiVersion = 'v3' | 'v2';

/** The last part of the path of each type (xDS REST-JSON). VHDS supports only delta and has none. */
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

/**
 * The path at which a type is polled, such as "/v3/discovery:clusters"; undefined if REST does not support the type.
 */
export function findRestPath(typeUrl: string, apiVersion: ApiVersion): string | undefined {
  const noun = nouns.get(findResourceType(typeUrl)?.service ?? '');
  return noun === undefined ? undefined : `/${apiVersion}/discovery:${noun}`;
}

/** The v3 type URL and API version that a path stands for. */
export function findTypeOfRestPath(path: string): { typeUrl: string; apiVersion: ApiVersion } | undefined {
  for (const apiVersion of ['v3', 'v2'] as const) {
    const found = resourceTypes.find(({ typeUrl }) => findRestPath(typeUrl, apiVersion) === path);
    if (found !== undefined) return { typeUrl: found.typeUrl, apiVersion };
  }
  return undefined;
}

/** The method of a stream of polls, as in "POST /v3/discovery:clusters". That of a probe has the URL. */
export function methodOfPolls(where: string): string {
  return `POST ${where}`;
}

export function isMethodOfPolls(method: string): boolean {
  return method.startsWith('POST ');
}
