import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { ServedCall, ServedCallHandler } from './stream-call';

/** Serves a call of a grpc-js server through the handlers of an Http2GrpcServer. */
export function serveDuplex(
  call: ServerDuplexStream<Buffer, Buffer>,
  accept: (call: ServedCall) => ServedCallHandler,
): void {
  const handler = accept({
    peer: call.getPeer(),
    host: call.getHost(),
    send: (message) => call.write(Buffer.from(message)),
    end: (code, details) => {
      if (code === status.OK) call.end();
      else call.emit('error', { code, details });
    },
  });
  call.on('data', (message: Buffer) => {
    // One message of each stream is read per turn of the event loop, so that a flooding client delays only itself.
    call.pause();
    const handled = handler.onMessage(message);
    setImmediate(async () => {
      await handled;
      call.resume();
    });
  });
  call.on('end', () => handler.onEnd());
  call.on('cancelled', () => handler.onCancelled());
  // 'cancelled' is emitted as well.
  call.on('error', () => {});
}
