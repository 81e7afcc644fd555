import { z } from 'zod';
import * as lab from '@/lib/api/lab';
import type { Operation } from './operation';
import { resourceKey } from './parameters';

/** The embedded lab. */
export const labOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/lab',
    summary: 'The embedded lab: its processes, weather and bad resources.',
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/weather',
    summary: 'Start or stop the weather.',
    body: z.object({ weather: z.enum(['on', 'off']) }),
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/load-reporter',
    summary:
      'Start or stop the simulated reporter of load: real requests, told as an Envoy tells them, by priority and endpoint and with named metrics.',
    body: lab.labReporterChange,
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/renew',
    summary: 'Send everything again, or all of one type: the same contents under a new version.',
    body: z.strictObject({ type: z.string().optional() }),
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/backends/{name}',
    summary: 'Stop or start a backend, or have it fail a share of its calls.',
    parameters: [{ name: 'name', in: 'path', text: 'Name of the backend.' }],
    body: lab.labBackendChange,
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/assignments/{name}',
    summary:
      'Stop or start all backends of an assignment, a priority or a locality; change weights, drops and failures.',
    parameters: [{ name: 'name', in: 'path', text: 'Name of the ClusterLoadAssignment.' }],
    body: lab.labAssignmentChange,
    answer: lab.labStatus,
  },
  {
    method: 'post',
    path: '/lab/mischief/{name}',
    summary: 'Push or mend a bad resource.',
    parameters: [{ name: 'name', in: 'path', text: 'Name of the bad resource.' }],
    body: z.object({ active: z.boolean() }),
    answer: lab.labStatus,
  },
  {
    method: 'get',
    path: '/lab/resources',
    summary: "The mesh's resources.",
    answer: lab.labResources,
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
    answer: lab.labResources,
  },
  {
    method: 'delete',
    path: '/lab/resources',
    summary: "Remove one of the mesh's resources.",
    parameters: resourceKey,
    answer: lab.labResources,
  },
];
