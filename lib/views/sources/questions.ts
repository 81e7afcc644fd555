import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { described, epochTime, fileName } from '../fields/query-fields';
import { importMediaTypes } from '../recording/import-schema';
import { descriptorSet, descriptorSetList, largestDescriptorSetBytes } from './descriptor-set-schema';
import { credentialsList, newSource, source, sourceChange, sourcePage, sourcesQuery } from './schema';

export const sourcesQuestion = defineQuestion({
  summary: 'The data sources, page by page.',
  query: sourcesQuery,
  answer: sourcePage,
});

export const sourceQuestion = defineQuestion({
  summary: 'One source.',
  query: z.object({}),
  answer: source,
});

export const credentialsQuestion = defineQuestion({
  summary:
    'The credentials of the config file, which a source can be given by name, and the targets that each may be used with.',
  query: z.object({}),
  answer: credentialsList,
});

export const descriptorSetsQuestion = defineQuestion({
  summary: 'The message types that users added, by flag or by upload.',
  query: z.object({}),
  answer: descriptorSetList,
});

export const addSource = defineCommand({
  summary: 'Add a source.',
  body: newSource,
  status: 201,
  answer: source,
});

export const removeSourceOfQuery = defineCommand({
  summary: 'Remove a source that was added in the browser, or the source of an imported file.',
  query: z.object({ id: described(z.string(), 'Source id, as in csds:127.0.0.1:50051.') }),
});

export const changeSource = defineCommand({
  summary: 'Pause or resume a source, or change the probe mode of a source that was added in the browser.',
  body: sourceChange,
  answer: source,
});

export const removeSource = defineCommand({
  summary: 'Remove a source that was added in the browser, or the source of an imported file.',
});

export const addDescriptorSet = defineCommand({
  summary:
    'Add message types: a FileDescriptorSet as protoc and buf write it, at most 16 MiB. Resources of these types are decoded from then on.',
  query: z.object({ name: fileName }),
  mediaTypes: ['application/octet-stream', 'application/x-protobuf', 'application/protobuf'],
  maxBytes: largestDescriptorSetBytes,
  status: 201,
  answer: descriptorSet,
});

export const removeDescriptorSet = defineCommand({
  summary: 'Remove the message types of an upload.',
});

export const importFile = defineCommand({
  summary:
    'Import a file as the body, at most 200 MiB: a recording (.xdscope), config dumps of Envoy, CSDS answers, DiscoveryResponses, resources, bootstraps. Its kind is detected from its content. It becomes a source with the clients that it holds.',
  query: z.object({
    name: fileName,
    part: described(
      z.array(z.string()).optional(),
      'The name and the size in bytes of a file, as in config_dump.json:4096: the body consists of these files one after the other, which are the answers of the admin interface of one Envoy, and become one client. Repeatable.',
    ),
    again: described(
      z.enum(['true', 'false']).default('false'),
      'Import the file although one with the same SHA-256 was imported before: otherwise the answer is 409 with the importId of that one.',
    ),
    modified: epochTime(
      'ISO 8601: the time at which the file was written. It counts as the time of the snapshot if the file states none.',
    ),
  }),
  mediaTypes: importMediaTypes,
  status: 201,
  answer: source,
});
