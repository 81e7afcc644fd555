import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { ServedCall, ServedCallHandler } from './stream-call';

/** A call on a server of grpc-js, with the same interface as one on an Http2GrpcServer. */
export function serveDuplex(
  call: ServerDuplexStream<Buffer, Buffer>,
  take: (call: ServedCall) => ServedCallHandler,
): void {
  const handler = take({
    peer: call.getPeer(),
    host: call.getHost(),
    send: (message) => call.write(Buffer.from(message)),
    end: (code, details) => {
      if (code === status.OK) call.end();
      else call.emit('error', { code, details });
    },
  });
  call.on('data', (message: Buffer) => {
    // One message of a stream per turn: a client that floods holds up its own stream, and nobody else.
    call.pause();
    const handled = handler.onMessage(message);
    setImmediate(async () => {
      await handled;
      call.resume();
    });
  });
  call.on('end', () => handler.onEnd());
  call.on('cancelled', () => handler.onLost());
  // The peer is gone: nobody is left to tell, and it comes as 'cancelled' too.
  call.on('error', () => {});
}
