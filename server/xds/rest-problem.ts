import { status } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import type { ChannelTls } from '../grpc/channel-security';
import { describeError } from '../grpc/explain-error';
import { describeTls } from '../grpc/explain-tls';
import type { Target } from '../grpc/target';
import type { RestAnswer, RestOutcome } from './rest-post';

/** Why a poll failed: as a gRPC status code name, as streams have it, and for a person. */
export interface RestFailure {
  readonly code: string;
  readonly problem: Problem;
}

export interface FailedPoll {
  readonly target: Target;
  /** As in "/v3/discovery:clusters". */
  readonly path: string;
  /** Absent: it was tried in plain text. */
  readonly tls?: ChannelTls | undefined;
}

const wrongPort = 'Is this the port of an xDS management server with REST?';

/** A poll that came to nothing, or to an answer that is no DiscoveryResponse and not 304. */
export function explainOutcome(
  outcome: Exclude<RestOutcome, { kind: 'aborted' }>,
  poll: FailedPoll,
): RestFailure {
  const { target, path } = poll;
  const where = target.text;
  switch (outcome.kind) {
    case 'late': {
      const { what, timeoutMs } = outcome;
      const expected = what === 'connection' ? 'a connection' : `an answer to POST ${path}`;
      return failure(
        'DEADLINE_EXCEEDED',
        `${where}: expected ${expected} within ${timeoutMs / 1000} s, got none`,
      );
    }
    case 'too-large':
      return failure(
        'RESOURCE_EXHAUSTED',
        `${where}: expected an answer of at most ${formatMiB(outcome.maxBytes)} to POST ${path}, got more`,
        'TOO_LARGE',
      );
    case 'broken':
      return explainBroken(outcome, poll);
    case 'answer':
      return explainAnswer(outcome, poll);
  }
}

function explainBroken(
  { code, details, firstBytes }: Extract<RestOutcome, { kind: 'broken' }>,
  { target, tls }: FailedPoll,
): RestFailure {
  const where = target.text;
  const told = details.includes(code) ? details : `${code} ${details}`;
  const handshake = tls === undefined ? undefined : describeTls(told, where, tls, undefined);
  if (handshake !== undefined) return { code: 'UNAVAILABLE', problem: handshake };
  if (firstBytes !== null) {
    const message = `${where}: expected HTTP/1.1, got ${describeBytes(firstBytes)}`;
    return failure('UNAVAILABLE', message, 'NOT_HTTP1', wrongPort);
  }
  const call = { target, service: 'REST', deadlineMs: 0 };
  return { code: 'UNAVAILABLE', problem: describeError({ code: status.UNAVAILABLE, details: told }, call) };
}

function explainAnswer(answer: RestAnswer, { target, path }: FailedPoll): RestFailure {
  const { status: httpStatus, contentType, contentEncoding, location } = answer;
  const parts = [`status ${httpStatus}`];
  if (contentType !== '') parts.push(`content type ${quote(contentType)}`);
  if (contentEncoding !== '') parts.push(`content encoding ${quote(contentEncoding)}`);
  if (location !== '') parts.push('a redirect, which is not followed');
  const beginning = describeBeginning(answer);
  if (beginning !== '') parts.push(beginning);
  const expected = `${target.text}: expected a DiscoveryResponse in JSON to POST ${path}, got`;
  return failure(
    codeOfHttpStatus(httpStatus),
    `${expected} ${parts.join(', ')}`,
    httpStatus === 200 ? 'NOT_XDS' : 'HTTP_STATUS',
    httpStatus === 401 || httpStatus === 403 ? 'It wants to know who asks, or refuses to answer.' : wrongPort,
  );
}

/** A 200 with JSON that is none, or of something else. */
export function explainUnreadable(
  reason: string,
  answer: RestAnswer,
  { target, path }: FailedPoll,
): RestFailure {
  const isJson = /^\s*[{[]/.test(answer.body.subarray(0, 64).toString('latin1'));
  if (!isJson) return explainAnswer(answer, { target, path });
  return failure('INTERNAL', `${target.text}: POST ${path}: ${reason}`, 'NOT_XDS', wrongPort);
}

/** gRPC's own mapping, so that a stream of polls ends in the words in which other streams end. */
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

/** Not of JSON, where the beginning may be a secret's: of a page, or of a line that says why. */
function describeBeginning({ body }: RestAnswer): string {
  const text = body.subarray(0, 80).toString('utf8').replace(/\s+/g, ' ').trim();
  if (text === '' || /^[{["]/.test(text) || /PRIVATE|secret|token|passw|bearer/i.test(text)) return '';
  return `${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)} at its beginning`;
}

function describeBytes(bytes: Buffer): string {
  if ((bytes[0] === 0x15 || bytes[0] === 0x16) && bytes[1] === 3) return 'a server that wants TLS';
  // A SETTINGS frame (type 4) on stream 0 is how every HTTP/2 server begins.
  if (bytes.length >= 9 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0) return 'an HTTP/2 server (gRPC?)';
  return `bytes that begin with ${JSON.stringify(bytes.subarray(0, 16).toString('latin1'))}`;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function formatMiB(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes} bytes` : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function failure(code: string, message: string, problemCode = code, hint = ''): RestFailure {
  return { code, problem: { code: problemCode, message, hint } };
}
