import { z } from 'zod';
import { descriptorSetList } from '../api/descriptor-sets';
import { fileImportList, importProblems, importProblemsQuery } from '../api/imports';
import { credentialsList, source, sourcePage, sourcesQuery } from '../api/sources';
import { defineQuestion } from './question';

/** Questions about data sources, imported files and message types, by their path below /api/v1. */
export const sourceQuestions = {
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

export type SourceQuestions = typeof sourceQuestions;
