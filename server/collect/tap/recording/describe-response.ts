import type { EpochMs } from '@/lib/xds/units';
import type { Body, Reported } from '../../../observe';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';
import type { Receipt } from '../recorded-stream';
import { namesToReport } from './pending-responses';
import type { PassedResource } from './resource-reader';

interface ResponseContext {
  readonly ids: { readonly clientId: string; readonly streamId: string };
  /** null: the client has not requested anything since the response before. */
  readonly requestedMs: EpochMs | null;
  readonly receipt: Receipt;
}

/** The observation of a response, with the bodies that are new to the client. `rows`: what the client holds of the type. */
export function describeResponse(
  envelope: ResponseEnvelope,
  resources: readonly PassedResource[],
  rows: ReadonlyMap<string, { readonly hash: string | null }>,
  { ids, requestedMs, receipt }: ResponseContext,
): { readonly observation: Reported; readonly bodies: readonly Body[] } {
  const { typeUrl, versionInfo, nonce, sizeBytes, controlPlane, apiVersion, isDelta } = envelope;
  const news = resources.filter(
    ({ name, body }) => name !== null && body !== null && rows.get(name)?.hash !== body.hash,
  );
  const received = news.flatMap(({ name, body }) =>
    name === null || body === null ? [] : [{ name, hash: body.hash, sizeBytes: body.bytes.length }],
  );
  const unchangedResources = resources.filter(({ name }) => name !== null).length - received.length;
  const names = namesToReport(envelope, resources, rows, unchangedResources);
  const removedNames = envelope.removedResources;
  return {
    observation: {
      ...{ kind: 'response-received', ...ids, typeUrl, versionInfo, nonce },
      ...{ sizeBytes, controlPlane, resources: received, unchangedResources },
      ...(names !== undefined && { names }),
      ...(isDelta && removedNames.length > 0 && { removedNames }),
      ...(requestedMs !== null && { tookMs: Math.max(0, receipt.clockMs - requestedMs) }),
      ...(apiVersion === 'v2' && { apiVersion }),
      ...repeatsOf(receipt),
    },
    // Rejected resources are stored as well.
    bodies: news.flatMap(({ body }) => (body === null ? [] : [body])),
  };
}

export function repeatsOf({ repeats = 1 }: Receipt): { readonly repeats?: number } {
  return repeats > 1 ? { repeats } : {};
}
