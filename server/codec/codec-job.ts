import type { FieldSize } from '@/lib/views/sizes/schema';
import type { Body } from '../observe';
import type { JobSet } from '../workers/compute';
import type { JobRunners } from '../workers/serve-jobs';
import { type DecodedBody, type DecodeOptions, decodeBody } from './decode-body';
import { decodeClientStatus, type ReportedClients } from './decode-client-status';
import { checkDescriptorSet } from './descriptor-sets/check-descriptor-set';
import { type DocumentInput, type DocumentResult, readDiscoveryDocument } from './discovery-document';
import { type InspectedResource, inspectResource } from './inspect-resource';
import { measureFields } from './measure-fields';
import { createRedactionMarker, type RedactionMarker } from './redaction-marker';
import { type RenderedBody, type RenderFormat, renderBody } from './render-body';
import { setUserTypesHere } from './root';
import { type CheckedDescriptorSet, type UserType, userTypesOfThread } from './user-types';

export type TypedBytes = Pick<Body, 'typeUrl' | 'bytes'>;

/** Work that the codec does in place if it is small, and in its worker if it is large. */
export interface CodecJobs {
  decode: { input: DecodeOptions & { readonly bodies: readonly TypedBytes[] }; output: DecodedBody[] };
  render: { input: TypedBytes & { readonly format: RenderFormat }; output: RenderedBody };
  measure: { input: TypedBytes; output: readonly FieldSize[] };
  clientStatus: { input: Uint8Array; output: ReportedClients };
  discoveryDocument: { input: DocumentInput; output: DocumentResult };
  checkDescriptorSet: {
    input: { readonly bytes: Uint8Array; readonly others: readonly UserType[] };
    output: CheckedDescriptorSet;
  };
  inspect: { input: TypedBytes & { readonly withReferences: boolean }; output: InspectedResource };
}

export interface CodecData {
  readonly redactionKey: Uint8Array;
}

export const codecJobs: JobSet<'codec', CodecData, CodecJobs> = { name: 'codec', thread: 'whole' };

export const serveCodec = ({ redactionKey }: CodecData): JobRunners<CodecJobs> =>
  codecJobRunners(createRedactionMarker(redactionKey));

export type CodecJobKind = keyof CodecJobs;

export function codecJobRunners(marker: RedactionMarker): JobRunners<CodecJobs> {
  return {
    decode: ({ bodies, ...options }) =>
      bodies.map(({ typeUrl, bytes }) => decodeBody(typeUrl, bytes, options)),
    render: ({ typeUrl, bytes, format }) => renderBody(typeUrl, bytes, format),
    measure: ({ typeUrl, bytes }) => measureFields(typeUrl, bytes),
    clientStatus: (bytes) => decodeClientStatus(bytes, marker),
    discoveryDocument: readDiscoveryDocument,
    checkDescriptorSet: ({ bytes, others }) => {
      setUserTypesHere(others);
      try {
        return checkDescriptorSet(bytes, others);
      } finally {
        setUserTypesHere(userTypesOfThread());
      }
    },
    inspect: ({ typeUrl, bytes, withReferences }) => inspectResource(typeUrl, bytes, withReferences, marker),
  };
}
