import * as z from 'zod';
import type { RawBody } from '@/lib/questions/command';
import type { ClientQuestionName } from '@/lib/views/client-questions';
import type { CommandKey, InputOf } from '@/lib/views/commands';
import type { LoadReader } from '../../live/load/load-reader';
import type { Ask, AskContext, QuestionPath } from '../ask';
import type { AskClient } from '../ask-client';
import type { RunCommand } from '../run-command';

const params = z.record(z.string(), z.string());
const anyObject = z.record(z.string(), z.unknown());
const fileBody = z.object({ base64: z.string(), contentType: z.string() });

/** What a web process asks the one that folds the fleet. Its queries and bodies are checked as those of a request are. */
export const relayedQuestion = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('question'),
    ...{ path: z.string(), query: z.unknown(), params, accept: z.string().optional() },
  }),
  z.object({ kind: z.literal('client'), name: z.string(), ref: anyObject, query: z.unknown() }),
  z.object({
    kind: z.literal('command'),
    ...{ key: z.string(), input: anyObject, file: fileBody.optional() },
  }),
  z.object({ kind: z.literal('load'), question: anyObject }),
  z.object({ kind: z.literal('metrics') }),
]);
export type RelayedQuestion = z.infer<typeof relayedQuestion>;

interface FolderParts {
  readonly ask: Ask;
  readonly askClient: AskClient;
  readonly runCommand: RunCommand;
  readonly loads: Pick<LoadReader, 'read'>;
  readonly getMetrics: () => Promise<string>;
}

/** Returns the answers of the process that folds the fleet. */
export function answerRelayed({ ask, askClient, runCommand, loads, getMetrics }: FolderParts) {
  return async (json: unknown, signal: AbortSignal): Promise<unknown> => {
    const asked = relayedQuestion.parse(json);
    switch (asked.kind) {
      case 'question': {
        const headers = new Headers(asked.accept === undefined ? {} : { accept: asked.accept });
        const context = { params: asked.params, signal, headers } as AskContext as never;
        return ask(asked.path as QuestionPath, asked.query as never, context);
      }
      case 'client':
        return askClient(asked.name as ClientQuestionName, asked.ref as never, asked.query as never, signal);
      case 'command': {
        const { key, input, file } = asked;
        const body = file && { bytes: Buffer.from(file.base64, 'base64'), contentType: file.contentType };
        const whole = { ...input, ...(body && { body }) } as InputOf<CommandKey>;
        return runCommand(key as CommandKey, whole, signal);
      }
      case 'load':
        return loads.read(asked.question as never, signal);
      case 'metrics':
        return getMetrics();
    }
  };
}

/** A command as it is relayed: the bytes of a file are text. */
export function relayCommand(key: string, { body, ...input }: InputOf<CommandKey>): RelayedQuestion {
  const file = isFile(body) && {
    base64: Buffer.from(body.bytes).toString('base64'),
    contentType: body.contentType,
  };
  return { kind: 'command', key, ...(file ? { input, file } : { input: { ...input, body } }) };
}

function isFile(body: unknown): body is RawBody {
  return typeof body === 'object' && body !== null && Reflect.get(body, 'bytes') instanceof Uint8Array;
}
