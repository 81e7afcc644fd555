import { duplicateName } from '@/lib/xds/duplicate-name';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Repeats } from './repeats';
import type {
  AnyFields,
  DurationFields,
  EntryProblem,
  RepeatingEntry,
  ResponseEntry,
  ResponseEnvelope,
  WireResource,
  WrapperFields,
} from './response-envelope';
import { readWrapperFields } from './wire-resource';

/** Reads the name of a resource from its bytes: '' if its type has none, undefined if they are not of that type. */
type NameOf = (typeUrl: string, bytes: Uint8Array) => string | undefined;

const wrapperTypeUrl = 'type.googleapis.com/envoy.service.discovery.v3.Resource';
const noBytes = new Uint8Array(0);
const noNames: readonly string[] = [];
const noWrapper: WrapperFields = {};

/**
 * Yields the entries of a response one by one, so that the reader can yield to the event loop. A second resource with the
 * same name is a problem (xDS protocol: the client must NACK it), and the first one is used, as in C-core. So is a name that
 * is both sent and removed, or both sent and in error (Envoy; TP3). Repeats of held resources are omitted.
 */
export function readEntries(envelope: ResponseEnvelope, nameOf: NameOf): Generator<ResponseEntry>;
export function readEntries(
  envelope: ResponseEnvelope,
  nameOf: NameOf,
  repeats: Repeats | undefined,
): Generator<RepeatingEntry>;
export function* readEntries(
  envelope: ResponseEnvelope,
  nameOf: NameOf,
  repeats?: Repeats,
): Generator<RepeatingEntry> {
  const { isDelta, typeUrl, removedResources, resourceErrors } = envelope;
  for (const reason of envelope.problems) yield { kind: 'problem', name: null, reason };
  const seen = new Set<string>();
  const see = (name: string): boolean => {
    if (repeats !== undefined) return repeats.see(name);
    const count = seen.size;
    return seen.add(name).size > count;
  };
  for (let index = 0; index < envelope.resources.length; index++) {
    const repeated = repeats?.take(index) ?? 0;
    if (repeated > 0) {
      index += repeated - 1;
      continue;
    }
    const resource = envelope.resources.at(index);
    if (resource === undefined) continue;
    const entry = readElement(isDelta, typeUrl, resource, index, nameOf);
    if (entry.kind === 'problem') {
      yield entry;
    } else if (!see(normaliseResourceName(entry.name))) {
      const reason = `${placeOf(index, entry.name)}: expected one resource of this name, got another copy`;
      yield { kind: 'problem', name: null, reason, copy: entry };
    } else {
      yield entry;
    }
  }
  const isSent = (name: string): boolean => {
    const normalised = normaliseResourceName(name);
    return repeats === undefined ? seen.has(normalised) : repeats.contains(normalised);
  };
  for (const name of removedResources) {
    if (!isSent(name)) continue;
    yield problem(null, `removed_resources: expected "${name}" to be sent or removed, got both`);
  }
  for (const { name } of resourceErrors) {
    if (!isSent(name)) continue;
    yield problem(null, `resource_errors: expected "${name}" to be sent or in error, got both`);
  }
}

function readElement(
  isDelta: boolean,
  expectedTypeUrl: string,
  resource: WireResource,
  index: number,
  nameOf: NameOf,
): RepeatingEntry {
  if (resource.unreadable !== undefined) return unreadableAt(index, resource.unreadable);
  if (resource.kept !== undefined) return { kind: 'kept', ...resource.kept };
  return isDelta
    ? readWrapper(expectedTypeUrl, resource, index, nameOf)
    : readAny(expectedTypeUrl, resource, index, nameOf);
}

function unreadableAt(
  index: number,
  { name, reason }: { readonly name: string | null; readonly reason: string },
): EntryProblem {
  return problem(name, `${placeOf(index, name ?? undefined)}: ${reason}`);
}

/** In state of the world, a wrapping Resource is unwrapped before its type is checked. */
function readAny(expectedTypeUrl: string, any: AnyFields, index: number, nameOf: NameOf): ResponseEntry {
  const isPlain = any.type_url === expectedTypeUrl;
  if (isPlain || readTypeUrl(any.type_url ?? '').typeUrl !== wrapperTypeUrl)
    return readPayload(expectedTypeUrl, any, noWrapper, index, nameOf);
  const wrapper = readWrapperFields(any.value ?? noBytes);
  if (wrapper.unreadable !== undefined) return unreadableAt(index, wrapper.unreadable);
  return readWrapper(expectedTypeUrl, wrapper, index, nameOf);
}

function readWrapper(
  expectedTypeUrl: string,
  wrapper: WrapperFields,
  index: number,
  nameOf: NameOf,
): ResponseEntry {
  if (wrapper.resource !== null && wrapper.resource !== undefined) {
    return readPayload(expectedTypeUrl, wrapper.resource, wrapper, index, nameOf);
  }
  const name = nameOfWrapper(wrapper);
  if (name === undefined)
    return problem(null, `${placeOf(index)}: a wrapping Resource without name or resource`);
  const { version = '', aliases = noNames, ttl } = wrapper;
  return { kind: 'heartbeat', name, version, ttlMs: readTtlMs(ttl), aliases };
}

function readPayload(
  expectedTypeUrl: string,
  any: AnyFields,
  wrapper: WrapperFields,
  index: number,
  nameOf: NameOf,
): ResponseEntry {
  const stated = any.type_url ?? '';
  const wrapperName = nameOfWrapper(wrapper);
  const bytes = any.value ?? noBytes;
  const sent = stated === expectedTypeUrl ? undefined : readTypeUrl(stated);
  if (sent !== undefined && sent.typeUrl !== expectedTypeUrl) {
    const got = stated === '' ? 'no type URL' : `"${stated}"`;
    const place = placeOf(index, wrapperName);
    return problem(wrapperName ?? null, `${place}: expected type "${expectedTypeUrl}", got ${got}`);
  }
  const own = wrapperName ?? nameOf(expectedTypeUrl, bytes);
  // All resources of the response are without a name.
  const name = own === '' ? duplicateName('', index + 1) : own;
  if (name === undefined) {
    const reason = `no name can be read: ${bytes.length} bytes are not a ${expectedTypeUrl}, or have none`;
    return problem(null, `${placeOf(index)}: ${reason}`);
  }
  const { version = '', aliases = noNames, ttl } = wrapper;
  const apiVersion = sent?.apiVersion ?? 'v3';
  return { kind: 'resource', name, bytes, version, ttlMs: readTtlMs(ttl), aliases, apiVersion };
}

function nameOfWrapper({ name, resourceName }: WrapperFields): string | undefined {
  if (name !== undefined && name !== '') return name;
  return resourceName?.name || undefined;
}

/** A time to live of zero or less counts as none. */
function readTtlMs(ttl: DurationFields | null | undefined): number | null {
  if (ttl === null || ttl === undefined) return null;
  const { seconds = 0, nanos = 0 } = ttl;
  const ttlMs = (typeof seconds === 'number' ? seconds : seconds.toNumber()) * 1000 + nanos / 1e6;
  return ttlMs > 0 ? ttlMs : null;
}

function problem(name: string | null, reason: string): EntryProblem {
  return { kind: 'problem', name, reason };
}

function placeOf(index: number, name?: string): string {
  return name === undefined ? `resources[${index}]` : `resources[${index}] "${name}"`;
}
