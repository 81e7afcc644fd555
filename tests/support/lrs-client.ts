import { Client, type ClientDuplexStream, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';
import { encodeMessage } from './builders/xds-wire';

/** A client that sends the test's load reports over a connection of its own. */
export interface LrsClient {
  send(fields: Record<string, unknown>): void;
  sendRaw(bytes: Buffer): void;
  /** The decoded LoadStatsResponses so far. */
  readonly responses: Record<string, unknown>[];
  /** "CODE: details", once the stream has ended. */
  readonly ended: Promise<string>;
  end(): void;
  /** Cancels the call, like the end of the client's process. */
  vanish(): void;
}

export function lrsClient(target: string): LrsClient {
  // Clients in one process must not share a connection.
  const client = new Client(target, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const { path, requestSerialize, responseDeserialize } = methodOf(
    'envoy.service.load_stats.v3.LoadReportingService',
    'StreamLoadStats',
  );
  const call: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest(
    path,
    requestSerialize,
    responseDeserialize,
  );
  const type = messageType('envoy.service.load_stats.v3.LoadStatsResponse');
  const responses: Record<string, unknown>[] = [];
  call.on('data', (bytes: Buffer) => responses.push(type.toObject(type.decode(bytes), { longs: String })));
  call.on('error', (_error: ServiceError) => {});
  const ended = new Promise<string>((resolve) => {
    call.on('status', ({ code, details }: { code: number; details: string }) => {
      client.close();
      resolve(`${status[code]}: ${details}`);
    });
  });
  return {
    send: (fields) => call.write(encodeMessage('envoy.service.load_stats.v3.LoadStatsRequest', fields)),
    sendRaw: (bytes) => call.write(bytes),
    responses,
    ended,
    end: () => call.end(),
    vanish: () => call.cancel(),
  };
}
