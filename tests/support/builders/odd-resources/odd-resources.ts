import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { CodecError } from '@/server/codec/codec-error';
import { encodeResource, type Json } from '../../../lib/validate/cases/mutation';
import { tableResources } from '../../../lib/validate/conformance-cases/all-cases';
import { bases, nested, unbound } from './bases';
import { deriveVariants } from './derive-variants';

/** A resource that is at the limits of what clients accept, or beyond them. */
export interface OddResource {
  /** Unique, as in "cluster: connectTimeout: zero". */
  readonly title: string;
  readonly typeUrl: string;
  /** The resource for a client that subscribes to `name`. A case about the name has the same name for each client. */
  bytes(name: string): Uint8Array;
}

/**
 * The resources of the tables of lib/validate, which state one case for each condition of a rule, and every change of one
 * field of valid resources. The list is the same in every run.
 */
export function buildOddResources(): OddResource[] {
  const found: OddResource[] = [];
  const seen = new Set<string>();
  const add = (resource: OddResource): void => {
    const content = `${resource.typeUrl} ${Buffer.from(resource.bytes('tested')).toString('latin1')}`;
    if (seen.has(content)) return;
    seen.add(content);
    found.push(resource);
  };
  for (const { title, typeUrl, nameField, resource } of tableResources()) {
    const isSocket = typeUrl === LDS.typeUrl && resource.apiListener === undefined;
    add(oddResource(title, typeUrl, isSocket ? { ...resource, ...unbound } : resource, nameField));
  }
  for (const { name, typeUrl, nameField, resource } of bases) {
    add(oddResource(`${name}: valid`, typeUrl, resource, nameField));
    for (const variant of deriveVariants(typeUrl, resource)) {
      const isAboutName = variant.label.startsWith(`${nameField}: `);
      const title = `${name}: ${variant.label}`;
      add(oddResource(title, typeUrl, variant.resource, isAboutName ? undefined : nameField));
    }
  }
  for (const { name, typeUrl, nameField, resource } of nested) {
    add(oddResource(name, typeUrl, resource, nameField));
  }
  for (const { service, typeUrl } of [LDS, RDS, CDS, EDS, SDS]) {
    add({ title: `${service}: no message`, typeUrl, bytes: () => Buffer.from([0xff]) });
    add({ title: `${service}: no bytes`, typeUrl, bytes: () => Buffer.alloc(0) });
  }
  return found;
}

function oddResource(
  title: string,
  typeUrl: string,
  resource: Json,
  nameField: string | undefined,
): OddResource {
  return {
    title,
    typeUrl,
    bytes(name) {
      const named = nameField === undefined ? resource : { ...resource, [nameField]: name };
      try {
        return encodeResource(typeUrl, named);
      } catch (error) {
        throw error instanceof CodecError ? new Error(`${title}: ${error.message}`) : error;
      }
    },
  };
}
