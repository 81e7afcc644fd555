import { fileImportList, importProblems } from '@/lib/api/imports';
import { newPin, pin, pinList } from '@/lib/api/pins';
import { newReplay, replay, replayChange, replayList } from '@/lib/api/replays';
import * as schema from '@/lib/api/schema';
import type { Operation, Parameter } from './operation';

const importId: Parameter = { name: 'id', in: 'path', text: 'Id of the import.' };

/** Files of recordings, what is served of them again, and what retention leaves alone. */
export const recordingOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/imports',
    summary:
      'Import a file as the body (application/octet-stream, json, yaml, protobuf, gzip or zstd), at most 200 MiB: a recording (.xdscope), config dumps of Envoy, CSDS answers, DiscoveryResponses, resources, bootstraps. What kind it is tells its content. It becomes a source, and what it holds clients.',
    parameters: [{ name: 'name', in: 'query', text: 'What to call it; a file name, mostly.' }],
    status: 201,
    answer: schema.source,
  },
  {
    method: 'get',
    path: '/imports',
    summary: 'Files that are imported, or were: how far they are, and what came of them.',
    answer: fileImportList,
  },
  {
    method: 'delete',
    path: '/imports/{id}',
    summary: 'Cancel an import that goes on; remove one that is done, with its clients.',
    parameters: [importId],
    status: 204,
  },
  {
    method: 'get',
    path: '/imports/{id}/problems',
    summary: 'What of a file could not be read, with its place and the reason.',
    parameters: [
      importId,
      { name: 'offset', in: 'query', text: 'Problems to leave out. Default 0.' },
      { name: 'limit', in: 'query', text: 'At most so many. Default 100, at most 1000.' },
    ],
    answer: importProblems,
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
];
