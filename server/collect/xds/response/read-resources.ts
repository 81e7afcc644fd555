import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '@/lib/format/message-of';
import { type FollowOptions, followedReferences } from '@/lib/model/followed-references';
import type { Reference } from '@/lib/model/references';
import type { ReceivedResource } from '@/lib/observation/observation';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { InspectedResource } from '../../../codec/inspect-resource';
import { sha256 } from '../../../codec/sha256';
import type { Body } from '../../../observe';
import type { CachedResource } from './cached-resource';
import { readEntries } from './read-entries';
import type { ReadResource } from './read-resource';
import type { Repeats } from './repeats';
import type { ResourceCodec } from './resource-codec';
import type { Validator } from './resource-validator';
import type { KeptEntry, ResponseEnvelope } from './response-envelope';

/** A response after comparison with the held resources. */
export interface ReadResponse {
  readonly resources: readonly ReadResource[];
  /** The reasons for a NACK. Empty for an ACK. */
  readonly problems: readonly string[];
  /** The problems of a response that is ACKed nevertheless. */
  readonly remarks: readonly string[];
  /** The resources whose bytes were not held. */
  readonly received: readonly ReceivedResource[];
  /** The number of resources that equal the held ones, including those of `repeats`, which are not among `resources`. */
  readonly unchanged: number;
  readonly repeats: Pick<Repeats, 'count' | 'has'> | null;
  /** False if `resources` contains each name once. */
  readonly hasCopies: boolean;
  readonly hasTtls: boolean;
  readonly bodies: readonly Body[];
}

export interface ReadOptions {
  readonly codec: ResourceCodec;
  /** Finds the held resource of a normalised name. */
  readonly find: (name: string) => Pick<CachedResource, 'digest' | 'wireBytes'> | undefined;
  readonly validate: Validator;
  /** Skips resources that equal the held ones. */
  readonly repeats?: Repeats | undefined;
  /** True if a resource that cannot be read is a reason for a NACK. An observer ACKs it, and stores its payload. */
  readonly rejectsUnreadable: boolean;
  /** Determines which references of this type are followed; null: none. */
  readonly follow: FollowOptions | null;
  /** Aborted when the client stops. */
  readonly signal: AbortSignal;
}

const noNames: readonly string[] = [];
/** This list is shared by the many resources without references, such as endpoints. */
const noKeys: readonly ResourceKey[] = [];

/** The longest time for which the event loop is blocked. */
const sliceMs = 8;
/** The clock is read once for this many entries, because reading it costs more than skipping one. A kilobyte counts as an entry. */
const entriesPerCheck = 16;

/**
 * Decodes, redacts and hashes the resources that differ from the held ones, whose digests are compared first. Works in
 * slices of the event loop. Resolves to undefined when aborted. Releases the bytes of the envelope.
 */
export async function readResources(
  envelope: ResponseEnvelope,
  { codec, find, validate, repeats, rejectsUnreadable, follow, signal }: ReadOptions,
): Promise<ReadResponse | undefined> {
  const { typeUrl } = envelope;
  const resources: ReadResource[] = [];
  const problems: string[] = [];
  const remarks: string[] = [];
  const received: ReceivedResource[] = [];
  const bodies: Body[] = [];
  let hasCopies = false;
  let hasTtls = false;
  let unchanged = 0;
  let sliceEndsAt = performance.now() + sliceMs;
  let untilCheck = entriesPerCheck;
  for (const found of readEntries(envelope, codec.nameOf, repeats)) {
    if (--untilCheck <= 0) {
      untilCheck = entriesPerCheck;
      if (performance.now() > sliceEndsAt) {
        await nextTurn();
        if (signal.aborted) return undefined;
        sliceEndsAt = performance.now() + sliceMs;
      }
    }
    hasCopies ||= found.kind === 'problem';
    if (found.kind === 'problem' && !rejectsUnreadable) remarks.push(found.reason);
    // Two copies of a resource are not rejected, and both are read (measured: C-core, Node).
    const entry = found.kind === 'problem' ? (found.copy ?? found) : found;
    if (entry.kind === 'problem') {
      if (!rejectsUnreadable) continue;
      problems.push(entry.reason);
      if (entry.name !== null) resources.push(rejectedAs(entry.name, '', entry.reason, null));
      continue;
    }
    const name = normaliseResourceName(entry.name);
    if (entry.kind === 'heartbeat') {
      const { version, ttlMs } = entry;
      hasTtls ||= ttlMs !== null;
      unchanged += 1;
      resources.push({ kind: 'heartbeat', name, version, ttlMs });
      continue;
    }
    if (entry.kind === 'kept') {
      const isHeld = find(name)?.digest === entry.held.digest;
      const read = isHeld ? unchangedAs(name) : newAs(name, entry);
      if (read.kind === 'new') received.push({ name, hash: read.hash, sizeBytes: read.sizeBytes });
      else unchanged += 1;
      resources.push(read);
      continue;
    }
    const { bytes, apiVersion, version, ttlMs } = entry;
    hasTtls ||= ttlMs !== null;
    const aliases = entry.aliases.length === 0 ? noNames : entry.aliases.map(normaliseResourceName);
    untilCheck -= bytes.length >> 10;
    const held = find(name);
    const digest = held?.digest != null && held.wireBytes === bytes.length ? sha256(bytes) : null;
    if (digest !== null && digest === held?.digest) {
      unchanged += 1;
      resources.push({ kind: 'unchanged', name, version, ttlMs, aliases });
      continue;
    }
    const inspecting = inspect(codec, { typeUrl, bytes }, { withReferences: follow !== null });
    const inspected = inspecting instanceof Promise ? await inspecting : inspecting;
    if (inspecting instanceof Promise && signal.aborted) return undefined;
    const { body, problem, references } = inspected;
    if (body !== null) {
      bodies.push(body);
      received.push({ name, hash: body.hash, sizeBytes: body.bytes.length });
    }
    const reason = `"${name}": ${bytes.length} bytes do not decode: ${problem}`;
    if (problem !== null && !rejectsUnreadable) remarks.push(reason);
    if (body === null && !rejectsUnreadable) {
      // Nothing is known about it, so that the held resource stays.
      resources.push({ kind: 'heartbeat', name, version, ttlMs });
      continue;
    }
    if (body === null || (problem !== null && rejectsUnreadable)) {
      problems.push(reason);
      resources.push(rejectedAs(name, version, reason, body?.hash ?? null));
      continue;
    }
    // The message of a violation contains the value and is logged and sent, so the redacted body is validated.
    const validating = validate(typeUrl, body.bytes);
    const violation = validating instanceof Promise ? await validating.catch(messageOf) : validating;
    if (validating instanceof Promise && signal.aborted) return undefined;
    if (violation !== null) {
      const reason = `"${name}": ${violation}`;
      problems.push(reason);
      resources.push(rejectedAs(name, version, reason, body.hash));
      continue;
    }
    const follows = follow === null ? noKeys : followedNames(references, follow);
    resources.push({
      kind: 'new',
      name,
      version,
      ttlMs,
      aliases,
      // A body without redactions is hashed already.
      digest: body.bytes === bytes ? body.hash : (digest ?? sha256(bytes)),
      wireBytes: bytes.length,
      hash: body.hash,
      sizeBytes: body.bytes.length,
      follows,
      apiVersion,
    });
  }
  envelope.resources.release?.();
  return {
    resources,
    problems,
    remarks,
    received,
    unchanged: unchanged + (repeats?.count ?? 0),
    repeats: repeats ?? null,
    hasCopies,
    hasTtls,
    bodies,
  };
}

/** Only large resources return a promise, so that 30,000 small ones need no turns of the microtask queue. */
function inspect(
  codec: ResourceCodec,
  resource: { readonly typeUrl: string; readonly bytes: Uint8Array },
  options: Parameters<ResourceCodec['inspect']>[1],
): InspectedOrNot | Promise<InspectedOrNot> {
  const inspected = codec.inspect(resource, options);
  if (!(inspected instanceof Promise)) return inspected;
  return inspected.catch((error: unknown) => ({
    body: null,
    problem: messageOf(error),
    references: [],
  }));
}

/** There is no body if the codec failed, because only redacted bytes are stored. */
type InspectedOrNot = Omit<InspectedResource, 'body'> & { readonly body: Body | null };

function unchangedAs(name: string): ReadResource {
  return { kind: 'unchanged', name, version: '', ttlMs: null, aliases: noNames };
}

/** Restores a resource that was held when its element arrived. The held fields replace reading its bytes. */
function newAs(name: string, { held }: KeptEntry): ReadResource & { readonly kind: 'new' } {
  const { digest, wireBytes, follows, state } = held;
  const { hash, sizeBytes, apiVersion } = state;
  const body = { digest, wireBytes, hash, sizeBytes, follows, apiVersion: apiVersion ?? ('v3' as const) };
  return { kind: 'new', name, version: '', ttlMs: null, aliases: noNames, ...body };
}

function rejectedAs(name: string, version: string, reason: string, failedHash: string | null): ReadResource {
  return { kind: 'rejected', name: normaliseResourceName(name), version, reason, failedHash };
}

/** Returns the resources to which a client subscribes because of these references. */
export function followedNames(
  references: readonly Reference[],
  options: FollowOptions,
): readonly ResourceKey[] {
  if (references.length === 0) return noKeys;
  return followedReferences(references, options).map(({ typeUrl, name }) => ({
    typeUrl,
    name: normaliseResourceName(name),
  }));
}
