import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { Codec } from '../../../codec/codec';
import type { Body } from '../../../observe';
import { readEntries } from '../../xds/response/read-entries';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';

export interface PassedResource {
  /** Null if the name is unreadable. */
  readonly name: string | null;
  /** The resource's own version. Empty in state of the world. */
  readonly version: string;
  /** Delta: further names by which the client may have requested it. Absent: none. */
  readonly aliases?: readonly string[];
  /** Null for a heartbeat and for an unreadable resource. */
  readonly body: Body | null;
  readonly apiVersion: 'v3' | 'v2';
}

/** A response, or the part of it that the client accepts. */
export interface AcceptedResponse {
  readonly versionInfo: string;
  readonly isDelta: boolean;
  readonly resources: readonly PassedResource[];
}

interface Known {
  readonly name: string | undefined;
  readonly body: Body;
}

/** Limits the cached bodies. */
const keptBytes = 128 * 1024 * 1024;

/**
 * Reads the names, redacted bodies and hashes of resources. Thousands of clients receive the same bytes, so results are
 * cached by the digest of the bytes.
 */
export class ResourceReader {
  readonly #codec: Pick<Codec, 'nameOf' | 'sanitizeBody'>;
  readonly #known = new LRUCache<string, Known>({
    maxSize: keptBytes,
    sizeCalculation: ({ body }) => body.bytes.length + 300,
  });
  /** The last element whose name readEntries() has requested. */
  #last: { readonly bytes: Uint8Array; readonly known: Known } | undefined;

  constructor(codec: Pick<Codec, 'nameOf' | 'sanitizeBody'>) {
    this.#codec = codec;
  }

  read(envelope: ResponseEnvelope): PassedResource[] {
    const { typeUrl } = envelope;
    const passed: PassedResource[] = [];
    const nameOf = (type: string, bytes: Uint8Array): string | undefined => this.#find(type, bytes).name;
    for (const found of readEntries(envelope, nameOf)) {
      const entry = found.kind === 'problem' ? (found.copy ?? found) : found;
      if (entry.kind === 'problem') {
        passed.push({ name: entry.name, version: '', body: null, apiVersion: envelope.apiVersion });
        continue;
      }
      const name = normaliseResourceName(entry.name);
      const { version } = entry;
      const resource =
        entry.kind === 'heartbeat'
          ? { name, version, body: null, apiVersion: envelope.apiVersion }
          : { name, version, body: this.#find(typeUrl, entry.bytes).body, apiVersion: entry.apiVersion };
      const aliases = entry.aliases.map(normaliseResourceName);
      passed.push(aliases.length === 0 ? resource : { ...resource, aliases });
    }
    this.#last = undefined;
    return passed;
  }

  #find(typeUrl: string, bytes: Uint8Array): Known {
    if (this.#last?.bytes === bytes) return this.#last.known;
    const digest = createHash('sha256').update(typeUrl).update('\u0000').update(bytes).digest('base64');
    let known = this.#known.get(digest);
    if (known === undefined) {
      const { body } = this.#codec.sanitizeBody(typeUrl, bytes);
      // The body must not retain the complete message in memory.
      const own = body.bytes.buffer === bytes.buffer ? { ...body, bytes: Uint8Array.from(body.bytes) } : body;
      known = { name: this.#codec.nameOf(typeUrl, bytes), body: own };
      this.#known.set(digest, known);
    }
    this.#last = { bytes, known };
    return known;
  }
}
