import { status } from '@grpc/grpc-js';
import { formatBytes } from '@/lib/format/bytes';
import type { Problem } from '@/lib/observation/observation';
import { findDialRejection } from '../targets/dial-options';
import type { Target } from '../targets/target';
import type { ChannelTls } from './channel-security';
import { describeTls } from './explain-tls';
import { maxErrorBodyBytes } from './http-error-text';
import { type PeerKind, readTlsAlert, sniffPeer } from './sniff-peer';

/** The status of a failed call, with grpc-js's details. */
export interface CallFailure {
  readonly code: number;
  readonly details: string;
}

interface FailedCall {
  readonly target: Target;
  /** The name of the called service, such as "CSDS". */
  readonly service: string;
  readonly deadlineMs: number;
  /** Absent for plain text. */
  readonly tls?: ChannelTls | undefined;
}

/**
 * Describes what was expected, what was received, and what to try. If gRPC reports no cause, another connection to
 * the peer is opened to find it.
 */
export async function explainError(failure: CallFailure, call: FailedCall): Promise<Problem> {
  if (!lacksCause(failure)) return describeError(failure, call);
  const [peer, alert] = await Promise.all([
    sniffPeer(call.target),
    call.tls?.material === undefined ? undefined : readTlsAlert(call.target, call.tls),
  ]);
  return describeError({ ...failure, details: alert ?? failure.details }, call, peer);
}

/** Connection failures whose cause grpc-js does not name. */
function lacksCause({ code, details }: CallFailure): boolean {
  if (code === status.DEADLINE_EXCEEDED) return details.includes('Waiting for LB pick');
  return (
    code === status.UNAVAILABLE &&
    /Protocol error|Failed to connect|ECONNRESET|EPIPE|socket hang up|Socket closed|wrong version number|packet length/i.test(
      details,
    )
  );
}

/** The part of explainError without I/O. */
export function describeError(failure: CallFailure, call: FailedCall, peer?: PeerKind): Problem {
  const { target, service, deadlineMs } = call;
  const where = target.text;
  const details = plainDetails(failure.details);
  const rejection = findDialRejection(details);
  if (rejection !== undefined) return rejection;
  const handshake = call.tls === undefined ? undefined : describeTls(details, where, call.tls, peer);
  if (handshake !== undefined) return handshake;
  if (peer !== undefined) {
    const problem = describePeer(peer, where);
    if (problem !== undefined) return problem;
  }
  const connection = describeConnection(details, target);
  if (connection !== undefined) return connection;
  const token = /^Getting metadata from plugin failed with error: (.*)$/.exec(details)?.[1];
  if (token !== undefined) return describeTokenFile(token, where);
  const [, http, body] = /HTTP status code (\d{3})(?:: (.*))?/.exec(details) ?? [];
  if (http !== undefined) return describeHttpStatus(http, body, where);

  switch (failure.code) {
    case status.RESOURCE_EXHAUSTED:
      return describeLength(details, where);
    case status.DEADLINE_EXCEEDED:
      return {
        code: 'DEADLINE_EXCEEDED',
        message: `${where}: expected an answer within ${deadlineMs / 1000} s, got none`,
        hint: 'The server may be busy, or the answer very large.',
      };
    case status.UNIMPLEMENTED:
      return {
        code: 'UNIMPLEMENTED',
        message: `${where} is a gRPC server, but has no ${service} service`,
        hint: hintOf(details) || hintForMissing(service),
      };
    case status.UNAUTHENTICATED:
      return {
        code: 'UNAUTHENTICATED',
        message: `${where} requires authentication: ${details}`,
        hint: 'Configure the credentials that the server requires (a client certificate, a token file) for the source, or allow this caller.',
      };
    case status.PERMISSION_DENIED:
      return {
        code: 'PERMISSION_DENIED',
        message: `${where} denied the call: ${details}`,
        hint: `The server must allow this caller to use ${service}.`,
      };
    default:
      return {
        code: status[failure.code] ?? `CODE_${failure.code}`,
        message: `${where}: ${details === '' ? 'the call failed without a reason' : details}`,
        hint: hintOf(details),
      };
  }
}

/** Advice for errors by which control planes reject a stream or a poll. Empty: none. */
export function hintOf(details: string): string {
  return hints.find(([pattern]) => pattern.test(details))?.[1] ?? '';
}

const hints: readonly (readonly [RegExp, string])[] = [
  [
    /missing parts in the service node|invalid service node/i,
    'istiod accepts node ids of its proxies alone: the node preset istio:NAME.NAMESPACE (--ads-node-preset) builds one.',
  ],
  [
    /not implemented|unimplemented/i,
    'Some control planes serve delta xDS alone: try the transport delta-ads (--ads-transport).',
  ],
  [
    /already an active stream/i,
    'The server accepts one stream for each node id: set another node id, or observe the client of this one.',
  ],
  [
    /(?:unknown|unrecognized|no such|not found).*\bnode\b|\bnode\b.*(?:unknown|not found|unrecognized)|\b(?:no|missing) snapshot\b/i,
    'The server answers only nodes that it knows: set node id and cluster as those of a client.',
  ],
];

function describePeer(peer: PeerKind, where: string): Problem | undefined {
  const expected = `${where}: expected gRPC (HTTP/2)`;
  const notHttp2 = (got: string, hint = 'Wrong port?'): Problem => {
    return { code: 'NOT_HTTP2', message: `${expected}, got ${got}`, hint };
  };
  switch (peer.kind) {
    case 'tls':
      return {
        code: 'TLS_EXPECTED',
        message: `${where}: expected plain-text gRPC, got a server that requires TLS`,
        hint: 'Enable TLS for the source, or use a plain-text port of this server.',
      };
    case 'http1':
      return notHttp2('an HTTP/1 server', 'It may be the wrong port: a web page, metrics or an admin page.');
    case 'ssh':
      return notHttp2('an SSH server');
    case 'other':
      return notHttp2(`bytes that begin with ${JSON.stringify(peer.firstBytes)}`);
    case 'closes':
      return {
        code: 'CONNECTION_CLOSED',
        message: `${expected}, but it closes each connection without sending anything`,
        hint: 'A proxy or a port forwarding without a backend does that, or a server that requires TLS.',
      };
    case 'silent':
      return {
        code: 'SILENT',
        message: `${expected}, but it accepts connections and sends nothing`,
        hint: 'The process may hang or be stopped, or the port is for another protocol.',
      };
    case 'http2':
    case 'unreachable':
      return undefined;
  }
}

function describeConnection(details: string, { host, text: where }: Target): Problem | undefined {
  // A Unix socket whose file is not there yet has no listener either.
  if (/ECONNREFUSED|connect ENOENT/.test(details)) {
    return {
      code: 'CONNECTION_REFUSED',
      message: `${where}: connection refused, nothing listens there`,
      hint: 'Is the process running, and is this its port?',
    };
  }
  if (/Name resolution failed|ENOTFOUND|EAI_AGAIN/.test(details)) {
    return {
      code: 'NAME_NOT_FOUND',
      message: `the host name "${host}" has no address`,
      hint: 'Check the spelling and DNS.',
    };
  }
  if (/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN/.test(details)) {
    return {
      code: 'UNREACHABLE',
      message: `${where} cannot be reached: ${details}`,
      hint: 'A route, a firewall or a network policy may be in the way.',
    };
  }
  if (details.includes('too_many_pings')) {
    return {
      code: 'TOO_MANY_PINGS',
      message: `${where} closed the connection: ${details}`,
      hint: 'Set a longer --keepalive, or none: xdscope sends no pings without it.',
    };
  }
  if (/Connection dropped|Keepalive|ECONNRESET|GOAWAY|ping timed out/i.test(details)) {
    return {
      code: 'CONNECTION_LOST',
      message: `${where}: the connection broke`,
      hint: 'The process may have ended or been restarted.',
    };
  }
  return undefined;
}

function describeTokenFile(reason: string, where: string): Problem {
  return {
    code: 'TOKEN_FILE',
    message: `${where}: no call without a token: ${reason}`,
    hint: 'The token is used as soon as the file contains a valid one.',
  };
}

function describeHttpStatus(httpStatus: string, body: string | undefined, where: string): Problem {
  const isAccess = httpStatus === '401' || httpStatus === '403';
  return {
    code: 'HTTP_STATUS',
    message: `${where}: expected a gRPC answer, got HTTP status ${httpStatus}: ${body ?? 'a proxy or a web server answered'}`,
    hint: isAccess
      ? 'It requires authentication: configure its credentials for the source.'
      : 'Wrong port or host name?',
  };
}

/**
 * An HTML page that is read as a gRPC frame has a flag byte and then four letters as its length: "<html" becomes a length
 * of 1752460652.
 */
function describeLength(details: string, where: string): Problem {
  const unpacked = /decompresses to a size larger than (\d+)/.exec(details)?.[1];
  if (unpacked !== undefined) return describeTooLarge(where, null, Number(unpacked));
  const lengths = /larger than max \((\d+) vs (\d+)\)/.exec(details);
  if (lengths === null) return { code: 'RESOURCE_EXHAUSTED', message: `${where}: ${details}`, hint: '' };
  const length = Number(lengths[1]);
  const letters = Buffer.alloc(4);
  letters.writeUInt32BE(length);
  const text = letters.toString('latin1');
  if (/^[\x20-\x7e\r\n\t]{4}$/.test(text)) {
    return {
      code: 'NOT_GRPC',
      message: `${where}: expected a gRPC message, got text with ${JSON.stringify(text)} at its beginning`,
      hint: 'A web or login page answered: wrong port, or a proxy that requires a sign-in.',
    };
  }
  return describeTooLarge(where, length, Number(lengths[2]));
}

/** `length` is null for a compressed message, whose length is unknown. */
function describeTooLarge(where: string, length: number | null, limit: number): Problem {
  const what = length === null ? 'a message decompresses to' : `a message has ${formatBytes(length)},`;
  return {
    code: 'TOO_LARGE',
    message: `${where}: ${what} more than the ${formatBytes(limit)} that are accepted`,
    hint: 'Raise the limit to see it. gRPC clients stop at 4 MiB, unless they are configured otherwise.',
  };
}

function hintForMissing(service: string): string {
  return service === 'CSDS'
    ? 'The process must register the CSDS or admin services; another port of it may have them.'
    : `Is this the port of a server with ${service}?`;
}

/** The cause in the details of grpc-js, in one line of at most 1,025 characters, because a peer may send any text. */
export function plainDetails(details: string): string {
  const text = details
    .replace(/^No connection established\. Last error: /, '')
    .replace(/\.? Resolution note: ?.*$/s, '')
    .replace(/ \(\d{4}-\d{2}-\d{2}T[\d:.]+Z\)$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > maxErrorBodyBytes ? `${text.slice(0, maxErrorBodyBytes)}…` : text;
}
