import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { Codec } from '../../codec/codec';
import type { Body } from '../../observe';
import { readEntries } from '../../xds/response/read-entries';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';

/** One resource of a response that passed. */
export interface PassedResource {
  /** null: nobody can read a name of it. */
  readonly name: string | null;
  /** Its own; empty in state of the world. */
  readonly version: string;
  /** null: it only renews a time to live, or cannot be read. */
  readonly body: Body | null;
  readonly apiVersion: 'v3' | 'v2';
}

interface Known {
  readonly name: string | undefined;
  readonly body: Body;
}

/** Of bodies that are read once for all clients that get them. */
const keptBytes = 128 * 1024 * 1024;

/**
 * Reads the resources of responses: names, redacted bodies, hashes. Thousands of clients get the same bytes; who has
 * been read is found again by the digest of its bytes, and costs no more than that.
 */
export class ResourceReader {
  readonly #known = new LRUCache<string, Known>({
    maxSize: keptBytes,
    sizeCalculation: ({ body }) => body.bytes.length + 300,
  });
  /** Of the element that readEntries() has asked the name of last. */
  #last: { readonly bytes: Uint8Array; readonly known: Known } | undefined;

  constructor(private readonly codec: Pick<Codec, 'nameOf' | 'takeBody'>) {}

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
      if (entry.kind === 'heartbeat') {
        passed.push({ name, version: entry.version, body: null, apiVersion: envelope.apiVersion });
        continue;
      }
      const { version, bytes, apiVersion } = entry;
      passed.push({ name, version, body: this.#find(typeUrl, bytes).body, apiVersion });
    }
    this.#last = undefined;
    return passed;
  }

  #find(typeUrl: string, bytes: Uint8Array): Known {
    if (this.#last?.bytes === bytes) return this.#last.known;
    const digest = createHash('sha256').update(typeUrl).update('\u0000').update(bytes).digest('base64');
    let known = this.#known.get(digest);
    if (known === undefined) {
      const { body } = this.codec.takeBody(typeUrl, bytes);
      // The message that it is a part of may be large, and is gone soon.
      const own = body.bytes.buffer === bytes.buffer ? { ...body, bytes: Uint8Array.from(body.bytes) } : body;
      known = { name: this.codec.nameOf(typeUrl, bytes), body: own };
      this.#known.set(digest, known);
    }
    this.#last = { bytes, known };
    return known;
  }
}
