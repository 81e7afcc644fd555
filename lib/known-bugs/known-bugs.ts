import type { Observation } from '../observation/observation';
import type { ClientRelease } from '../xds/client-release';
import type { Client } from '../xds/profile';
import { findAdditionalAddresses, findKeptRoutes, findNoEjection } from './find-config-symptoms';
import {
  findLostSubscriptions,
  findNackStorm,
  findReaddedListener,
  findStreamsWithoutAnswer,
  findStuckStream,
  findUnreportedAck,
  findUnusedUpdate,
} from './find-symptoms';
import type { FindSymptom } from './symptom';

/** A bug of released xDS clients. It is stated only where both the release and the symptom match. */
export interface KnownBug {
  readonly id: string;
  readonly title: string;
  readonly clients: readonly AffectedClient[];
  /** The observations that the symptom is read from, beside the rows. */
  readonly history: readonly Observation['kind'][];
  readonly findSymptom: FindSymptom;
  /** States what the client does, and what ends it. */
  readonly statement: string;
  /** Absent: the client is updated to a release without the bug. */
  readonly nextStep?: string;
  /** frozen: no later version takes effect. unused: what the client has ACKed is not in use. repeated: nothing else changes. */
  readonly effect: 'frozen' | 'unused' | 'repeated';
  /** The reason why the client does not use the resources of the symptom, which it has ACKed. Absent: it uses them. */
  readonly whyUnused?: string;
  /** The reason why the client may use earlier payloads of the resources of the symptom. Absent: it does not. */
  readonly whyEarlier?: string;
}

interface AffectedClient {
  readonly client: Client;
  /** The first and the last affected release. */
  readonly releases: readonly [from: ClientRelease, to: ClientRelease];
  /** The measurement that shows the bug. */
  readonly source: string;
}

const release = (minor: number): ClientRelease => ({ major: 1, minor });
const streams = ['stream-opened', 'stream-closed', 'request-sent', 'response-received', 'ack-sent'] as const;

export const knownBugs: readonly KnownBug[] = [
  {
    id: 'frozen-after-fallback',
    title: 'The config no longer changes since the return from the fallback server',
    clients: [
      {
        client: 'go',
        releases: [release(70), release(85)],
        source: 'Measured with gRPC-Go 1.70.0, 1.73.0, 1.76.0, 1.80.0 and 1.85.0.',
      },
    ],
    history: [...streams, 'nack-sent'],
    findSymptom: findLostSubscriptions,
    effect: 'frozen',
    statement:
      'When the primary management server returns, the client requests from it only the listeners that it once requested there, and ends its stream to the fallback server. No server holds a subscription for the other resources: the client keeps their versions from the fallback server, reports them as ACKED, and receives no later version of them.',
  },
  {
    id: 'stuck-after-nack',
    title: 'The client reads no more responses on its ADS stream',
    clients: [
      {
        client: 'go',
        releases: [release(73), release(79)],
        source: 'Measured with gRPC-Go 1.73.0 and 1.76.0; 1.72.2 and 1.80.0 do not have the bug.',
      },
    ],
    history: [],
    findSymptom: findStuckStream,
    effect: 'frozen',
    statement:
      'After it has rejected an EDS resource of which it holds an earlier version, the client reads and answers no later response of any type on this stream, a valid one included. No resource of the client was updated since this rejection. A restart of the management server did not end it within two minutes.',
  },
  {
    id: 'unusable-after-re-adding',
    title: 'A listener that was added again is ACKED and not used',
    clients: [
      {
        client: 'core',
        releases: [release(53), release(69)],
        source:
          'Measured with C-core 1.53.2, 1.58.3 and each minor release from 1.62 to 1.69; 1.70 does not have the bug. What ends it was measured with 1.53.2, 1.66.2 and 1.69.0.',
      },
    ],
    history: ['client-config-changed', 'cache-changed', 'request-sent', 'ack-sent', 'nack-sent'],
    findSymptom: findReaddedListener,
    effect: 'unused',
    statement:
      'The client drops the routes of a listener that is deleted, and does not read them again when the listener is added, with the same or with other content: it ACKs the listener, and every RPC of the target fails ("xDS listener resource does not exist"). It ends when the content of the route configuration changes, or when the listener names another one. A listener with inline routes is not affected.',
    whyUnused:
      'it was deleted and added again, and this release of the client reports it as ACKED without using it, until the content of its routes changes (a known bug)',
  },
  {
    id: 'parser-exception',
    title: 'The client ends its ADS stream instead of answering a response',
    clients: [
      {
        client: 'java',
        releases: [release(60), release(60)],
        source: 'Measured with gRPC-Java 1.60.1; 1.85.1 NACKs the same resources.',
      },
    ],
    history: [...streams, 'nack-sent'],
    findSymptom: findStreamsWithoutAnswer,
    effect: 'frozen',
    statement:
      'A value that the parser of the client does not expect, such as a port above 65535, a Duration out of range or an invalid regular expression, throws an exception: the client sends neither ACK nor NACK, ends the stream, and opens the next one, on which it receives the same response. None of its resources is updated until this response changes.',
  },
  {
    id: 'ignores-added-fields',
    title: 'An update that was ACKED is not used',
    clients: [
      {
        client: 'node',
        releases: [release(14), release(14)],
        source: 'Measured with grpc-js-xds 1.14.1: outlier_detection that is added to a cluster.',
      },
    ],
    history: ['response-received', 'ack-sent', 'nack-sent'],
    findSymptom: findUnreportedAck,
    effect: 'unused',
    statement:
      'The client compares an update only by the fields that the earlier resource has. It ACKs an update that adds fields and changes none, such as outlier_detection of a cluster, and continues with the earlier resource, which its CSDS reports. It ends when an update changes or removes a field of the earlier resource, or when the client restarts.',
  },
  {
    id: 'listener-update-unused',
    title: 'An update of a listener is ACKED and not used yet',
    clients: [
      {
        client: 'node',
        releases: [release(14), release(14)],
        source: 'Measured with grpc-js-xds 1.14.1: a fault filter that is removed.',
      },
    ],
    history: ['client-config-changed', 'cache-changed', 'ack-sent', 'nack-sent'],
    findSymptom: findUnusedUpdate,
    effect: 'unused',
    statement:
      'The client ACKs an update of a listener that names the same route configuration as before, and continues with the earlier filters and timeouts until the route configuration, or a cluster or the endpoints of the target change.',
    whyEarlier:
      'this release of the client uses an updated listener only when its routes, clusters or endpoints change, too (a known bug): it may use the earlier one',
  },
  {
    id: 'no-ejection-without-enforcement',
    title: 'Outlier detection is configured, and the client ejects no endpoint',
    clients: [
      {
        client: 'core',
        releases: [release(85), release(85)],
        source:
          'Measured with C-core 1.85.1: one of five endpoints fails every RPC and is not ejected in 60 s; with enforcing_success_rate it is.',
      },
    ],
    history: [],
    findSymptom: findNoEjection('core'),
    effect: 'unused',
    statement:
      'The client ejects endpoints by their success rate only if the cluster sets enforcing_success_rate: it does not read the default of 100. These clusters set neither it nor enforcing_failure_percentage. Setting enforcing_success_rate ends it.',
    nextStep: 'Set enforcing_success_rate in the outlier_detection of these clusters.',
  },
  {
    id: 'no-ejection-with-defaults',
    title: 'Outlier detection is configured, and the client ejects no endpoint',
    clients: [
      {
        client: 'node',
        releases: [release(14), release(14)],
        source:
          'Measured with grpc-js-xds 1.14.1: one of five endpoints fails every RPC and is not ejected in 60 s; with all three fields it is. A process ended with “Reduce of empty array with no initial value” when no endpoint had the request volume.',
      },
    ],
    history: [],
    findSymptom: findNoEjection('node'),
    effect: 'unused',
    statement:
      'The client ejects endpoints by their success rate only if the cluster sets enforcing_success_rate, success_rate_minimum_hosts and success_rate_stdev_factor: fields that are not set replace its defaults, so that no endpoint is below the threshold. Without success_rate_minimum_hosts the process ends with an error when no endpoint had success_rate_request_volume in an interval. These clusters do not set all of them, nor enforcing_failure_percentage. Setting the three fields ends it.',
    nextStep:
      'Set enforcing_success_rate, success_rate_minimum_hosts and success_rate_stdev_factor in the outlier_detection of these clusters.',
  },
  {
    id: 'keeps-routes-without-match',
    title: 'No virtual host matches the target, and the client continues with its earlier routes',
    clients: [
      {
        client: 'go',
        releases: [release(64), release(64)],
        source: 'Measured with gRPC-Go 1.64.1 (one run); 1.72.2 and 1.85.0 fail every RPC.',
      },
    ],
    history: ['client-config-changed', 'cache-changed', 'ack-sent', 'nack-sent'],
    findSymptom: findKeptRoutes,
    effect: 'unused',
    statement:
      'The client has ACKed a route configuration of which no virtual host matches its target, and continues with the routes of an earlier version that had a matching one: its RPCs do not fail, and the routes are not those that it reports. It ends when a version has a matching virtual host. A client that starts now, and other releases, fail every RPC.',
    nextStep: 'Add a virtual host for the target to the route configuration.',
  },
  {
    id: 'ignores-additional-addresses',
    title: 'Additional addresses of endpoints are used only with two environment variables',
    clients: [
      {
        client: 'java',
        releases: [release(79), release(79)],
        source:
          'Measured with gRPC-Java 1.79.0: an endpoint whose first address fails was not used for 45 s; with both variables it was.',
      },
    ],
    history: [],
    findSymptom: findAdditionalAddresses,
    effect: 'unused',
    statement:
      'The client connects to additional_addresses only if both GRPC_EXPERIMENTAL_XDS_DUALSTACK_ENDPOINTS and GRPC_EXPERIMENTAL_ENABLE_NEW_PICK_FIRST are set to true in its environment, which no source reports. Otherwise, an endpoint whose first address fails is not used although another one works.',
    nextStep:
      'Set both variables to true in the environment of the client, or find out whether they are set.',
  },
  {
    id: 'nack-storm',
    title: 'The client and its control plane repeat a rejected response without a pause',
    clients: [
      {
        client: 'go',
        releases: [release(64), release(85)],
        source:
          'Measured with gRPC-Go 1.64.1 and 1.85.0 and go-control-plane 0.14.0: some 1,000 NACKs per second.',
      },
      {
        client: 'core',
        releases: [release(64), release(85)],
        source: 'Measured with C-core 1.85.1 and go-control-plane 0.14.0: 920 NACKs per second.',
      },
    ],
    history: ['nack-sent'],
    findSymptom: findNackStorm,
    effect: 'repeated',
    statement:
      'The control plane answers each NACK at once with the same resources, and the client rejects them at once. This takes processor time and bandwidth of both until the rejected resource is corrected.',
  },
];
