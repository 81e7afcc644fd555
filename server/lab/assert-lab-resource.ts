import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { encodeBody } from '../codec/encode-body';
import { peekResourceName } from '../codec/resource-name';
import type { Resource } from './management-server/snapshot-store';

/** A resource that a user sets: proto3 JSON, or raw bytes that need not be a valid message. */
export interface LabResourceInput {
  readonly typeUrl: string;
  /** Read from the resource if absent. */
  readonly name?: string | undefined;
  readonly resource?: unknown;
  readonly valueBase64?: string | undefined;
}

/** Throws an error with the expected and the actual value. */
export function assertLabResource(input: LabResourceInput): Resource {
  const { name, resource, valueBase64 } = input;
  const typeUrl = normaliseTypeUrl(input.typeUrl);
  if (typeUrl === '') throw new Error('typeUrl: expected a type URL, got nothing');
  if ((resource === undefined) === (valueBase64 === undefined)) {
    throw new Error('resource: expected either resource (proto3 JSON) or valueBase64 (raw bytes)');
  }
  const bytes =
    valueBase64 === undefined ? encodeBody(typeUrl, resource) : Buffer.from(valueBase64, 'base64');
  const own = peekResourceName(typeUrl, bytes);
  if (valueBase64 === undefined && name !== undefined && own !== undefined && name !== own) {
    throw new Error(`name: expected "${own}" as in the resource, got "${name}"`);
  }
  const found = name ?? own;
  if (found === undefined || found === '') {
    throw new Error('name: expected one, there is none in the resource either');
  }
  return { typeUrl, name: found, bytes };
}
