import type { Problem } from '@/lib/observation/observation';
import { methodOf } from '../../codec/service';
import type { Clock } from '../../observe';
import { noSecurity, openChannelSecurity } from '../../transport/grpc/channel-security';
import { explainError } from '../../transport/grpc/explain-error';
import { CallError, GrpcRequester } from '../../transport/grpc/grpc-requester';
import type { Target } from '../../transport/targets/target';

const service = 'XdsUpdateHealthService';
const deadlineMs = 5_000;

/**
 * Sets a server of the gRPC xDS interop tests, a running program, to SERVING or NOT_SERVING. Returns why it did not accept
 * that; undefined: it did. The connection is plain text, as the tests use it, and opened for this request.
 */
export async function requestServing(
  target: Target,
  isServing: boolean,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): Promise<Problem | undefined> {
  const { path } = methodOf(`grpc.testing.${service}`, isServing ? 'SetServing' : 'SetNotServing');
  const security = openChannelSecurity(noSecurity, clock);
  const requester = new GrpcRequester({
    ...{ target, security, clock, random },
    ...{ streamPath: path, fetchPath: path },
  });
  try {
    (await requester.requestUnary(path, Buffer.alloc(0), deadlineMs)).release();
    return undefined;
  } catch (error) {
    if (error instanceof CallError) return explainError(error, { target, service, deadlineMs });
    throw error;
  } finally {
    requester.close();
    security.close();
  }
}
