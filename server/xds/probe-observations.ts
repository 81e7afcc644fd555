import type { Observation } from '@/lib/observation/observation';
import type { Body } from '../observe';
import type { XdsClientHandler } from './xds-client';

type WithoutBase<T> = T extends Observation ? Omit<T, 'at' | 'vantage' | 'sourceId'> : never;

/** An observation, but for when and where. */
export type Told = WithoutBase<Observation>;

export type Tell = (told: Told, bodies?: readonly Body[]) => void;

/** What the client does and gets, as observations. (That a stream was opened is told by the probe, which knows the node.) */
export function toObservations(
  clientId: string,
  tell: Tell,
): Omit<XdsClientHandler, 'onConnecting' | 'onStreamOpened'> {
  return {
    onSubscriptionSent(streamId, request, changes) {
      const { typeUrl, resourceNames, versionInfo, responseNonce } = request;
      tell({
        kind: 'request-sent',
        clientId,
        streamId,
        typeUrl,
        resourceNames,
        versionInfo,
        responseNonce,
        ...changes,
      });
    },

    onResponse(streamId, response, read) {
      const { typeUrl, versionInfo, nonce, sizeBytes, controlPlane } = response;
      const { received: resources, unchanged: unchangedResources, bodies } = read;
      const told = { typeUrl, versionInfo, nonce, sizeBytes, controlPlane, resources, unchangedResources };
      tell({ kind: 'response-received', clientId, streamId, ...told }, bodies);
    },

    onAnswered(streamId, request, response, changes) {
      const { typeUrl, versionInfo, responseNonce: nonce, errorDetail } = request;
      const told = { clientId, streamId, typeUrl, versionInfo, nonce, ...changes };
      if (request.reason === 'ack') tell({ kind: 'ack-sent', ...told });
      else tell({ kind: 'nack-sent', ...told, rejectedVersion: response.versionInfo, errorDetail });
    },

    onTimerExpired(streamId, changes) {
      tell({ kind: 'timer-expired', clientId, streamId, ...changes });
    },

    onStreamClosed(streamId, { code, details, hadResponse, wasOpened }) {
      // Without a connection there was no stream; that the server is down is told once, not at every try.
      if (!wasOpened) return;
      tell({ kind: 'stream-closed', clientId, streamId, code, details, hadResponse });
    },
  };
}
