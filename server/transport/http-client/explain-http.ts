import { status } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import type { ChannelTls } from '../grpc/channel-security';
import { describeError } from '../grpc/explain-error';
import { describeTls } from '../grpc/explain-tls';
import { readHttpErrorText } from '../grpc/http-error-text';
import type { Target } from '../targets/target';
import type { HttpAnswer, HttpOutcome } from './http-call';

/** The reason of a failed request. `code` is the name of a gRPC status code, as in the end of a stream. */
export interface HttpFailure {
  readonly code: string;
  readonly problem: Problem;
}

export interface FailedHttp {
  readonly target: Target;
  /** Such as "POST /v3/discovery:clusters". */
  readonly request: string;
  /** The expected answer, such as "a DiscoveryResponse in JSON". */
  readonly expected: string;
  /** Advice for the case that something else answered. */
  readonly hint: string;
  /** Advice for the reason in the body of an error, which precedes `hint`. Empty: none. */
  readonly hintOf?: (reason: string) => string;
  /** Absent for plain text. */
  readonly tls?: ChannelTls | undefined;
}

/** Explains a request that failed or got an unusable answer. */
export function explainOutcome(
  outcome: Exclude<HttpOutcome, { kind: 'aborted' }>,
  call: FailedHttp,
): HttpFailure {
  const { target, request } = call;
  const where = target.text;
  switch (outcome.kind) {
    case 'late': {
      const { what, timeoutMs } = outcome;
      const expected = what === 'connection' ? 'a connection' : `an answer to ${request}`;
      return failure(
        'DEADLINE_EXCEEDED',
        `${where}: expected ${expected} within ${timeoutMs / 1000} s, got none`,
      );
    }
    case 'too-large':
      return failure(
        'RESOURCE_EXHAUSTED',
        `${where}: expected an answer of at most ${formatMiB(outcome.maxBytes)} to ${request}, got ${outcome.announcedBytes === null ? `more (cancelled after ${formatMiB(outcome.receivedBytes)})` : formatMiB(outcome.announcedBytes)}`,
        'TOO_LARGE',
      );
    case 'broken':
      return explainBroken(outcome, call);
    case 'answer':
      return explainAnswer(outcome, call);
  }
}

function explainBroken(
  { code, details, firstBytes }: Extract<HttpOutcome, { kind: 'broken' }>,
  { target, tls, hint }: FailedHttp,
): HttpFailure {
  const where = target.text;
  const reported = details.includes(code) ? details : `${code} ${details}`;
  const handshake = tls === undefined ? undefined : describeTls(reported, where, tls, undefined);
  if (handshake !== undefined) return { code: 'UNAVAILABLE', problem: handshake };
  if (firstBytes !== null) {
    const message = `${where}: expected HTTP/1.1, got ${describeBytes(firstBytes)}`;
    return failure('UNAVAILABLE', message, 'NOT_HTTP1', hint);
  }
  const call = { target, service: 'HTTP', deadlineMs: 0 };
  return {
    code: 'UNAVAILABLE',
    problem: describeError({ code: status.UNAVAILABLE, details: reported }, call),
  };
}

function explainAnswer(
  answer: HttpAnswer,
  { target, request, expected: wanted, hint, hintOf = () => '' }: FailedHttp,
): HttpFailure {
  const { status: httpStatus, contentType, contentEncoding, location } = answer;
  const parts = [`status ${httpStatus}`];
  if (contentType !== '') parts.push(`content type ${quote(contentType)}`);
  if (contentEncoding !== '') parts.push(`content encoding ${quote(contentEncoding)}`);
  if (location !== '') parts.push('a redirect, which is not followed');
  const reason = httpStatus === 200 ? '' : readHttpErrorText(answer.body);
  const beginning = reason === '' ? describeBeginning(answer) : '';
  if (beginning !== '') parts.push(beginning);
  const expected = `${target.text}: expected ${wanted} to ${request}, got`;
  return failure(
    codeOfHttpStatus(httpStatus),
    `${expected} ${parts.join(', ')}${reason === '' ? '' : `: ${reason}`}`,
    httpStatus === 200 ? 'NOT_XDS' : 'HTTP_STATUS',
    httpStatus === 401 || httpStatus === 403
      ? 'It requires authentication, or does not allow this caller.'
      : hintOf(reason) || hint,
  );
}

/** Explains an answer with status 200 that is not JSON, or not the expected JSON. */
export function explainUnreadable(reason: string, answer: HttpAnswer, call: FailedHttp): HttpFailure {
  const isJson = /^\s*[{[]/.test(answer.body.subarray(0, 64).toString('latin1'));
  if (!isJson) return explainAnswer(answer, call);
  const { target, request, hint } = call;
  return failure('INTERNAL', `${target.text}: ${request}: ${reason}`, 'NOT_XDS', hint);
}

/** gRPC's mapping, so that a series of polls ends with the same codes as a stream. */
function codeOfHttpStatus(httpStatus: number): string {
  switch (httpStatus) {
    case 200:
    case 400:
      return 'INTERNAL';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'UNIMPLEMENTED';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return 'UNKNOWN';
  }
}

/** The beginning of a page. Empty for JSON, whose beginning may contain a secret. */
function describeBeginning({ body, contentEncoding }: HttpAnswer): string {
  if (contentEncoding !== '') return '';
  const text = body.subarray(0, 80).toString('utf8').replace(/\s+/g, ' ').trim();
  if (text === '' || /^[{["]/.test(text) || /PRIVATE|secret|token|passw|bearer/i.test(text)) return '';
  return `${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)} at its beginning`;
}

function describeBytes(bytes: Buffer): string {
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3) return 'a server that requires TLS';
  // An HTTP/2 server begins with a SETTINGS frame (type 4) on stream 0.
  if (bytes.length >= 9 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0) return 'an HTTP/2 server (gRPC?)';
  return `bytes that begin with ${JSON.stringify(bytes.subarray(0, 16).toString('latin1'))}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function formatMiB(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes} bytes` : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function failure(code: string, message: string, problemCode = code, hint = ''): HttpFailure {
  return { code, problem: { code: problemCode, message, hint } };
}
