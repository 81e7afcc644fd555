import { status } from '@grpc/grpc-js';
import type { CallFailure } from '@/server/transport/grpc/explain-error';
import { GrpcCall, type GrpcCallOptions } from '@/server/transport/grpc/grpc-call';

/** Resolves with the response of a unary call, and rejects with an Error that has its CallFailure. */
export function unaryCall(
  options: Omit<GrpcCallOptions, 'maxMessageBytes'>,
  request: Buffer,
  deadlineMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let isLate = false;
    const fail = ({ code, details }: CallFailure): void =>
      reject(Object.assign(new Error(details), { code, details }));
    const call = new GrpcCall(
      { ...options, maxMessageBytes: 4 * 1024 * 1024 },
      {
        onConnected: () => undefined,
        onMessage: () => ({ write: (bytes) => pieces.push(Buffer.from(bytes)), end: () => undefined }),
        onEnd: (end) => {
          clearTimeout(timer);
          if (isLate) fail({ code: status.DEADLINE_EXCEEDED, details: 'Waiting for LB pick' });
          else if (end.code !== status.OK) fail(end);
          else resolve(Buffer.concat(pieces));
        },
      },
    );
    const timer = setTimeout(() => {
      isLate = true;
      call.cancel();
    }, deadlineMs);
    call.write(request);
    call.halfClose();
  });
}
