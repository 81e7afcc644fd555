import * as z from 'zod';
import { defineCommand } from '../../questions/command';
import { defineQuestion } from '../../questions/question';
import { exportEstimate, exportQuery } from './export-schema';
import { fileImportList, importProblems, importProblemsQuery } from './import-schema';
import { newPin, pin, pinList } from './pin-schema';
import { newReplay, replay, replayChange, replayList } from './replay-schema';

export const exportQuestion = defineQuestion({
  summary: 'A range of the log as an .xdscope file (server/files/import/README.md).',
  query: exportQuery,
  answer: z.never(),
  mediaType: 'application/octet-stream',
  cost: 'recording',
});

export const exportEstimateQuestion = defineQuestion({
  summary: 'The approximate size of that file.',
  query: exportQuery,
  answer: exportEstimate,
  cost: 'question',
});

export const pinsQuestion = defineQuestion({
  summary: 'The ranges of the log that are exempt from retention.',
  query: z.object({}),
  answer: pinList,
});

export const replaysQuestion = defineQuestion({
  summary: 'The replays, each with the management server that serves it.',
  query: z.object({}),
  answer: replayList,
});

export const importsQuestion = defineQuestion({
  summary: 'The imported files, newest first, with the progress or the result of each.',
  query: z.object({}),
  answer: fileImportList,
});

export const importProblemsQuestion = defineQuestion({
  summary: 'The parts of a file that could not be read, with their place and the reason.',
  query: importProblemsQuery,
  answer: importProblems,
});

export const removeImport = defineCommand({
  summary: 'Cancel an import that is not complete; remove a complete one, with its clients.',
});

export const startReplay = defineCommand({
  summary:
    'Serve the recorded stream of a client, or its resources at a moment or in a permalink, on a port.',
  body: newReplay,
  status: 201,
  answer: replay,
});

export const changeReplay = defineCommand({
  summary: 'Play or pause a replay, set its speed, or serve a step.',
  body: replayChange,
  answer: replay,
});

export const endReplay = defineCommand({
  summary: 'End a replay; its server closes.',
});

export const addPin = defineCommand({
  summary: 'Exempt a range of the log, of one client or of all, from retention.',
  body: newPin,
  status: 201,
  answer: pin,
});

export const removePin = defineCommand({
  summary: 'Remove a pin: retention applies to its range again.',
});
