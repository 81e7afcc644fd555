import type { HistoryDetail } from '../../api/history';
import { formatBytes } from '../../format/bytes';
import { formatCount } from '../../format/count';
import { formatIsoTime } from '../../format/iso-time';
import type { Observation } from '../../observation/observation';
import { formatStatusCode } from '../../xds/status-code';

type Fact = HistoryDetail['facts'][number];

/** What is known of an event and is not in its message; what is empty is left out. */
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
        ['Cache', cacheEmpty === true ? 'empty: it starts with nothing' : ''],
      ];
    }
    case 'stream-closed':
      return [
        ['Status', observation.code],
        ['Details', observation.details],
        ['Before it', observation.hadResponse ? 'there was a response' : 'no response had come (gRFC A57)'],
      ];
    case 'response-received': {
      const { unchangedResources = 0, repeats = 1, apiVersion } = observation;
      return [
        [
          'Unchanged',
          unchangedResources === 0 ? '' : `${formatCount(unchangedResources)}, as the client held them`,
        ],
        ['Stands for', repeats === 1 ? '' : `${formatCount(repeats)} responses that changed nothing`],
        ['API', apiVersion ?? ''],
      ];
    }
    case 'nack-sent':
      return [
        ['Rejected version', observation.rejectedVersion],
        ['Version in use', observation.versionInfo],
        ['Code', observation.errorCode === undefined ? '' : formatStatusCode(observation.errorCode)],
      ];
    case 'copies-dropped':
      return [
        ['Messages', formatCount(observation.messages)],
        ['Size', formatBytes(observation.bytes)],
        ['Since', formatIsoTime(observation.from)],
        ['Why', observation.reason],
      ];
    case 'server-switched':
      return [
        ['From', observation.from],
        ['To', observation.to],
        ['Authority', observation.authority ?? ''],
        ['Why', observation.reason],
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
        ['What', observation.problem.message],
        ['Try', observation.problem.hint],
      ];
    case 'client-config-changed':
      return [['Reported by', observation.side === 'client' ? 'the client' : 'the control plane']];
    case 'client-gone':
    case 'cache-changed':
      return [['Why', observation.reason]];
    case 'load-reported': {
      const { leftOut = 0 } = observation;
      return [['Not in the log', leftOut === 0 ? '' : `${formatCount(leftOut)} reports before it: see Load`]];
    }
    case 'lab-event':
      return [
        ['What', observation.what],
        ['Of', observation.subject],
      ];
    case 'request-sent':
    case 'ack-sent':
    case 'timer-expired':
    case 'source-up':
      return [];
  }
}
