import { isNamedTag } from '@/lib/api/is-named-tag';
import { clientQuestions, recordedQuestions, storedHistoryQuestions } from '@/lib/questions/client-questions';
import { otherQuestions } from '@/lib/questions/questions';
import type { Ask, AskContext, QuestionPath } from '../answers/ask';
import type { AskClient, ClientQuestionName, ClientRef } from '../answers/ask-client';
import { missingSubject } from '../answers/simulate-failover';
import { notFound } from '../api/api-error';
import { cutLongTexts } from '../api/cut-long-texts';
import { readQuery } from './read-query';

export interface AnswerRequestParts {
  readonly ask: Ask;
  readonly askClient: AskClient;
  /** Equal tags mean equal rows of a live client. undefined: there is no such client. */
  readonly findRowsTag: (clientId: string) => string | undefined;
}

/** `path`: the decoded segments below /api/v1. Throws ApiError. */
export type AnswerRequest = (request: Request, path: readonly string[]) => Promise<Response>;

const aboutClients = { ...clientQuestions, ...storedHistoryQuestions, ...recordedQuestions };
const isClientQuestion = (name: string): name is ClientQuestionName => Object.hasOwn(aboutClients, name);
const paths = Object.keys(otherQuestions) as QuestionPath[];
const uncached = { 'cache-control': 'no-store' };

/**
 * Answers GET requests for the questions of lib/questions: 404 if there is no such question, client or permalink, and 400
 * if the query is not valid.
 */
export function createAnswerRequest(parts: AnswerRequestParts): AnswerRequest {
  const { ask, askClient, findRowsTag } = parts;
  return async (request, path) => {
    const other = findOtherQuestion(path);
    if (other !== undefined) return answerOther(request, other.path, other.params);
    const [subjects, id = '', ...rest] = path;
    const name = rest.join('/');
    if ((subjects === 'clients' || subjects === 'permalinks') && isClientQuestion(name)) {
      return answerAboutClient(request, subjects, id, name);
    }
    throw notFound('Operation', `GET /api/v1/${path.join('/')} is not in /api/v1/openapi.json`);
  };

  async function answerOther(
    request: Request,
    path: QuestionPath,
    params: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const query = readQuery(new URL(request.url).searchParams, otherQuestions[path].query);
    const context: AskContext = { params, signal: request.signal, headers: request.headers };
    const answer: unknown = await ask(path, query as never, context as never);
    return answer instanceof Response ? answer : answerJson(answer, uncached);
  }

  async function answerAboutClient(
    request: Request,
    subjects: 'clients' | 'permalinks',
    id: string,
    name: ClientQuestionName,
  ): Promise<Response> {
    const { at, ...rest } = readQuery(new URL(request.url).searchParams, aboutClients[name].query);
    const query = Object.hasOwn(recordedQuestions, name) && at !== undefined ? { ...rest, at } : rest;
    const ref = refOf(subjects, id, at);
    const find = async (): Promise<unknown> => {
      const answer = await askClient(name, ref, query as never, request.signal);
      if (answer === undefined) throw missingSubject(ref);
      return answer;
    };
    if (name !== 'resources' || subjects !== 'clients' || at !== undefined) {
      return answerJson(await find(), uncached);
    }
    // Read before the rows: if the rows change meanwhile, the next request gets the new ones.
    const tag = findRowsTag(id);
    if (tag === undefined) throw missingSubject(ref);
    const headers = { etag: tag, 'cache-control': 'no-cache' };
    const isUnchanged = isNamedTag(request.headers.get('if-none-match') ?? '', tag);
    return isUnchanged ? new Response(null, { status: 304, headers }) : answerJson(await find(), headers);
  }
}

/** An answer that must hold its texts as a whole is a Response when it comes here. */
function answerJson(answer: unknown, headers: Readonly<Record<string, string>>): Response {
  return Response.json(cutLongTexts(answer), { headers });
}

function findOtherQuestion(
  segments: readonly string[],
): { readonly path: QuestionPath; readonly params: Record<string, string> } | undefined {
  for (const path of paths) {
    const wanted = path.split('/');
    if (wanted.length !== segments.length) continue;
    const params: Record<string, string> = {};
    const matches = wanted.every((part, index) => {
      const segment = segments[index] ?? '';
      if (!part.startsWith('{')) return part === segment;
      params[part.slice(1, -1)] = segment;
      return true;
    });
    if (matches) return { path, params };
  }
  return undefined;
}

function refOf(subjects: 'clients' | 'permalinks', id: string, at: string | string[] | undefined): ClientRef {
  if (subjects === 'permalinks') return { permalinkId: id };
  return typeof at === 'string' ? { clientId: id, at } : { clientId: id };
}
