import type { FieldSize } from '@/lib/api/sizes';
import { wholeBuffer } from '../threads/whole-buffer';
import { type JobOptions, JobQueue } from '../workers/job-queue';
import { CodecError } from './codec-error';
import { type CodecJobKind, type CodecJobs, codecJobRunners, type TypedBytes } from './codec-job';
import type { CodecWorkerData } from './codec-worker';
import { type DecodedBody, type DecodeOptions, decodeBody } from './decode-body';
import type { ReportedClients } from './decode-client-status';
import type { DocumentFormat, DocumentResult } from './discovery-document';
import { encodeBody } from './encode-body';
import { type InspectedResource, type InspectOptions, inspectResource } from './inspect-resource';
import { KeyTextSearch } from './key-text-search';
import { redactJson } from './redact-json';
import { createRedactionMarker, keyedDigest } from './redaction-marker';
import type { RenderedBody, RenderFormat } from './render-body';
import { peekResourceName } from './resource-name';
import { setUserTypes } from './root';
import { type TakenBody, takeBody } from './take-body';
import type { CheckedDescriptorSet, UserType } from './user-types';

export type { OpaquePart } from './body-parts';
export type { DecodedBody } from './decode-body';
export type { ReportedClient, ReportedClients, ReportedResource } from './decode-client-status';
export type { DiscoveryDocument, DocumentFormat, DocumentResult } from './discovery-document';
export type { InspectedResource } from './inspect-resource';
export type { RenderedBody, RenderFormat } from './render-body';
export type { TakenBody } from './take-body';
export type { CheckedDescriptorSet, UserType } from './user-types';

export interface CodecOptions {
  /** Key of the digests in redaction markers. With the same key after a restart, a secret keeps its marker. */
  readonly redactionKey: Uint8Array;
  /** Larger input is processed in the worker thread, off the event loop. */
  readonly inPlaceBytes?: number;
  /** Limit for one job in the worker. */
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** The only protobufjs edge of the server besides the registered services. */
export interface Codec {
  /** Redacts and hashes; pure and synchronous. See take-body.ts. */
  takeBody(typeUrl: string, bytes: Uint8Array): TakenBody;
  /** Node metadata as JSON: secrets go by the names of their keys. */
  redactNode<T>(json: T): T;
  /** proto3 JSON; never rejects. See decode-body.ts. */
  decode(typeUrl: string, bytes: Uint8Array, options?: DecodeOptions): DecodedBody;
  /** The same, in order; in the worker when they are large together. Rejects with a CodecError when that fails. */
  decodeMany(
    bodies: readonly TypedBytes[],
    options?: DecodeOptions & Pick<JobOptions, 'signal'>,
  ): Promise<DecodedBody[]>;
  /** A body as text, as decodeMany does it. */
  render(body: TypedBytes, format: RenderFormat, signal?: AbortSignal): Promise<RenderedBody>;
  /** How many bytes each field takes, as decodeMany does it. See measure-fields.ts. */
  measure(body: TypedBytes, signal?: AbortSignal): Promise<readonly FieldSize[]>;
  /** A CSDS answer, as decodeMany does it. Its bodies are redacted. See decode-client-status.ts. */
  decodeClientStatus(answer: Uint8Array): Promise<ReportedClients>;
  /** Body, verdict and references in one go: at once when it is small, from the worker when it is large. */
  inspect(resource: TypedBytes, options: InspectOptions): InspectedResource | Promise<InspectedResource>;
  /** For inspect(): one for all resources of a response. */
  searchKeyTexts(): KeyTextSearch;
  /** A DiscoveryResponse that did not come over gRPC; in the worker when it is large. See discovery-document.ts. */
  readDocument(bytes: Uint8Array, format: DocumentFormat): Promise<DocumentResult>;
  /** Reads a FileDescriptorSet beside the types of other sets; in the worker. See descriptor-sets/. */
  checkDescriptorSet(bytes: Uint8Array, others: readonly UserType[]): Promise<CheckedDescriptorSet>;
  /** From now on these types of users are known, and no others; here, and in every thread that starts from now on. */
  setUserTypes(types: readonly UserType[]): void;
  /** proto3 JSON to bytes; throws a CodecError. */
  encode(typeUrl: string, json: unknown): Uint8Array;
  /** Names bytes that may hold secrets without giving them away; the same for the same bytes. See redaction-marker.ts. */
  digest(bytes: Uint8Array): string;
  /** A resource's name, read without decoding the rest. */
  nameOf(typeUrl: string, bytes: Uint8Array): string | undefined;
  /** Ends the worker; work that is under way is rejected. */
  close(): Promise<void>;
}

export function createCodec({
  redactionKey,
  inPlaceBytes = 256 * 1024,
  deadlineMs = 60_000,
  workerProgram: file,
}: CodecOptions): Codec {
  const marker = createRedactionMarker(redactionKey);
  const runners = codecJobRunners(marker);
  const data: CodecWorkerData = { redactionKey };
  const queue = new JobQueue<CodecJobs>({
    program: { name: 'codec-worker', file, data, maxHeapMb: 1024 },
    owner: 'the codec',
    doing: 'decoding',
    deadlineMs,
    errorOf: (message) => new CodecError(message),
  });
  async function run<K extends CodecJobKind>(
    kind: K,
    input: CodecJobs[K]['input'],
    sizeBytes: number,
    options?: JobOptions,
  ): Promise<CodecJobs[K]['output']> {
    return sizeBytes > inPlaceBytes ? queue.run(kind, input, options) : runners[kind](input);
  }
  return {
    takeBody: (typeUrl, bytes) => takeBody(typeUrl, bytes, marker),
    redactNode: (json) => redactJson(json, marker),
    decode: decodeBody,
    decodeMany: (bodies, { signal, ...options } = {}) => {
      const whole = bodies.map(({ typeUrl, bytes }) => ({ typeUrl, bytes: wholeBuffer(bytes) }));
      const sizeBytes = bodies.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return run('decode', { ...options, bodies: whole }, sizeBytes, { signal });
    },
    render: ({ typeUrl, bytes }, format, signal) =>
      run('render', { typeUrl, bytes: wholeBuffer(bytes), format }, bytes.length, { signal }),
    measure: ({ typeUrl, bytes }, signal) =>
      run('measure', { typeUrl, bytes: wholeBuffer(bytes) }, bytes.length, { signal }),
    decodeClientStatus: (answer) => run('clientStatus', wholeBuffer(answer), answer.length),
    inspect: ({ typeUrl, bytes }, options) =>
      bytes.length > inPlaceBytes
        ? queue.run('inspect', {
            typeUrl,
            bytes: wholeBuffer(bytes),
            withReferences: options.withReferences,
          })
        : inspectResource(typeUrl, bytes, options, marker),
    searchKeyTexts: () => new KeyTextSearch(),
    readDocument: (bytes, format) =>
      run('discoveryDocument', { bytes: wholeBuffer(bytes), format }, bytes.length),
    checkDescriptorSet: (bytes, others) =>
      queue.run('checkDescriptorSet', { bytes: wholeBuffer(bytes), others }),
    setUserTypes: (types) => {
      setUserTypes(types);
      queue.renew();
    },
    encode: encodeBody,
    digest: (bytes) => keyedDigest(redactionKey, bytes),
    nameOf: peekResourceName,
    close: () => queue.close(),
  };
}
