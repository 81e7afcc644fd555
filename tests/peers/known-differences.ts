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
    differences: /^\w+ NACKED -> absent$|^(RDS|EDS) NACKED -> ACTIVE$/,
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
];
