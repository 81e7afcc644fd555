import type { ResourceType } from '@/lib/xds/resource-type';

/** A resource that Envoy rejects. */
export interface NackCase {
  readonly type: ResourceType;
  readonly title: string;
  readonly name: string;
  /** The resource in proto3 JSON. */
  readonly resource: object;
  /** The field that is wrong, or missing, in proto3 JSON; '' if it is the whole resource. */
  readonly field: string;
  /** The cause as Envoy words it, without the dump of the message and without the path; by version where that differs. */
  readonly cause: string | Readonly<Record<string, string>>;
  /** The resource is served twice in one response. */
  readonly isTwice?: boolean;
  /** Bytes are appended that make the message undecodable. */
  readonly isUndecodable?: boolean;
}

export type CaseOf = (
  title: string,
  resource: object,
  field: string,
  cause: NackCase['cause'],
  options?: Pick<NackCase, 'isTwice' | 'isUndecodable'>,
) => NackCase;

export function casesOf(type: ResourceType, name: string): CaseOf {
  return (title, resource, field, cause, options = {}) => ({
    ...{ type, title, name, resource, field, cause },
    ...options,
  });
}

export const ads = { ads: {}, resourceApiVersion: 'V3' };

export const socket = (address = '127.0.0.1', portValue = 9) => ({ socketAddress: { address, portValue } });

/** A message in an Any. */
export const any = (message: string, fields: object = {}) => ({
  '@type': `type.googleapis.com/${message}`,
  ...fields,
});

/** An Any whose bytes are not a message of its type. */
export const garbage = (message: string) => any(message, { 'xdscope.opaque': { valueBase64: '/w==' } });

/** An extension that no Envoy has. */
export const unknown = (name: string) => ({
  name: `acme.${name}`,
  typedConfig: any(`acme.${name}.Config`, { 'xdscope.opaque': { valueBase64: '' } }),
});
export const unknownCause = (name: string) =>
  `Didn't find a registered implementation for 'acme.${name}' with type URL: 'acme.${name}.Config'`;
