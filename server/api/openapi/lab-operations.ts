import { z } from 'zod';
import * as schema from '@/lib/api/schema';
import type { Operation } from './operation';
import { resourceKey } from './parameters';

/** The embedded lab. */
export const labOperations: readonly Operation[] = [
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
    path: '/lab/renew',
    summary: 'Send everything again, or all of one type: the same contents under a new version.',
    body: z.strictObject({ type: z.string().optional() }),
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
