import * as z from 'zod';
import { descriptorSet, largestDescriptorSetBytes } from '../api/descriptor-sets';
import { failoverQuestion, failoverSimulation } from '../api/failover';
import { newValidation, profileChoice, validation } from '../api/findings';
import { importMediaTypes } from '../api/imports';
import { issue, issueMute } from '../api/issues';
import * as lab from '../api/lab';
import { newPermalink, permalinkCreated } from '../api/permalinks';
import { newPin, pin } from '../api/pins';
import { described, resourceName, typeUrl } from '../api/query-fields';
import { newReplay, replay, replayChange } from '../api/replays';
import { newSource, source, sourceChange } from '../api/sources';
import { type CommandAnswer, type CommandInput, defineCommand } from './command';

const mebibyte = 1024 * 1024;

const fileName = described(z.string().default(''), 'The name that is listed, as that of the file.');

/** Every command that is answered from its parsed request, by method and path below /api/v1. */
export const commands = {
  'POST sources': defineCommand({
    summary: 'Add a source.',
    body: newSource,
    status: 201,
    answer: source,
  }),
  'DELETE sources': defineCommand({
    summary: 'Remove a source that was added in the browser, or the source of an imported file.',
    query: z.object({ id: described(z.string(), 'Source id, as in csds:127.0.0.1:50051.') }),
  }),
  'PATCH sources/{id}': defineCommand({
    summary: 'Pause or resume a source, or change the probe mode of a source that was added in the browser.',
    body: sourceChange,
    answer: source,
  }),
  'DELETE sources/{id}': defineCommand({
    summary: 'Remove a source that was added in the browser, or the source of an imported file.',
  }),
  'DELETE imports/{id}': defineCommand({
    summary: 'Cancel an import that is not complete; remove a complete one, with its clients.',
  }),
  'POST issues/{id}/mute': defineCommand({
    summary: 'Mute an issue until a time, or unmute it. Nothing else changes.',
    body: issueMute,
    answer: issue,
  }),
  'POST descriptor-sets': defineCommand({
    summary:
      'Add message types: a FileDescriptorSet as protoc and buf write it, at most 16 MiB. Resources of these types are decoded from then on.',
    query: z.object({ name: fileName }),
    mediaTypes: ['application/octet-stream', 'application/x-protobuf', 'application/protobuf'],
    maxBytes: largestDescriptorSetBytes,
    status: 201,
    answer: descriptorSet,
  }),
  'DELETE descriptor-sets/{id}': defineCommand({
    summary: 'Remove the message types of an upload.',
  }),
  'POST replays': defineCommand({
    summary:
      'Serve the recorded stream of a client, or its resources at a moment or in a permalink, on a port.',
    body: newReplay,
    status: 201,
    answer: replay,
  }),
  'PATCH replays/{id}': defineCommand({
    summary: 'Play or pause a replay, set its speed, or serve a step.',
    body: replayChange,
    answer: replay,
  }),
  'DELETE replays/{id}': defineCommand({
    summary: 'End a replay; its server closes.',
  }),
  'POST pins': defineCommand({
    summary: 'Exempt a range of the log, of one client or of all, from retention.',
    body: newPin,
    status: 201,
    answer: pin,
  }),
  'DELETE pins/{id}': defineCommand({
    summary: 'Remove a pin: retention applies to its range again.',
  }),
  'POST permalinks': defineCommand({
    summary: 'Store a client as it is now, or as it was at a moment, with a view.',
    body: newPermalink,
    status: 201,
    answer: permalinkCreated,
    cost: 'question',
  }),
  'POST failover/simulate': defineCommand({
    summary:
      'Where the requests of a cluster go by the rules of gRPC and of Envoy, and where they would go when endpoints, weights or the overprovisioning factor change, second by second.',
    body: failoverQuestion,
    answer: failoverSimulation,
    cost: 'question',
  }),
  'POST validate': defineCommand({
    summary:
      'What a client would answer to a resource, or to a document of them as JSON, YAML or text: the verdict of every profile, and at most 1,000 findings, the most severe first, with the totals. Nothing is stored.',
    query: z.object({
      profile: described(
        profileChoice.default('core'),
        'The client profile: a client, which stands for its newest profile, or a client in a range of versions as in go-1.73.',
      ),
      typeUrl: described(
        z.string().optional(),
        'The type of the document; needed only where the document does not state it.',
      ),
    }),
    body: newValidation,
    mediaTypes: ['application/json', 'application/yaml', 'application/x-yaml', 'text/plain', 'text/yaml'],
    // Large config dumps.
    maxBytes: 64 * mebibyte,
    answer: validation,
    cost: 'question',
  }),
  'POST lab/start': defineCommand({
    summary:
      'Start the embedded lab, a mesh of real xDS clients on this machine, with the sources that observe it. If it runs, nothing changes.',
    answer: lab.labStatus,
  }),
  'POST lab/background-faults': defineCommand({
    summary: 'Start or stop the background faults.',
    body: lab.labBackgroundFaultsChange,
    answer: lab.labStatus,
  }),
  'POST lab/load-reporter': defineCommand({
    summary:
      'Start or stop the simulated load reporter: real requests, reported as Envoy does, by priority and endpoint and with named metrics.',
    body: lab.labReporterChange,
    answer: lab.labStatus,
  }),
  'POST lab/renew': defineCommand({
    summary: 'Send all resources again, or all of one type: equal contents with a new version.',
    body: lab.labRenewal,
    answer: lab.labStatus,
  }),
  'POST lab/backends/{name}': defineCommand({
    summary: 'Stop or start a backend, or let it fail a share of its calls.',
    body: lab.labBackendChange,
    answer: lab.labStatus,
  }),
  'POST lab/assignments/{name}': defineCommand({
    summary:
      'Stop or start all backends of an assignment, a priority or a locality; change weights, drops and failures.',
    body: lab.labAssignmentChange,
    answer: lab.labStatus,
  }),
  'POST lab/faults/{name}': defineCommand({
    summary: 'Inject or revert an invalid resource.',
    body: lab.labFaultChange,
    answer: lab.labStatus,
  }),
  'PUT lab/resources': defineCommand({
    summary: 'Set a resource of the lab.',
    body: lab.newLabResource,
    // The largest gRPC message.
    maxBytes: 16 * mebibyte,
    answer: lab.labResources,
    hasWholeTexts: true,
  }),
  'DELETE lab/resources': defineCommand({
    summary: 'Remove a resource of the lab.',
    query: z.object({ typeUrl, name: resourceName }),
    answer: lab.labResources,
    hasWholeTexts: true,
  }),
} as const;

/** A command whose body is read as a stream, before Next: server/http/receive-import.ts. */
export const streamedCommands = {
  'POST imports': defineCommand({
    summary:
      'Import a file as the body, at most 200 MiB: a recording (.xdscope), config dumps of Envoy, CSDS answers, DiscoveryResponses, resources, bootstraps. Its kind is detected from its content. It becomes a source with the clients that it holds.',
    query: z.object({ name: fileName }),
    mediaTypes: importMediaTypes,
    status: 201,
    answer: source,
  }),
} as const;

export type Commands = typeof commands;
export type CommandKey = keyof Commands;
export type InputOf<Key extends CommandKey> = CommandInput<Key, Commands[Key]>;
export type CommandAnswerOf<Key extends CommandKey> = CommandAnswer<Commands[Key]>;
