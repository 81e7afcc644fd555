import { EDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { decodeSplit } from '@/server/xds/response/decode-response';
import { readResources } from '@/server/xds/response/read-resources';
import { ResponseReader } from '@/server/xds/response/response-reader';
import { chunkBytes } from './fed-client';

interface Cached {
  readonly digest: string;
  readonly wireBytes: number;
}

const nothingBroken = () => null;

/**
 * What our probe does with the bytes of a response, with its own code, and what NodeClientParsing is beside: cutting it
 * while it comes in, then of each resource validity, name, references, redaction and hash, and the comparison with what
 * is cached. Left out, as there: streams, requests, timers, watchers, observations.
 */
export class OwnParsing {
  readonly #codec = createCodec({ redactionKey: new Uint8Array(32) });
  readonly #cached = new Map<string, Map<string, Cached>>();

  /** How many resources are others than before. */
  async feed(message: Buffer): Promise<number> {
    const reader = new ResponseReader(message.length, false, () => undefined);
    for (let at = 0; at < message.length; at += chunkBytes)
      reader.write(message.subarray(at, at + chunkBytes));
    const as = { isDelta: false, apiVersion: 'v3', typeUrl: null } as const;
    const decoded = decodeSplit(reader.finish(), message.length, as);
    if (decoded.kind === 'unreadable') throw new Error(`bench: ${decoded.reason}`);
    const { envelope } = decoded;
    const cached = this.#cached.get(envelope.typeUrl) ?? new Map<string, Cached>();
    this.#cached.set(envelope.typeUrl, cached);
    const read = await readResources(envelope, {
      codec: this.#codec,
      validate: nothingBroken,
      takesDuplicates: false,
      find: (name) => cached.get(name),
      follow: envelope.typeUrl !== EDS.typeUrl,
      signal: new AbortController().signal,
    });
    if (read === undefined || read.problems.length > 0) throw new Error('bench: expected all to be taken');
    let changed = 0;
    for (const resource of read.resources) {
      if (resource.kind !== 'new') continue;
      cached.set(resource.name, { digest: resource.digest, wireBytes: resource.wireBytes });
      changed++;
    }
    return changed;
  }
}
