import type { FieldSize } from '@/lib/views/sizes/schema';
import { Compute } from '../workers/compute';
import type { JobOptions } from '../workers/job-queue';
import { wholeBuffer } from '../workers/threads/whole-buffer';
import { CodecError } from './codec-error';
import { type CodecJobKind, type CodecJobs, codecJobRunners, codecJobs, type TypedBytes } from './codec-job';
import { type DecodedBody, type DecodeOptions, decodeBody } from './decode-body';
import type { ReportedClients } from './decode-client-status';
import type { DocumentFormat, DocumentResult } from './discovery-document';
import { encodeBody } from './encode-body';
import { type InspectedResource, inspectResource } from './inspect-resource';
import { redactJson } from './redact-json';
import { createRedactionMarker, keyedDigest } from './redaction-marker';
import type { RenderedBody, RenderFormat } from './render-body';
import { peekResourceName } from './resource-name';
import { setUserTypes } from './root';
import { type SanitizedBody, sanitizeBody } from './sanitize-body';
import { redactObservation } from './secrets/redact-observation';
import type { CheckedDescriptorSet, UserType } from './user-types';

export type { DecodedBody } from './decode-body';
export type { ReportedClient, ReportedClients, ReportedResource } from './decode-client-status';
export type { DiscoveryDocument, DocumentFormat, DocumentResult } from './discovery-document';
export type { InspectedResource } from './inspect-resource';
export type { RenderedBody, RenderFormat } from './render-body';
export type { SanitizedBody } from './sanitize-body';
export type { CheckedDescriptorSet, UserType } from './user-types';

interface CodecOptions {
  /** Key of the digests in redaction markers. With the same key after a restart, a secret keeps its marker. */
  readonly redactionKey: Uint8Array;
  /** Larger input is processed in the worker thread, off the event loop. */
  readonly inPlaceBytes?: number;
  /** Limits the time of one job in the worker. */
  readonly deadlineMs?: number;
  /** The threads for large input; by default threads of its own. */
  readonly compute?: Compute;
}

export type Codec = ReturnType<typeof createCodec>;

/** Decodes, encodes, redacts and checks messages. If the worker for large input fails, it rejects with a CodecError. */
export function createCodec({
  redactionKey,
  inPlaceBytes = 256 * 1024,
  deadlineMs = 60_000,
  compute = new Compute(),
}: CodecOptions) {
  const marker = createRedactionMarker(redactionKey);
  const runners = codecJobRunners(marker);
  const queue = compute.queue(
    codecJobs,
    { redactionKey },
    {
      owner: 'the codec',
      doing: 'decoding',
      deadlineMs,
      errorOf: (message) => new CodecError(message),
    },
  );
  async function run<K extends CodecJobKind>(
    kind: K,
    input: CodecJobs[K]['input'],
    sizeBytes: number,
    options?: JobOptions,
  ): Promise<CodecJobs[K]['output']> {
    return sizeBytes > inPlaceBytes ? queue.run(kind, input, options) : runners[kind](input);
  }
  return {
    sanitizeBody: (typeUrl: string, bytes: Uint8Array): SanitizedBody => sanitizeBody(typeUrl, bytes, marker),
    /** Redacts JSON of a Node, in which secrets are recognised by the names of keys too. */
    redactNode: <T>(json: T): T => redactJson(json, marker),
    redactObservation: <T>(observation: T): T => redactObservation(observation, marker),
    decode: decodeBody,
    /** Returns the results in the order of `bodies`. */
    decodeMany(
      bodies: readonly TypedBytes[],
      { signal, ...options }: DecodeOptions & Pick<JobOptions, 'signal'> = {},
    ): Promise<DecodedBody[]> {
      const whole = bodies.map(({ typeUrl, bytes }) => ({ typeUrl, bytes: wholeBuffer(bytes) }));
      const sizeBytes = bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return run('decode', { ...options, bodies: whole }, sizeBytes, { signal });
    },
    render: (
      { typeUrl, bytes }: TypedBytes,
      format: RenderFormat,
      signal?: AbortSignal,
    ): Promise<RenderedBody> =>
      run('render', { typeUrl, bytes: wholeBuffer(bytes), format }, bytes.length, { signal }),
    measure: ({ typeUrl, bytes }: TypedBytes, signal?: AbortSignal): Promise<readonly FieldSize[]> =>
      run('measure', { typeUrl, bytes: wholeBuffer(bytes) }, bytes.length, { signal }),
    decodeClientStatus: (answer: Uint8Array): Promise<ReportedClients> =>
      run('clientStatus', wholeBuffer(answer), answer.length),
    /** Returns a promise only if the worker inspects the resource. */
    inspect: (
      { typeUrl, bytes }: TypedBytes,
      { withReferences }: { readonly withReferences: boolean },
    ): InspectedResource | Promise<InspectedResource> =>
      bytes.length > inPlaceBytes
        ? queue.run('inspect', { typeUrl, bytes: wholeBuffer(bytes), withReferences })
        : inspectResource(typeUrl, bytes, withReferences, marker),
    /** Reads a DiscoveryResponse that was not received over gRPC. */
    readDocument: (bytes: Uint8Array, format: DocumentFormat): Promise<DocumentResult> =>
      run('discoveryDocument', { bytes: wholeBuffer(bytes), format }, bytes.length),
    /** Checks a FileDescriptorSet against the types of other sets, always in the worker. */
    checkDescriptorSet: (bytes: Uint8Array, others: readonly UserType[]): Promise<CheckedDescriptorSet> =>
      queue.run('checkDescriptorSet', { bytes: wholeBuffer(bytes), others }),
    /** Replaces the types of users in this thread and in all threads that start from now on. */
    setUserTypes(types: readonly UserType[]): void {
      setUserTypes(types);
      queue.renew();
    },
    encode: encodeBody,
    /** Returns a keyed digest, which identifies bytes that may contain secrets. */
    digest: (bytes: Uint8Array): string => keyedDigest(redactionKey, bytes),
    nameOf: peekResourceName,
    /** Ends the worker and rejects running jobs. */
    close: (): Promise<void> => queue.close(),
  };
}
