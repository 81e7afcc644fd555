import { z } from 'zod';
import { clientChanges } from '@/lib/api/changes';
import { descriptorSet, descriptorSetList } from '@/lib/api/descriptor-sets';
import { exportEstimate } from '@/lib/api/exports';
import { clientFindings, newValidation, validation } from '@/lib/api/findings';
import { nackDetail, nackPage, nackStates } from '@/lib/api/nacks';
import { newPin, pin, pinList } from '@/lib/api/pins';
import { newReplay, replay, replayChange, replayList } from '@/lib/api/replays';
import { referenceKinds, references, resolved, tears } from '@/lib/api/resolved';
import { resourcePage } from '@/lib/api/resource-pages';
import { resourceSortColumns } from '@/lib/api/resource-sort-columns';
import * as schema from '@/lib/api/schema';
import { errorModels, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import { profiles } from '@/lib/validate/profile';
import { changeKinds } from '@/lib/view-model/changes/build-changes';
import { clientStatuses } from '@/lib/xds/status';
import { convergenceOperations } from './openapi-convergence';
import { historyOperations } from './openapi-history';
import type { Operation, Parameter } from './openapi-operation';

export type { Operation } from './openapi-operation';

const clientId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Client id: 16 hex digits made of node id and scope.',
};
const sourceId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Source id, as in csds:127.0.0.1:50051, percent-encoded.',
};
const permalinkId: Parameter = { name: 'id', in: 'path', text: 'Permalink id: 128 random bits, base64url.' };
const resourceKey: readonly Parameter[] = [
  { name: 'typeUrl', in: 'query', text: 'Type URL of the resource.', required: true },
  { name: 'name', in: 'query', text: 'Name of the resource.', required: true },
];
const atQuery: Parameter = {
  name: 'at',
  in: 'query',
  text: 'As of this moment, out of the log: ISO 8601, or right after an event as in seq:4711. Default: now.',
};
const graphQuery: readonly Parameter[] = [
  { name: 'limit', in: 'query', text: 'Draw about so many nodes; the rest is aggregated. Default 300.' },
  { name: 'expand', in: 'query', text: 'Id of an aggregate to open. Repeatable.' },
  { name: 'focus', in: 'query', text: 'Id of a node whose neighbourhood stays.' },
  { name: 'find', in: 'query', text: 'Search expression; what matches is drawn.' },
  { name: 'resolve', in: 'query', text: 'Name of a listener: nodes are marked by its resolved config.' },
  { name: 'target', in: 'query', text: 'Instead of resolve: what a gRPC client dials, as in xds:///shop.' },
  { name: 'profile', in: 'query', text: 'Whose manners the marks follow.', enum: resolveProfiles },
  { name: 'errors', in: 'query', text: 'For the marks: pre-a88 (default) or a88.', enum: errorModels },
];

const exportQuery: readonly Parameter[] = [
  { name: 'from', in: 'query', text: 'ISO 8601. Default: the beginning of the log.' },
  { name: 'to', in: 'query', text: 'ISO 8601. Default: now.' },
  { name: 'client', in: 'query', text: 'Only this client: its id. Default: all, but for those of files.' },
];

const findingsQuery: readonly Parameter[] = [
  { name: 'profile', in: 'query', text: "Whose verdict. Default: the client's own kind.", enum: profiles },
  { name: 'rule', in: 'query', text: 'Only findings of this rule, as in C4.' },
  {
    name: 'only',
    in: 'query',
    text: 'NACK: only what the profile refuses. Default: all.',
    enum: ['NACK', 'all'],
  },
  { name: 'typeUrl', in: 'query', text: 'Only resources of this type.' },
  { name: 'name', in: 'query', text: 'Only resources of this name.' },
  { name: 'offset', in: 'query', text: 'Resources to leave out. Default 0.' },
  { name: 'limit', in: 'query', text: 'At most so many resources. Default 100.' },
];

const resourcesQuery: readonly Parameter[] = [
  { name: 'type', in: 'query', text: 'Only this type, as in CDS, or a type URL. Repeatable.' },
  {
    name: 'status',
    in: 'query',
    text: "Only this status of the client's. Repeatable.",
    enum: clientStatuses,
  },
  { name: 'name', in: 'query', text: 'Only the resource of this name.' },
  {
    name: 'q',
    in: 'query',
    text: 'Words, each in the name, the version, the hash or the reason. At most 20.',
  },
  {
    name: 'sort',
    in: 'query',
    text: 'By default types in their fixed order, then names; status: trouble first.',
    enum: resourceSortColumns.flatMap((column) => [column, `-${column}`]),
  },
  { name: 'limit', in: 'query', text: 'Default and at most 1000; 0 for the counts alone.' },
  {
    name: 'cursor',
    in: 'query',
    text: 'nextCursor of the page before, which was asked for with the same sort.',
  },
];

const nacksQuery: readonly Parameter[] = [
  { name: 'client', in: 'query', text: 'Only what this client refused: its id.' },
  { name: 'type', in: 'query', text: 'Only of this type: a service, as in CDS, or a type URL.' },
  { name: 'resource', in: 'query', text: "Part of the resource's name." },
  { name: 'text', in: 'query', text: 'Part of what the client said.' },
  { name: 'state', in: 'query', text: 'open: a client refuses it still. Default: both.', enum: nackStates },
  { name: 'from', in: 'query', text: 'Refused at this moment (ISO 8601) or later.' },
  { name: 'to', in: 'query', text: 'Refused at this moment or before.' },
  { name: 'cursor', in: 'query', text: '`next` of the page before.' },
  { name: 'limit', in: 'query', text: 'Default 200, at most 1000.' },
];

const referencesQuery: readonly Parameter[] = [
  { name: 'kind', in: 'query', text: 'Which of the two.', enum: referenceKinds, required: true },
  { name: 'offset', in: 'query', text: 'Of the first one that is listed.' },
  { name: 'limit', in: 'query', text: 'Default 200, at most 1000.' },
];

const resolvedQuery: readonly Parameter[] = [
  {
    name: 'target',
    in: 'query',
    text: 'What a gRPC client dials, as in xds:///shop; its name is the authority.',
  },
  {
    name: 'listener',
    in: 'query',
    text: 'Name of a listener, API or socket; by default the first one. Not together with target.',
  },
  {
    name: 'profile',
    in: 'query',
    text: "Whose manners. By default what the client's user agent tells.",
    enum: resolveProfiles,
  },
  {
    name: 'errors',
    in: 'query',
    text: 'Does a deletion drop what was cached (before gRFC A88)? Default pre-a88: it does.',
    enum: errorModels,
  },
  atQuery,
  { name: 'offset', in: 'query', text: 'Of the first cluster that is listed.' },
  { name: 'limit', in: 'query', text: 'Of clusters. Default 200, at most 1000.' },
  { name: 'find', in: 'query', text: 'Lists clusters alone whose names contain this.' },
  { name: 'cluster', in: 'query', text: 'Lists this cluster alone.' },
  {
    name: 'status',
    in: 'query',
    text: 'Lists clusters of this status alone.',
    enum: resolvedClusterStatuses,
  },
  { name: 'endpoints', in: 'query', text: 'Listed of a cluster at the most. Default 100, at most 1000.' },
  { name: 'starts', in: 'query', text: 'Lists only listeners to begin with whose names hold this.' },
  {
    name: 'hostsFrom',
    in: 'query',
    text: 'Of the virtual hosts of each chain, 100 are listed from here on. One number for all chains, or each its own by its place: 0:100,2:200.',
  },
  {
    name: 'routesFrom',
    in: 'query',
    text: 'Of the routes of each virtual host, 200 are listed from here on. One number for all, or each its own by the places of its chain and of itself in that: 0.5:200,0.7:400.',
  },
];

/** Every operation of the API: the OpenAPI document is made of it, and a test holds it against the route handlers. */
export const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/health',
    summary: 'State of the recorder and the sources.',
    answer: schema.health,
  },
  { method: 'get', path: '/openapi.json', summary: 'This document.' },
  { method: 'get', path: '/sources', summary: 'What xdscope listens to.', answer: schema.lists.sources },
  {
    method: 'post',
    path: '/sources',
    summary: 'Add a source.',
    body: schema.newSource,
    status: 201,
    answer: schema.source,
  },
  {
    method: 'delete',
    path: '/sources',
    summary: 'Remove a source that was added in the browser.',
    parameters: [{ ...sourceId, in: 'query', required: true }],
    status: 204,
  },
  {
    method: 'get',
    path: '/sources/{id}',
    summary: 'One source.',
    parameters: [sourceId],
    answer: schema.source,
  },
  {
    method: 'patch',
    path: '/sources/{id}',
    summary: 'Pause or resume a source, or change the manner of one that was added in the browser.',
    parameters: [sourceId],
    body: schema.sourceChange,
    answer: schema.source,
  },
  {
    method: 'delete',
    path: '/sources/{id}',
    summary: 'Remove a source that was added in the browser.',
    parameters: [sourceId],
    status: 204,
  },
  {
    method: 'get',
    path: '/clients',
    summary: 'Observed clients, one line each.',
    answer: schema.lists.clients,
  },
  {
    method: 'get',
    path: '/clients/{id}',
    summary: 'One client with its node, also one that is gone.',
    parameters: [clientId, atQuery],
    answer: schema.clientDetail,
  },
  {
    method: 'get',
    path: '/clients/{id}/resources',
    summary:
      "A client's resources, page by page: its own word, and the control plane's beside it. With an ETag; 304 while nothing changed.",
    parameters: [
      clientId,
      atQuery,
      ...resourcesQuery,
      { name: 'if-none-match', in: 'header', text: 'The ETag of an answer to the same question.' },
    ],
    answer: resourcePage,
  },
  {
    method: 'get',
    path: '/clients/{id}/graph',
    summary: 'Listener, route, cluster, locality and endpoint as a graph.',
    parameters: [clientId, atQuery, ...graphQuery],
    answer: schema.graph,
  },
  {
    method: 'get',
    path: '/clients/{id}/links',
    summary: 'What a resource uses, and what uses it.',
    parameters: [clientId, atQuery, ...resourceKey],
    answer: schema.resourceLinks,
  },
  {
    method: 'get',
    path: '/clients/{id}/resolved',
    summary: 'The one config that a client makes of its resources (gRFC A74), or what it still waits for.',
    parameters: [clientId, ...resolvedQuery],
    answer: resolved,
  },
  {
    method: 'get',
    path: '/clients/{id}/findings',
    summary:
      'Every rule that the resources of a client break, and which clients refuse, ignore or take them.',
    parameters: [clientId, atQuery, ...findingsQuery],
    answer: clientFindings,
  },
  {
    method: 'get',
    path: '/clients/{id}/changes',
    summary: 'What of a client became different between two moments, resource by resource.',
    parameters: [
      clientId,
      { ...atQuery, name: 'from', text: 'The first moment: ISO 8601, or seq:4711.', required: true },
      { ...atQuery, name: 'to', text: 'The second moment, not before the first. Default: now.' },
      { name: 'kind', in: 'query', text: 'Only these.', enum: changeKinds },
      {
        name: 'content',
        in: 'query',
        text: 'other: without resources of which only the version is another. Default: all.',
        enum: ['all', 'other'],
      },
      { name: 'offset', in: 'query', text: 'Changes to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 200, at most 1000.' },
    ],
    answer: clientChanges,
  },
  {
    method: 'get',
    path: '/clients/{id}/tears',
    summary: 'When what a client used did not fit together, and what clients of two kinds felt of it.',
    parameters: [
      clientId,
      { name: 'from', in: 'query', text: 'Tears that ended before are left out. ISO 8601.' },
      { name: 'to', in: 'query', text: 'End of the history that is looked at. Default: now.' },
      ...resolvedQuery.filter(({ name }) => ['target', 'listener', 'profile', 'errors'].includes(name)),
    ],
    answer: tears,
  },
  {
    method: 'get',
    path: '/clients/{id}/references',
    summary: 'What a client’s resources name and is not there, or what is there and no listener leads to.',
    parameters: [clientId, atQuery, ...referencesQuery],
    answer: references,
  },
  {
    method: 'post',
    path: '/imports',
    summary:
      'Import a file (.xdscope), as application/octet-stream, at most 200 MiB: what kind it is tells its content. It becomes a source, and what it holds clients.',
    parameters: [{ name: 'name', in: 'query', text: 'What to call it; a file name, mostly.' }],
    status: 201,
    answer: schema.source,
  },
  {
    method: 'get',
    path: '/export',
    summary: 'A range of the log as an .xdscope file (server/dumps/README.md), as application/octet-stream.',
    parameters: exportQuery,
  },
  {
    method: 'get',
    path: '/export/estimate',
    summary: 'About how large that file will be.',
    parameters: exportQuery,
    answer: exportEstimate,
  },
  {
    method: 'get',
    path: '/replays',
    summary: 'Pasts that are served again, each by a management server of its own.',
    answer: replayList,
  },
  {
    method: 'post',
    path: '/replays',
    summary: 'Serve a client’s recorded stream, or what it held at a moment or in a permalink, on a port.',
    body: newReplay,
    status: 201,
    answer: replay,
  },
  {
    method: 'patch',
    path: '/replays/{id}',
    summary: 'Play, pause, set the speed, or serve any step.',
    parameters: [{ name: 'id', in: 'path', text: 'Id of the replay.' }],
    body: replayChange,
    answer: replay,
  },
  {
    method: 'delete',
    path: '/replays/{id}',
    summary: 'End a replay: its clients lose their server.',
    parameters: [{ name: 'id', in: 'path', text: 'Id of the replay.' }],
    status: 204,
  },
  {
    method: 'get',
    path: '/descriptor-sets',
    summary: 'Types that users told xdscope, by flag or by upload.',
    answer: descriptorSetList,
  },
  {
    method: 'post',
    path: '/descriptor-sets',
    summary:
      'Tell xdscope types: a FileDescriptorSet as protoc and buf write it, as application/octet-stream, at most 16 MiB. They decode from then on.',
    parameters: [{ name: 'name', in: 'query', text: 'What to call it; a file name, mostly.' }],
    status: 201,
    answer: descriptorSet,
  },
  {
    method: 'delete',
    path: '/descriptor-sets/{id}',
    summary: 'Forget the types of an upload.',
    parameters: [{ name: 'id', in: 'path', text: 'Id of the set: 16 hex digits.' }],
    status: 204,
  },
  {
    method: 'get',
    path: '/resources/{hash}',
    summary: "A resource's body by the SHA-256 of its bytes (after redaction).",
    parameters: [
      { name: 'hash', in: 'path', text: '64 hex digits.' },
      { name: 'format', in: 'query', text: 'Default json.', enum: ['json', 'yaml', 'binary'] },
      {
        name: 'typeUrl',
        in: 'query',
        text: 'Read the bytes as this type; needed only where equal bytes are stored under two types.',
      },
      {
        name: 'meta',
        in: 'query',
        text: '1: answer {hash, typeUrl, sizeBytes, text, opaque, unknown, v2, redacted} instead of the text alone.',
        enum: ['1'],
      },
    ],
    answer: schema.resourceBody,
  },
  {
    method: 'post',
    path: '/permalinks',
    summary: 'Store a client as it is now, or as it was at a moment, with a view.',
    body: schema.newPermalink,
    status: 201,
    answer: schema.permalinkCreated,
  },
  {
    method: 'get',
    path: '/permalinks/{id}',
    summary: 'A stored client and view.',
    parameters: [permalinkId, ...graphQuery],
    answer: schema.permalink,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/resolved',
    summary: 'The resolved config of a stored client.',
    parameters: [permalinkId, ...resolvedQuery.filter(({ name }) => name !== 'at')],
    answer: resolved,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/resources',
    summary: 'The resources of a stored client, page by page.',
    parameters: [permalinkId, ...resourcesQuery],
    answer: resourcePage,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/references',
    summary: 'What a stored client’s resources name and is not there, or what is there and nobody names.',
    parameters: [permalinkId, ...referencesQuery],
    answer: references,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/findings',
    summary: 'Every rule that the resources of a stored client break.',
    parameters: [permalinkId, ...findingsQuery],
    answer: clientFindings,
  },
  {
    method: 'get',
    path: '/permalinks/{id}/links',
    summary: 'What a stored resource uses, and what uses it.',
    parameters: [permalinkId, ...resourceKey],
    answer: schema.resourceLinks,
  },
  ...historyOperations,
  ...convergenceOperations,
  {
    method: 'get',
    path: '/pins',
    summary: 'Ranges of the log that retention leaves alone.',
    answer: pinList,
  },
  {
    method: 'post',
    path: '/pins',
    summary: 'Keep a range of the log, of a client or of everybody, whatever the retention’s limits say.',
    body: newPin,
    status: 201,
    answer: pin,
  },
  {
    method: 'delete',
    path: '/pins/{id}',
    summary: 'Let go of a pinned range.',
    parameters: [{ name: 'id', in: 'path', text: 'Id of the pin.' }],
    status: 204,
  },
  {
    method: 'post',
    path: '/validate',
    summary:
      'What a client would make of a resource, or of a document of them as JSON, YAML or text. Nothing is stored.',
    parameters: [
      {
        name: 'profile',
        in: 'query',
        text: 'Whose verdict: C-core 1.51, grpc-go 1.64, Java as documented, grpc-js-xds 1.14, or Envoy by its protos. Default core.',
        enum: profiles,
      },
      { name: 'typeUrl', in: 'query', text: 'What the document is, where it does not say so itself.' },
    ],
    body: newValidation,
    answer: validation,
  },
  {
    method: 'get',
    path: '/load',
    summary: 'Load reports (LRS), summed per client, cluster and locality.',
    answer: schema.lists.load,
  },
  {
    method: 'get',
    path: '/nacks',
    summary:
      'Refusals: those of the same type, resource and text in one group, over clients and time. Open ones first.',
    parameters: nacksQuery,
    answer: nackPage,
  },
  {
    method: 'get',
    path: '/nacks/{groupId}',
    summary:
      'One group: the text read, the payload with the refused field, our findings, and what became of it with each client.',
    parameters: [{ name: 'groupId', in: 'path', text: 'Id of the group, as in the list.' }],
    answer: nackDetail,
  },
  {
    method: 'get',
    path: '/events',
    summary: 'What happened, newest first.',
    parameters: [
      { name: 'limit', in: 'query', text: 'At most so many. Default 100.' },
      { name: 'clientId', in: 'query', text: 'Of this client only.' },
    ],
    answer: schema.lists.events,
  },
  {
    method: 'get',
    path: '/stream',
    summary: 'Changes as server-sent events: hello, frame, reset.',
    parameters: [
      {
        name: 'topics',
        in: 'query',
        text: 'Comma-separated: fleet, sources, lab, load, nacks, client:ID. Default fleet,sources.',
      },
      { name: 'Last-Event-ID', in: 'header', text: 'Resume after this event.' },
    ],
    mediaType: 'text/event-stream',
  },
  {
    method: 'get',
    path: '/lab',
    summary: 'The embedded lab: its processes, weather and bad resources.',
    answer: schema.labStatus,
  },
  {
    method: 'post',
    path: '/lab/weather',
    summary: 'Start or stop the weather.',
    body: z.object({ weather: z.enum(['on', 'off']) }),
    answer: schema.labStatus,
  },
  {
    method: 'post',
    path: '/lab/backends/{name}',
    summary: 'Stop or start a backend.',
    parameters: [{ name: 'name', in: 'path', text: 'Name of the backend.' }],
    body: z.object({ running: z.boolean() }),
    answer: schema.labStatus,
  },
  {
    method: 'post',
    path: '/lab/mischief/{name}',
    summary: 'Push or mend a bad resource.',
    parameters: [{ name: 'name', in: 'path', text: 'Name of the bad resource.' }],
    body: z.object({ active: z.boolean() }),
    answer: schema.labStatus,
  },
  {
    method: 'get',
    path: '/lab/resources',
    summary: "The mesh's resources.",
    answer: schema.lists.labResources,
  },
  {
    method: 'put',
    path: '/lab/resources',
    summary: 'Set one of the mesh’s resources.',
    body: z.object({
      typeUrl: z.string(),
      name: z.string().optional(),
      resource: z.unknown().optional(),
      valueBase64: z.string().optional(),
    }),
    answer: schema.lists.labResources,
  },
  {
    method: 'delete',
    path: '/lab/resources',
    summary: "Remove one of the mesh's resources.",
    parameters: resourceKey,
    answer: schema.lists.labResources,
  },
];

/** OpenAPI 3.1 of everything under /api/v1. */
export function buildOpenApi(version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = buildOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'xdscope',
      version,
      description:
        'The same API that the pages use. Errors are RFC 9457 problem JSON. Times are ISO 8601 in UTC.',
    },
    servers: [{ url: '/api/v1' }],
    paths,
  };
}

function buildOperation({
  summary,
  parameters = [],
  body,
  status = 200,
  answer,
  mediaType,
}: Operation): unknown {
  const problem = {
    description: 'What was expected, and what came.',
    content: { 'application/problem+json': { schema: toJsonSchema(schema.problemDetails) } },
  };
  const type = mediaType ?? 'application/json';
  const content =
    answer === undefined
      ? mediaType === undefined
        ? undefined
        : { [type]: {} }
      : { [type]: { schema: toJsonSchema(answer) } };
  return {
    summary,
    parameters: parameters.map(({ name, in: where, text, required, enum: values }) => ({
      name,
      in: where,
      description: text,
      required: where === 'path' || required === true,
      schema: { type: 'string', ...(values === undefined ? {} : { enum: values }) },
    })),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(body) } } } }),
    responses: {
      [status]: { description: 'As asked.', ...(content === undefined ? {} : { content }) },
      default: problem,
    },
  };
}

function toJsonSchema(type: z.ZodType): unknown {
  const { $schema: _, ...json } = z.toJSONSchema(type, { io: 'input' });
  return json;
}
