import { performance } from 'node:perf_hooks';
import { createCodec } from '@/server/codec/codec';
import { Probe } from '@/server/collect/xds/probe/probe';
import { defaultProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import { GrpcXdsChannel } from '@/server/collect/xds/stream/grpc-xds-channel';
import type { Transport, TransportStreamHandler } from '@/server/collect/xds/stream/transport';
import { systemClock } from '@/server/observe';
import { plainServer } from '@/server/transport/bootstrap/server-config';

/** The size of the chunks of a connection with TLS; without TLS they are as large or larger. */
const chunkBytes = 16 * 1024;

/** Processes a response. `changed`: the number of changed rows. `comingMs`, `eventMs`: see Update in decode.ts. */
export type Feed = (message: Buffer) => Promise<{ changed: number; comingMs: number; eventMs: number }>;

/**
 * A probe with everything but the connection: streams, requests, cache, observations. Resolves with a function that
 * hands it the bytes of a response in chunks, resolves when the probe has answered it, and rejects if it was NACKed.
 */
export async function feedClient(transport: 'ads' | 'delta-ads'): Promise<Feed> {
  const server = plainServer({ host: '127.0.0.1', port: 1, text: '127.0.0.1:1' });
  const codec = createCodec({ redactionKey: new Uint8Array(32) });
  const node = {
    ...{ id: 'bench', cluster: '', locality: null, metadata: {} },
    ...{ userAgentName: '', userAgentVersion: '' },
  };
  let changed = 0;
  let answeredAt = 0;
  let rejected = '';
  let onOpen = (_handler: TransportStreamHandler): void => undefined;
  const opened = new Promise<TransportStreamHandler>((resolve) => {
    onOpen = resolve;
  });
  const wire: Transport = {
    openStream(_method, handler) {
      queueMicrotask(() => {
        handler.onConnected();
        onOpen(handler);
      });
      return { send: () => undefined, cancel: () => undefined };
    },
    close: () => undefined,
  };
  const lane = { node, codec, clock: systemClock, random: Math.random, connectTimeoutMs: 10_000 };
  const probe = new Probe({
    sourceId: 'bench',
    settings: { ...defaultProbeSettings(server), transport },
    ...lane,
    observe: ({ observation }) => {
      if (observation.kind === 'nack-sent') rejected = observation.errorDetail;
      if (observation.kind !== 'ack-sent') return;
      answeredAt = performance.now();
      changed += observation.changed.length;
    },
    onStatus: () => undefined,
    createChannel: (_server, handler) => {
      const channel = { ...lane, nextStreamId: () => '1', transport, apiVersion: 'v3' as const };
      return new GrpcXdsChannel({ ...channel, dial: () => wire }, handler);
    },
  });
  probe.start();
  const stream = await opened;
  return async (message) => {
    changed = 0;
    const last = Math.floor((message.length - 1) / chunkBytes) * chunkBytes;
    const begunAt = performance.now();
    const sink = stream.onMessage(message.length);
    for (let at = 0; at < last; at += chunkBytes) sink.write(message.subarray(at, at + chunkBytes));
    const lastAt = performance.now();
    sink.write(message.subarray(last));
    await sink.end();
    if (rejected !== '') throw new Error(`bench: expected an ACK, got "${rejected}"`);
    return { changed, comingMs: lastAt - begunAt, eventMs: answeredAt - lastAt };
  };
}
