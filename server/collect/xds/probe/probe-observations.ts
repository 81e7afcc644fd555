import type { NodeInfo } from '@/lib/observation/observation';
import { nackCode } from '@/lib/xds/nack-code';
import type { Body, Reported } from '../../../observe';
import type { XdsClientHandler } from '../client/xds-client-handler';
import type { SentRequest } from '../stream/xds-channel';

export type Emit = (reported: Reported, bodies?: readonly Body[]) => void;

interface ObservedClient {
  readonly clientId: string;
  /** The metadata is redacted. */
  readonly node: NodeInfo;
  readonly scope: string;
  readonly emit: Emit;
}

export function toObservations({
  clientId,
  node,
  scope,
  emit,
}: ObservedClient): Omit<XdsClientHandler, 'onConnecting'> {
  /** The first stream reports an empty cache, because resources of an earlier process are not held any more. */
  let isFirstStream = true;
  const open = new Set<string>();
  const requested = new RequestedNames();
  return {
    onStreamOpened(link, { streamId, method: path }) {
      // Methods of polls and files ("POST http://...", "watch /etc/...") are not shortened.
      const method = path.includes(' ') ? path : path.slice(path.lastIndexOf('/') + 1);
      const server = link.name;
      const first = isFirstStream ? { cacheEmpty: true } : {};
      isFirstStream = false;
      open.add(streamId);
      emit({ kind: 'stream-opened', clientId, streamId, server, method, node, scope, ...first });
    },

    onSubscriptionSent(streamId, request, changes) {
      const { typeUrl, resourceNames, unsubscribed, versionInfo, responseNonce } = request;
      const reported = {
        ...{ typeUrl, resourceNames, versionInfo, responseNonce },
        ...(unsubscribed.length > 0 && { unsubscribedNames: unsubscribed }),
      };
      requested.set(streamId, request);
      emit({ kind: 'request-sent', clientId, streamId, ...reported, ...changes });
    },

    onResponse(_link, { streamId, response, read }, repeats) {
      const { typeUrl, versionInfo, nonce, sizeBytes, controlPlane, apiVersion, removedResources } = response;
      const { received: resources, unchanged: unchangedResources, bodies } = read;
      const reported = {
        typeUrl,
        versionInfo,
        nonce,
        sizeBytes,
        controlPlane,
        resources,
        unchangedResources,
      };
      const marks = {
        ...(removedResources.length > 0 && { removedNames: removedResources }),
        ...(apiVersion === 'v2' && { apiVersion }),
        ...(repeats > 1 && { repeats }),
      };
      emit({ kind: 'response-received', clientId, streamId, ...reported, ...marks }, bodies);
    },

    onAnswered(streamId, request, response, changes) {
      const { typeUrl, versionInfo, responseNonce: nonce, errorDetail, resourceNames } = request;
      const names = requested.isChangedBy(streamId, request) ? { resourceNames } : {};
      const reported = { clientId, streamId, typeUrl, versionInfo, nonce, ...names, ...changes };
      const rejectedVersion = response.versionInfo;
      if (request.reason === 'ack') emit({ kind: 'ack-sent', ...reported });
      else emit({ kind: 'nack-sent', ...reported, rejectedVersion, errorDetail, errorCode: nackCode });
    },

    onTimerExpired(streamId, timer, changes) {
      emit({ kind: 'timer-expired', clientId, streamId, timer, ...changes });
    },

    onServerSwitched(change) {
      emit({ kind: 'server-switched', clientId, ...change, ...(isFirstStream && { node }) });
    },

    onCacheChanged(reason, changes) {
      emit({ kind: 'cache-changed', clientId, reason, ...changes });
    },

    onStreamClosed(_link, streamId, { code, details, hadResponse, wasOpened }) {
      // Without a connection, there was no stream. source-down reports it once, not at every attempt.
      if (!wasOpened) return;
      open.delete(streamId);
      requested.delete(streamId);
      const others = open.size > 0 ? { othersOpen: open.size } : {};
      emit({ kind: 'stream-closed', clientId, streamId, code, details, hadResponse, ...others });
    },
  };
}

type Requested = Pick<SentRequest, 'typeUrl' | 'resourceNames' | 'isDelta'>;

/** The names of the last requests, by stream and type. Answers repeat them, and observations report only changes. */
class RequestedNames {
  readonly #byStream = new Map<string, Map<string, readonly string[]>>();

  set(streamId: string, { typeUrl, resourceNames }: Requested): void {
    const types = this.#byStream.get(streamId) ?? new Map<string, readonly string[]>();
    this.#byStream.set(streamId, types.set(typeUrl, resourceNames));
  }

  /** Returns whether an ACK or NACK requests other names than the last request. */
  isChangedBy(streamId: string, { typeUrl, resourceNames, isDelta }: Requested): boolean {
    if (isDelta) return resourceNames.length > 0;
    const before = this.#byStream.get(streamId)?.get(typeUrl);
    // Usually it is the same array, perhaps of 100,000 names.
    if (before === resourceNames) return false;
    return (
      before?.length !== resourceNames.length || resourceNames.some((name, index) => name !== before[index])
    );
  }

  delete(streamId: string): void {
    this.#byStream.delete(streamId);
  }
}
