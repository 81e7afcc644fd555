import type { KnownDifference } from './find-known';

const notRecorded = /^(half|not)-recorded$/;

/** gRPC-Go returns from the second server, in those runs in which it withdraws its requests before. */
const withdrawal = {
  flavor: 'grpc',
  peers: /^grpc-go 1\.(7\d|8[0-5])/,
  vantages: ['tap'],
  chapters: /^fallback$/,
  moments: /^the first server is back$/,
  isOccasional: true,
} as const;

/**
 * The reviewed list. The sections are those of the plan "every status matches observed behavior": each entry of kind
 * `defect` leaves with the fix. The first entry that matches a cell counts.
 */
export const knownDifferences: readonly KnownDifference[] = [
  {
    kind: 'unknown',
    reason:
      'Envoy counts a rejected response for each resource in it: its counters show neither which one is invalid, nor whether a rejected or an accepted response came last between two polls.',
    flavor: 'envoy',
    vantages: ['admin'],
    differences: /^(RDS|EDS|SDS) (NACKED|ACTIVE) -> UNKNOWN$|^(LDS|CDS) absent -> UNKNOWN$/,
  },
  {
    kind: 'client',
    reason:
      'The config dump lists a rejected secret as active. Envoy skips equal content that follows, and serves what it had: last_updated does not move.',
    flavor: 'envoy',
    vantages: ['admin'],
    chapters: /^secrets$/,
    moments: /the rejected payload again$/,
    differences: /^SDS ACTIVE -> NACKED$/,
  },
  {
    kind: 'unknown',
    reason:
      'Which resources of a rejected RDS or EDS response take effect is not on the wire. A cluster that waits for its endpoints becomes active without any when a response with endpoints is rejected.',
    flavor: 'envoy',
    vantages: ['tap'],
    chapters: /^(first-(RDS|EDS)-nacked|partly-rejected)$/,
    differences: /^requests (SUCCEEDS|FAILS) -> UNKNOWN$/,
  },
  {
    kind: 'client',
    reason:
      'The client reports the version in which the content changed last, which the tap shows beside the ACKed one.',
    flavor: 'grpc',
    peers: /^(grpc-js-xds 1\.14|c-core 1\.66)/,
    vantages: ['tap'],
    differences: /^\w+ ACKED version (v\d+|fallback) -> v\d+$/,
  },
  {
    kind: 'unknown',
    reason: 'The client ACKs a resource that is added again, and does not use it: only its CSDS shows that.',
    flavor: 'grpc',
    peers: /^grpc-js-xds 1\.14/,
    vantages: ['tap'],
    differences: /^(LDS|CDS) DOES_NOT_EXIST -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'The client uses an updated listener only when its routes, clusters or endpoints change, too: which one it uses is not reported.',
    flavor: 'grpc',
    peers: /^grpc-js-xds 1\.14/,
    differences: /^requests (SUCCEEDS|FAILS) -> UNKNOWN$/,
  },
  {
    ...withdrawal,
    kind: 'unknown',
    reason:
      'The client withdraws its requests on the stream to the second server before it ends the stream, and keeps using the resources: only its CSDS shows that.',
    differences: /^(RDS|CDS|EDS) ACKED -> absent$/,
  },
  {
    ...withdrawal,
    kind: 'unknown',
    reason:
      'The client withdraws its requests on the stream to the second server before it ends the stream, and keeps using the resources: the tap states that this is not known.',
    differences: /^requests SUCCEEDS -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason: 'The 15 s timer of a resource that is never sent is not visible on the wire.',
    flavor: 'grpc',
    vantages: ['tap'],
    differences: /^\w+ (DOES_NOT_EXIST|TIMEOUT) -> REQUESTED$/,
  },
  {
    kind: 'unknown',
    reason: 'The tap has not recorded the messages, and none since then shows the state.',
    vantages: ['tap'],
    chapters: notRecorded,
    differences: / -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason: 'The tap has recorded no request for the resources.',
    vantages: ['tap'],
    chapters: notRecorded,
    differences: /^(LDS|RDS|CDS|EDS|requests) \w+ -> absent$/,
  },
  {
    kind: 'unknown',
    reason:
      'The target of a stream is in its request for a listener, which the tap has not recorded: the other resources of the stream are shown without target.',
    flavor: 'grpc',
    vantages: ['tap+csds'],
    chapters: notRecorded,
    moments: /^the control plane is back$/,
    differences: /^(RDS|CDS|EDS) absent -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'The tap has not recorded the answer, and the admin interface reports none: what it leaves open is not known.',
    vantages: ['tap+admin'],
    chapters: notRecorded,
    differences: /^\w+ (ACKED -> ACTIVE|\w+ -> UNKNOWN)$/,
  },
  {
    kind: 'unknown',
    reason:
      'A listener is ACKED before its routes come: that the one before it stays active is not on the wire.',
    flavor: 'envoy',
    vantages: ['tap'],
    moments: /a listener warms/,
    differences: /^requests SUCCEEDS -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'The client sends no request when it drops the last resource of a type (XdsClientImpl.adjustResourceSubscription of this release).',
    peers: /^grpc-java 1\.60/,
    vantages: ['tap'],
    moments: /^(LDS|RDS): /,
    differences: /^(RDS|CDS|EDS) absent -> ACKED$/,
  },
  {
    kind: 'unknown',
    reason:
      'After a listener has changed, the client runs the routes of the one before it until the 15 s timer of the routes ends, which is not visible on the wire.',
    peers: /^grpc-java 1\.60/,
    vantages: ['tap'],
    moments: /^LDS: /,
    differences: /^requests (SUCCEEDS|FAILS) -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'The client ACKs a listener that is added again, and uses it only if ignore_resource_deletion kept it, which is not on the wire.',
    peers: /^c-core 1\.66/,
    vantages: ['tap'],
    chapters: /^(usual|ignore_resource_deletion)$/,
    differences: /^(LDS ACKED|requests (SUCCEEDS|FAILS)) -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'Whether a client keeps a deleted resource is a setting of its bootstrap and environment, which are not on the wire.',
    flavor: 'grpc',
    vantages: ['tap'],
    moments: /is removed$/,
    differences: /^((LDS|CDS) (ACKED|DOES_NOT_EXIST)|requests (SUCCEEDS|FAILS)) -> UNKNOWN$/,
  },
  {
    kind: 'unknown',
    reason:
      'Whether a client drops a resource that it rejects is a setting of its bootstrap and environment, which are not on the wire.',
    flavor: 'grpc',
    peers: /^(c-core|grpc-java) 1\.8/,
    vantages: ['tap'],
    differences: /^requests (SUCCEEDS|FAILS) -> UNKNOWN$/,
  },
];
