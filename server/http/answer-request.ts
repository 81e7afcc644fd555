import { setMaxListeners } from 'node:events';
import * as z from 'zod';
import { type Command, statusOf } from '@/lib/questions/command';
import { allClientQuestions, type ClientQuestionName } from '@/lib/views/client-questions';
import { type CommandKey, commands, type InputOf } from '@/lib/views/commands';
import { isNamedTag } from '@/lib/views/inspector/is-named-tag';
import { otherQuestions } from '@/lib/views/questions';
import type { Ask, AskContext, QuestionPath } from '../answers/ask';
import type { AskClient } from '../answers/ask-client';
import { operations } from '../answers/openapi/openapi';
import type { RunCommand } from '../answers/run-command';
import { missingSubject } from '../answers/simulate-failover';
import type { ClientRef } from '../answers/subjects/client-subjects';
import { ApiError, notFound } from '../api-error';
import { RecorderError } from '../store/recorder/recorder';
import { listMethods } from './find-misroute';
import { matchPath } from './match-path';
import { formatProblem, type ProblemParts, problemHeaders } from './problem-json';
import { readBody } from './read-body';

interface AnswerRequestParts {
  readonly ask: Ask;
  readonly askClient: AskClient;
  readonly runCommand: RunCommand;
  /** Returns equal tags for equal rows of a live client, or undefined if there is no such client. */
  readonly findRowsTag: (clientId: string) => Promise<string | undefined>;
}

/** Answers a request below /api/v1, an error as problem JSON. Never rejects. */
export type AnswerRequest = (request: Request) => Promise<Response>;

const isClientQuestion = (name: string): name is ClientQuestionName =>
  Object.hasOwn(allClientQuestions, name);
const paths = Object.keys(otherQuestions) as QuestionPath[];
const uncached = { 'cache-control': 'no-store' };

/**
 * Answers requests for the questions and commands of lib/views: 404 if there is no such operation, client
 * or permalink, and 400 if the query or the body is not valid.
 */
export function createAnswerRequest(parts: AnswerRequestParts): AnswerRequest {
  const { ask, askClient, runCommand, findRowsTag } = parts;
  return async (request) => {
    // An answer can consist of many jobs, each of which listens.
    setMaxListeners(0, request.signal);
    try {
      return await answer(request);
    } catch (error) {
      return answerError(error, request);
    }
  };

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const path = pathname.split('/').slice(3).map(decodeURIComponent);
    if (request.method === 'OPTIONS') {
      const allow = listMethods(pathname, operations).join(', ');
      return new Response(null, { status: 204, headers: { allow } });
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answered = await (isRead
      ? answerQuestion(request, path)
      : answerCommand(request, path, runCommand));
    if (answered !== undefined) return answered;
    throw notFound('Operation', `${request.method} ${pathname} is not in /api/v1/openapi.json`);
  }

  async function answerQuestion(request: Request, path: readonly string[]): Promise<Response | undefined> {
    const other = matchPath(paths, path);
    if (other !== undefined) return answerOther(request, other.path, other.params);
    const [subjects, id = '', ...rest] = path;
    const name = rest.join('/');
    if ((subjects === 'clients' || subjects === 'permalinks') && isClientQuestion(name)) {
      return answerAboutClient(request, subjects, id, name);
    }
    return undefined;
  }

  async function answerOther(
    request: Request,
    path: QuestionPath,
    params: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const query = readQuery(new URL(request.url).searchParams, otherQuestions[path].query);
    const context: AskContext = { params, signal: request.signal, headers: request.headers };
    const answer: unknown = await ask(path, query as never, context as never);
    return answer instanceof Response ? answer : Response.json(answer, { headers: uncached });
  }

  async function answerAboutClient(
    request: Request,
    subjects: 'clients' | 'permalinks',
    id: string,
    name: ClientQuestionName,
  ): Promise<Response> {
    const { at, ...query } = readQuery(new URL(request.url).searchParams, allClientQuestions[name].query);
    const ref = refOf(subjects, id, at);
    const find = async (): Promise<unknown> => {
      const answer = await askClient(name, ref, query as never, request.signal);
      if (answer === undefined) throw missingSubject(ref);
      return answer;
    };
    if (name !== 'resources' || subjects !== 'clients' || at !== undefined) {
      return Response.json(await find(), { headers: uncached });
    }
    // The tag is read before the rows: if the rows change meanwhile, the next request gets the new ones.
    const tag = await findRowsTag(id);
    if (tag === undefined) throw missingSubject(ref);
    const headers = { etag: tag, 'cache-control': 'no-cache' };
    const isUnchanged = isNamedTag(request.headers.get('if-none-match') ?? '', tag);
    return isUnchanged
      ? new Response(null, { status: 304, headers })
      : Response.json(await find(), { headers });
  }
}

function refOf(subjects: 'clients' | 'permalinks', id: string, at: string | string[] | undefined): ClientRef {
  if (subjects === 'permalinks') return { permalinkId: id };
  return typeof at === 'string' ? { clientId: id, at } : { clientId: id };
}

/** Proxies log this status if the client closed the connection before the answer. */
const clientClosedRequest = 499;

/** Answers with RFC 9457 problem JSON for an error of an answer function. An unexpected error is logged. */
function answerError(error: unknown, request: Request): Response {
  if (error instanceof ApiError) {
    const { status, title, detail, field } = error;
    return problemResponse({ status, title, detail, field });
  }
  // Work that was aborted because the client closed the connection is not a failure.
  if (request.signal.aborted) return new Response(null, { status: clientClosedRequest });
  if (error instanceof RecorderError) {
    return problemResponse({ status: 503, title: 'Recording not available', detail: error.message });
  }
  process.stderr.write(`xdscope: ${request.method} ${new URL(request.url).pathname}: ${String(error)}\n`);
  const detail = 'xdscope failed to answer; its log states the reason';
  return problemResponse({ status: 500, title: 'Internal error', detail });
}

function problemResponse(problem: ProblemParts): Response {
  return new Response(formatProblem(problem), { status: problem.status, headers: problemHeaders });
}

/** The key is composed of method and path, as in "POST/pins". */
const commandKeys = new Map(
  (Object.keys(commands) as CommandKey[]).map((key) => [key.replace(' ', '/'), key] as const),
);
const commandPaths = [...commandKeys.keys()];

/** `path` contains the decoded segments below /api/v1. undefined if there is no such command. Throws ApiError. */
async function answerCommand(
  request: Request,
  path: readonly string[],
  run: RunCommand,
): Promise<Response | undefined> {
  const found = matchPath(commandPaths, [request.method, ...path]);
  const key = found && commandKeys.get(found.path);
  if (found === undefined || key === undefined) return undefined;
  const command: Command = commands[key];
  const query = command.query && readQuery(new URL(request.url).searchParams, command.query);
  const body = await readBody(request, command);
  const answer: unknown = await run(
    key,
    { params: found.params, query, body } as InputOf<CommandKey>,
    request.signal,
  );
  const status = statusOf(command);
  return command.answer === undefined
    ? new Response(null, { status })
    : Response.json(answer, { status, headers: { 'cache-control': 'no-store' } });
}

/** Returns the query of a URL in the shape of its schema: all values of a list field, the last of any other. */
export function readQuery(params: URLSearchParams, schema: z.ZodType): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.fromEntries(params);
  if (!(schema instanceof z.ZodObject)) return query;
  for (const [name, field] of Object.entries(schema.shape)) {
    if (isList(field)) query[name] = params.getAll(name);
  }
  return query;
}

function isList(field: unknown): boolean {
  if (field instanceof z.ZodDefault || field instanceof z.ZodOptional) return isList(field.unwrap());
  return field instanceof z.ZodArray;
}
