import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { described } from '../fields/query-fields';
import { permalinkCreated } from '../permalinks/schema';
import { checkRun, checkRunList, checkRunSummary, newCheckRun } from './schema';

export const checkRunsQuestion = defineQuestion({
  summary:
    'The checks of management servers by the rules of the xDS transport protocol, and the runs, newest first.',
  query: z.object({}),
  answer: checkRunList,
});

export const checkRunQuestion = defineQuestion({
  summary: 'One run, with what was expected of the server and the messages that were exchanged.',
  query: z.object({
    format: described(
      z.enum(['json', 'junit']).default('json'),
      'json, or junit: a test suite in the JUnit format.',
    ),
  }),
  answer: checkRun,
  otherForms: { 'application/xml': z.string() },
  hasWholeTexts: true,
});

export const sharedCheckRunQuestion = defineQuestion({
  summary:
    'A run as it was when it was shared, with its messages. It does not change, and is not removed with the run.',
  query: z.object({}),
  answer: checkRun,
  hasWholeTexts: true,
});

export const startCheckRun = defineCommand({
  summary:
    'Check a management server. It is only read, unless it is that of the lab. One run at a time; its progress is in the list.',
  body: newCheckRun,
  status: 201,
  answer: checkRunSummary,
});

export const removeCheckRun = defineCommand({
  summary: 'Stop a run that is under way; remove one that has ended.',
});

export const shareCheckRun = defineCommand({
  summary: 'Keep a copy of a run that has ended, with its messages, under a permalink.',
  answer: permalinkCreated,
});
