import { formatBytes } from '../../format/bytes';
import { formatCount, formatCounted } from '../../format/count';
import { formatDuration } from '../../format/duration';
import { formatIsoTime } from '../../format/iso-time';
import type { Connection } from '../../observation/connection';
import type { Observation } from '../../observation/observation';
import type { MethodCounts } from '../../observation/test-client';
import { formatStatusCode } from '../../xds/status-code';
import type { HistoryDetail } from './schema';

type Fact = HistoryDetail['facts'][number];

/** The others are in the Connections tab. */
const connectionsListed = 50;

/** Lists facts about an event that its message does not contain; empty ones are left out. */
export function buildFacts(observation: Observation): Fact[] {
  return factsOf(observation)
    .map(([label, value]) => ({ label, value }))
    .filter(({ value }) => value !== '');
}

function factsOf(observation: Observation): (readonly [label: string, value: string])[] {
  switch (observation.kind) {
    case 'stream-opened': {
      const { server, method, peer = '', node, cacheEmpty } = observation;
      return [
        ['Server', server],
        ['Method', method],
        ['Peer', peer],
        ['Node', node.id],
        ['User agent', `${node.userAgentName} ${node.userAgentVersion}`.trim()],
        ['Cache', cacheEmpty === true ? 'empty at the start' : ''],
      ];
    }
    case 'stream-closed':
      return [
        ['Status', observation.code],
        ['Details', observation.details],
        ['Responses', observation.hadResponse ? 'at least one' : 'none before it ended (gRFC A57)'],
      ];
    case 'response-received': {
      const { unchangedResources = 0, removedNames = [], repeats = 1, apiVersion } = observation;
      return [
        ['Removed', removedNames.length === 0 ? '' : formatCounted(removedNames.length, 'resource')],
        ['Unchanged', unchangedResources === 0 ? '' : formatCounted(unchangedResources, 'resource')],
        ['Represents', repeats === 1 ? '' : `${formatCount(repeats)} responses that changed nothing`],
        ['API', apiVersion ?? ''],
      ];
    }
    case 'nack-sent':
      return [
        ['Rejected version', observation.rejectedVersion],
        ['Version in use', observation.versionInfo],
        [
          'Represents',
          (observation.repeats ?? 1) === 1 ? '' : `${formatCount(observation.repeats ?? 1)} equal NACKs`,
        ],
        ['Code', observation.errorCode === undefined ? '' : formatStatusCode(observation.errorCode)],
        ['Inferred', observation.isInferred === true ? withoutErrorDetail : ''],
      ];
    case 'ack-sent':
      return [['Inferred', observation.isInferred === true ? withoutNonce : '']];
    case 'copies-dropped':
      return [
        ['Messages', formatCount(observation.messages)],
        ['Size', formatBytes(observation.bytes)],
        ['Since', formatIsoTime(observation.from)],
        ['Reason', observation.reason],
      ];
    case 'server-switched':
      return [
        ['From', observation.from],
        ['To', observation.to],
        ['Authority', observation.authority ?? ''],
        ['Reason', observation.reason],
      ];
    case 'source-declared': {
      const { kind, target, server = '', transport = '', fileId = '' } = observation.source;
      return [
        ['Kind', kind],
        ['Target', target],
        ['Management server', server],
        ['Transport', transport],
        ['File', fileId],
      ];
    }
    case 'source-down':
      return [
        ['Problem', observation.problem.code],
        ['Message', observation.problem.message],
        ['Hint', observation.problem.hint],
      ];
    case 'client-config-changed':
      return [['Reported by', observation.side === 'client' ? 'the client' : 'the control plane']];
    case 'client-gone':
    case 'cache-changed':
      return [['Reason', observation.reason]];
    case 'load-reported': {
      const { leftOut = 0 } = observation;
      return [['Not in the log', leftOut === 0 ? '' : `${formatCount(leftOut)} reports before it: see Load`]];
    }
    case 'connections-changed':
      return observation.connections.slice(0, connectionsListed).map(describeConnection);
    case 'rpcs-counted':
      return observation.methods.map(({ method, started, ended }) => [
        method,
        [`${formatCount(started)} started`, ...ended.map(formatEnded)].join(', '),
      ]);
    case 'rpc-block-counted':
      return [
        ['Requested', formatCounted(observation.requested, 'RPC')],
        ['Answer after', formatDuration(observation.tookMs)],
        ['Failed', formatCount(observation.failed)],
        ...observation.peers.map(({ peer, count }) => [peer, formatCount(count)] as const),
      ];
    case 'interop-step':
      return [
        ['Case', observation.case],
        ['Client', `${observation.client.name} ${observation.client.version}`],
        ['Step', `${observation.step} of ${observation.of}`],
        ['Expected', observation.expected],
        ['Seen', observation.seen],
        ['After', formatDuration(observation.ms)],
        ['Verdict of the run', observation.verdict?.verdict ?? ''],
        ['Reason', observation.verdict?.reason ?? ''],
        ['Run', observation.runId],
      ];
    case 'test-client-configured':
      return [
        ['RPC types', observation.types.join(', ') || 'none'],
        ...observation.metadata.map(({ type, key, value }) => [`${type} ${key}`, value] as const),
        ['Timeout', observation.timeoutMs === undefined ? '' : formatDuration(observation.timeoutMs)],
      ];
    case 'test-server-set':
      return [
        ['Server', observation.address],
        ['Set to', observation.isServing ? 'SERVING' : 'NOT_SERVING'],
      ];
    case 'lab-event':
      return [
        ['Event', observation.what],
        ['Subject', observation.subject],
      ];
    case 'request-sent':
    case 'timer-expired':
    case 'source-up':
      return [];
  }
}

function formatEnded({ code, count }: MethodCounts['ended'][number]): string {
  return `${formatCount(count)} ${formatStatusCode(code)}`;
}

const withoutNonce = 'the poll of REST has no response_nonce; its version_info is that of the response';
const withoutErrorDetail =
  'the poll of REST has no error_detail; its version_info is still that before the response';

function describeConnection({ kind, target, state, lastError = '' }: Connection): readonly [string, string] {
  return [`${kind} ${target}`.trim(), lastError === '' ? state : `${state}: ${lastError}`];
}
