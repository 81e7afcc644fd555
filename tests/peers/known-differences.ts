import type { KnownDifference } from './find-known';

/**
 * The reviewed list. The sections are those of the plan "every status matches observed behavior": each entry of kind
 * `defect` leaves with the fix. The first entry that matches a cell counts.
 */
export const knownDifferences: readonly KnownDifference[] = [
  {
    kind: 'defect',
    reason: 'Rejections: /stats is not read, so that a rejected subscription or resource is not reported.',
    flavor: 'envoy',
    vantages: ['admin'],
    differences: /^\w+ NACKED -> absent$|^(RDS|EDS|SDS) NACKED -> ACTIVE$/,
  },
  {
    kind: 'defect',
    reason: 'Version: it is that of the last change of the content, not the one that the client ACKed last.',
    vantages: ['tap', 'tap+admin'],
    differences: /^\w+ ACKED version v\d+ -> v\d+$/,
  },
  {
    kind: 'defect',
    reason:
      'Identity: a stream of the tap does not join the target that CSDS reports, so that a process has two clients.',
    flavor: 'grpc',
    vantages: ['tap+csds'],
    hasNoScope: true,
    differences: /^\w+ absent -> \w+$/,
  },
  {
    kind: 'defect',
    reason:
      'Identity: the streams of several targets are one client, so that each deletes resources of the other.',
    flavor: 'grpc',
    vantages: ['tap'],
    moments: /second target|the control plane is (gone|back)/,
    differences: /^(LDS|CDS) (ACKED|NACKED) -> (DOES_NOT_EXIST|absent)$/,
  },
  {
    kind: 'defect',
    reason:
      'Identity: the nameless duplicate that Envoy adds beside a rejected listener is a row of its own.',
    flavor: 'envoy',
    vantages: ['admin', 'tap+admin'],
    hasNoName: true,
    differences: /^LDS absent -> NACKED$/,
  },
  {
    kind: 'client',
    reason:
      'After a NACK the client reports NACKED for the earlier payload, although it ACKs it and calls succeed.',
    flavor: 'grpc',
    peers: /^(grpc-js-xds 1\.14|c-core 1\.66)/,
    vantages: ['tap'],
    differences: /^\w+ NACKED -> ACKED$/,
  },
  {
    kind: 'unknown',
    reason: 'The client ACKs a resource that is added again, and does not use it: only its CSDS shows that.',
    flavor: 'grpc',
    peers: /^grpc-js-xds 1\.14/,
    vantages: ['tap'],
    differences: /^(LDS|CDS) DOES_NOT_EXIST -> ACKED$/,
  },
  {
    kind: 'unknown',
    reason: 'The 15 s timer of a resource that is never sent is not visible on the wire.',
    flavor: 'grpc',
    vantages: ['tap'],
    differences: /^\w+ (DOES_NOT_EXIST|TIMEOUT) -> REQUESTED$/,
  },
  {
    kind: 'defect',
    reason: 'State: requests fail on a draining listener, whose config is shown as in effect.',
    flavor: 'envoy',
    vantages: ['admin', 'tap+admin'],
    moments: /the listener is removed/,
    differences: /^requests FAILS -> SUCCEEDS$/,
  },
  {
    kind: 'unknown',
    reason:
      'A listener is ACKED before its routes come: that the one before it stays active is not on the wire.',
    flavor: 'envoy',
    vantages: ['tap'],
    moments: /a listener warms/,
    differences: /^requests SUCCEEDS -> FAILS$/,
  },
  {
    kind: 'defect',
    reason:
      'Identity: the streams of several targets are one client, so that requests of one seem to lack its listener.',
    flavor: 'grpc',
    vantages: ['tap'],
    moments: /second target|the control plane is (gone|back)/,
    differences: /^requests SUCCEEDS -> FAILS$/,
  },
  {
    kind: 'unknown',
    reason: 'The client ACKs a resource that is added again, and does not use it: requests fail.',
    flavor: 'grpc',
    peers: /^grpc-js-xds 1\.14/,
    vantages: ['tap'],
    differences: /^requests FAILS -> SUCCEEDS$/,
  },
  {
    kind: 'unknown',
    reason:
      'The client sends no request when it drops the last resource of a type (XdsClientImpl.adjustResourceSubscription of this release).',
    peers: /^grpc-java 1\.60/,
    vantages: ['tap'],
    moments: /the listener is removed/,
    differences: /^(RDS|CDS|EDS) absent -> ACKED$/,
  },
  {
    kind: 'defect',
    reason:
      "Vantages: the admin's EDS dump, which has values that were never sent, replaces the payload that the tap has seen.",
    flavor: 'envoy',
    vantages: ['tap+admin'],
    differences: /^EDS ACKED other body$/,
  },
  {
    kind: 'defect',
    reason:
      'Effect: a payload that was rejected first is taken for the config in effect, although there is none.',
    vantages: ['tap', 'csds', 'tap+csds', 'admin', 'tap+admin'],
    moments: /the first answer is a NACK/,
    differences: /^requests FAILS -> SUCCEEDS$/,
  },
];
