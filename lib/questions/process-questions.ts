import * as z from 'zod';
import { certificatePage, certificatesQuery } from '../api/certificates';
import { descriptorSetList } from '../api/descriptor-sets';
import { notableEvents } from '../api/events';
import { health } from '../api/health';
import { fileImportList, importProblems, importProblemsQuery } from '../api/imports';
import { labResources, labStatus } from '../api/lab';
import { permalink } from '../api/permalinks';
import { pinList } from '../api/pins';
import { described } from '../api/query-fields';
import { replayList } from '../api/replays';
import { resourceBody } from '../api/resource-body';

import { credentialsList, source, sourcePage, sourcesQuery } from '../api/sources';
import type { StreamTopic } from '../api/stream';
import { defineQuestion } from './question';

const topicPattern = /^(?:fleet|sources|lab|load|nacks|issues|history|client:[0-9a-fx][0-9a-f]{15})$/;
const isTopic = (text: string): text is StreamTopic => topicPattern.test(text);
const mostTopics = 64;

const topics = z
  .string()
  .default('fleet,sources')
  .transform((text, context) => {
    const names = text.split(',').filter((name) => name !== '');
    if (names.length > 0 && names.length <= mostTopics && names.every(isTopic)) return names;
    const unknown = names.find((name) => !isTopic(name));
    const got = unknown === undefined ? `${names.length} topics` : JSON.stringify(unknown);
    const message = `expected 1 to ${mostTopics} of fleet, sources, lab, load, nacks, issues, history, client:ID, got ${got}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** The nearest valid number applies: unlike other limits, one that is out of range is not an error. */
const eventLimit = z.coerce
  .number()
  .catch(100)
  .transform((count) => Math.min(500, Math.max(1, count || 100)))
  .default(100);

/** Questions about this process: its sources, files, message types, replays, stored views and its lab, by path below /api/v1. */
export const processQuestions = {
  health: defineQuestion({
    summary: 'State of the recorder and the sources.',
    query: z.object({}),
    answer: health,
  }),
  'openapi.json': defineQuestion({
    summary: 'This document.',
    query: z.object({}),
    answer: z.unknown(),
  }),
  events: defineQuestion({
    summary: 'Notable events, newest first.',
    query: z.object({
      limit: described(eventLimit, 'The largest number of events in the answer, from 1 to 500.'),
      clientId: described(z.string().optional(), 'Id of the client. Default: all.'),
    }),
    answer: notableEvents,
  }),
  stream: defineQuestion({
    summary: 'Changes as server-sent events: hello, frame, reset.',
    query: z.object({
      topics: described(
        topics,
        'Comma-separated: fleet, sources, lab, load, nacks, issues, history, client:ID. Default: fleet,sources.',
      ),
    }),
    headers: { 'Last-Event-ID': 'Resume after this event.' },
    answer: z.never(),
    mediaType: 'text/event-stream',
  }),
  certificates: defineQuestion({
    summary: 'Certificates that Envoys report (/certs), by expiration time.',
    query: certificatesQuery,
    answer: certificatePage,
    cost: 'question',
  }),
  'resources/{hash}': defineQuestion({
    summary: 'The body of a resource by the SHA-256 of its bytes (after redaction).',
    params: { hash: '64 hex digits.' },
    query: z.object({
      format: described(
        z.enum(['json', 'yaml', 'binary'], 'expected json, yaml or binary').default('json'),
        'How the body is written.',
      ),
      typeUrl: described(
        z.string().optional(),
        'Read the bytes as this type; needed only if equal bytes are stored under two types.',
      ),
      meta: described(
        z.string().optional(),
        '1: answer {hash, typeUrl, sizeBytes, text, opaque, unknown, v2, redacted} instead of the text alone.',
      ),
    }),
    answer: resourceBody,
    otherForms: {
      'application/json': z
        .record(z.string(), z.unknown())
        .meta({ description: 'Without meta: the resource itself, in proto3 JSON.' }),
      'application/yaml': z.string().meta({ description: 'format=yaml without meta: the resource itself.' }),
      'application/x-protobuf': z.string().meta({ description: 'format=binary: the bytes of the resource.' }),
    },
    hasWholeTexts: true,
  }),
  lab: defineQuestion({
    summary:
      'The embedded lab: its processes, its assignments, the background faults and the invalid resources.',
    query: z.object({}),
    answer: labStatus,
  }),
  'lab/resources': defineQuestion({
    summary: 'The resources of the lab.',
    query: z.object({}),
    answer: labResources,
    hasWholeTexts: true,
  }),
  pins: defineQuestion({
    summary: 'The ranges of the log that are exempt from retention.',
    query: z.object({}),
    answer: pinList,
  }),
  replays: defineQuestion({
    summary: 'The replays, each with the management server that serves it.',
    query: z.object({}),
    answer: replayList,
  }),
  'permalinks/{id}': defineQuestion({
    summary: 'A stored client and view.',
    query: z.object({}),
    answer: permalink,
  }),
  sources: defineQuestion({
    summary: 'The data sources, page by page.',
    query: sourcesQuery,
    answer: sourcePage,
  }),
  'sources/{id}': defineQuestion({
    summary: 'One source.',
    query: z.object({}),
    answer: source,
  }),
  credentials: defineQuestion({
    summary:
      'The credentials of the config file, which a source can be given by name, and the targets that each may be used with.',
    query: z.object({}),
    answer: credentialsList,
  }),
  imports: defineQuestion({
    summary: 'The imported files, newest first, with the progress or the result of each.',
    query: z.object({}),
    answer: fileImportList,
  }),
  'imports/{id}/problems': defineQuestion({
    summary: 'The parts of a file that could not be read, with their place and the reason.',
    query: importProblemsQuery,
    answer: importProblems,
  }),
  'descriptor-sets': defineQuestion({
    summary: 'The message types that users added, by flag or by upload.',
    query: z.object({}),
    answer: descriptorSetList,
  }),
} as const;

export type ProcessQuestions = typeof processQuestions;
