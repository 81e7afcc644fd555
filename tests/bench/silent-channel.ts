import { createCodec } from '@/server/codec/codec';
import { systemClock } from '@/server/observe';
import { decodeEnvelope } from '@/server/xds/decode-response';
import { defaultProbeSettings, type ProbeSettings } from '@/server/xds/probe-settings';
import { plainServer } from '@/server/xds/server-config';
import type { SentRequest, XdsChannelHandler } from '@/server/xds/xds-channel';
import { XdsClient } from '@/server/xds/xds-client';

/** Our client without a network: it is given the bytes of a response, and is done when they are answered. */
export interface FedClient {
  /** How many rows became others. Throws when the response is not accepted. */
  feed(message: Uint8Array): Promise<number>;
}

export function feedClient(settings: Partial<ProbeSettings> = {}, isDelta = false): FedClient {
  const server = plainServer({ host: '127.0.0.1', port: 1, text: '127.0.0.1:1' });
  let handler: XdsChannelHandler | undefined;
  let answered = '';
  let changed = 0;
  const client = new XdsClient(
    {
      settings: { ...defaultProbeSettings(server), ...settings },
      codec: createCodec({ redactionKey: new Uint8Array(32) }),
      clock: systemClock,
      createChannel: (_server, given) => {
        handler = given;
        return {
          start: () => given.onStreamOpened({ streamId: '1', method: 'bench', typeUrl: null }),
          stop: async () => undefined,
          subscribe: () => undefined,
          answer: ({ typeUrl, versionInfo, nonce, verdict }): SentRequest => {
            answered = verdict.kind;
            return {
              isDelta,
              reason: verdict.kind === 'accepted' ? 'ack' : 'nack',
              typeUrl,
              withNode: false,
              versionInfo,
              responseNonce: nonce,
              resourceNames: [],
              unsubscribed: [],
              initialResourceVersions: new Map(),
              errorDetail: verdict.kind === 'accepted' ? '' : verdict.errorDetail,
            };
          },
        };
      },
    },
    {
      onConnecting: () => undefined,
      onStreamOpened: () => undefined,
      onSubscriptionSent: () => undefined,
      onResponse: () => undefined,
      onAnswered: (_streamId, _request, _response, changes) => {
        changed += changes.changed.length;
      },
      onTimerExpired: () => undefined,
      onServerSwitched: () => undefined,
      onCacheChanged: () => undefined,
      onStreamClosed: () => undefined,
    },
  );
  client.start();
  return {
    async feed(message) {
      const result = decodeEnvelope(message, { isDelta, typeUrl: null, apiVersion: 'v3' });
      if (result.kind === 'unreadable') throw new Error(result.reason);
      answered = '';
      changed = 0;
      await handler?.onResponse('1', result.envelope);
      if (answered !== 'accepted') throw new Error(`bench: expected an ACK, got "${answered}"`);
      return changed;
    },
  };
}
