import { status as grpcStatus } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import { CodecError } from '../codec/codec-error';
import { CallError } from '../grpc/grpc-requester';

/** Codes with which a server without the type, or without permission for it, ends the stream. */
const rejections: ReadonlySet<number> = new Set([
  grpcStatus.UNAUTHENTICATED,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.INVALID_ARGUMENT,
  grpcStatus.NOT_FOUND,
  grpcStatus.DEADLINE_EXCEEDED,
]);

const authenticated =
  'istiod reports its own state to authenticated clients only: use its TLS port (15012) with a token or a certificate of istio-system, as a node of that namespace. Older ones, and those with ENABLE_DEBUG_ENDPOINT_AUTH=false, report it to every client on 15010.';

const otherIdentity = /debug info is not available for current identity/;

const hints: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: authenticated,
  PERMISSION_DENIED: authenticated,
  DEADLINE_EXCEEDED: 'Is this an istiod? Other ADS servers do not have its type istio.io/debug/syncz.',
};

/** Adds what to do about an error of istiod. */
export function withHint(problem: Problem, { details }: CallError, target: string): Problem {
  // istiod reports this as an error without a code of its own.
  if (otherIdentity.test(details)) {
    const message = `${target} denied the request: ${details}`;
    return { code: 'PERMISSION_DENIED', message, hint: authenticated };
  }
  const hint = hints[problem.code];
  return hint === undefined ? problem : { ...problem, hint };
}

/** Whether istiod answers, and does not have the type, or not for this client. */
export function isRejection(error: unknown): error is CallError | CodecError {
  return (
    error instanceof CodecError ||
    (error instanceof CallError && (rejections.has(error.code) || otherIdentity.test(error.details)))
  );
}

/** The reason as the end of a sentence. */
export function reasonOf(error: CallError | CodecError): string {
  if (error instanceof CodecError) return `${error.message}.`;
  if (error.code === grpcStatus.DEADLINE_EXCEEDED) return 'it does not answer.';
  return `${grpcStatus[error.code] ?? error.code}${error.details === '' ? '' : `: ${error.details}`}.`;
}
