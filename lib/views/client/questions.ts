import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { at } from '../fields/query-fields';
import { clientDetail, clientsPage, clientsQuery } from './schema';

export const clientsQuestion = defineQuestion({
  summary: 'The clients, one line each. GET fleet filters, sorts and groups them.',
  query: clientsQuery,
  answer: clientsPage,
});

export const clientQuestion = defineQuestion({
  summary: 'One client with its node, including a removed client.',
  query: z.object({ at }),
  answer: clientDetail,
});
