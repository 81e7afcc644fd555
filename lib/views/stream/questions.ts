import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { described } from '../fields/query-fields';
import type { StreamTopic } from './schema';

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

export const streamQuestion = defineQuestion({
  summary: 'What may have changed, as server-sent events: hello, notices, heartbeat.',
  query: z.object({
    topics: described(
      topics,
      'Comma-separated: fleet, sources, lab, load, nacks, issues, history, client:ID. Default: fleet,sources.',
    ),
  }),
  answer: z.never(),
  mediaType: 'text/event-stream',
});
