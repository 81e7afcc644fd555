import * as z from 'zod';
import type { Cost, Question } from '@/lib/questions/question';
import { clientQuestions, recordedQuestions, storedHistoryQuestions } from '@/lib/views/client-questions';
import { at } from '@/lib/views/fields/query-fields';
import { otherQuestions } from '@/lib/views/questions';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly text: string;
  readonly enum?: readonly string[];
  readonly required?: boolean;
  /** A JSON Schema, by default that of a string. */
  readonly schema?: object;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path is relative to /api/v1. */
  readonly path: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  /** The schema of a JSON body. */
  readonly body?: z.ZodType;
  /** Media types of the body, by default JSON. */
  readonly bodyTypes?: readonly string[];
  readonly status?: number;
  readonly answer?: z.ZodType;
  readonly mediaType?: string;
  /** Schemas of other forms of the answer, by media type. */
  readonly otherForms?: Readonly<Record<string, z.ZodType>>;
  /** If absent, the request is not limited. */
  readonly cost?: Cost;
}

const clientId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Client id: 16 hex digits made of node id and scope.',
};

const permalinkId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Permalink id: 128 random bits, base64url.',
};

const [atParameter] = queryParameters(z.object({ at }));

export const questionOperations: readonly Operation[] = [
  ...Object.entries(otherQuestions).map(([path, question]) => ofPath(path, question)),
  ...Object.entries(clientQuestions).flatMap(([name, question]) => [
    { ...operationOf(`/clients/{id}/${name}`, question), parameters: live(question) },
    ofPermalink(name, question),
  ]),
  ...Object.entries(storedHistoryQuestions).flatMap(([name, question]) => [
    ofLog(name, question),
    ofPermalink(name, question),
  ]),
  ...Object.entries(recordedQuestions).map(([name, question]) => ofLog(name, question)),
];

function ofPath(path: string, question: Question): Operation {
  return {
    ...operationOf(`/${path}`, question),
    parameters: [...pathParameters(path, question.params), ...queryParameters(question.query)],
  };
}

/** Returns one parameter for each `{name}` in the path. */
export function pathParameters(path: string, texts: Question['params'] = {}): Parameter[] {
  if (path.startsWith('clients/')) return [clientId];
  if (path.startsWith('permalinks/')) return [permalinkId];
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    return { name, in: 'path', text: texts[name] ?? `As listed by GET ${path.split('/')[0]}.` };
  });
}

function ofLog(name: string, question: Question): Operation {
  return {
    ...operationOf(`/clients/{id}/${name}`, question),
    parameters: [clientId, ...queryParameters(question.query)],
  };
}

function ofPermalink(name: string, question: Question): Operation {
  return {
    ...operationOf(`/permalinks/{id}/${name}`, question),
    summary: `${question.summary} The client is the one that the permalink stores.`,
    parameters: [permalinkId, ...queryParameters(question.query)],
  };
}

function live({ query }: Question): Parameter[] {
  return [clientId, ...(atParameter === undefined ? [] : [atParameter]), ...queryParameters(query)];
}

function operationOf(path: string, { summary, answer, mediaType, otherForms, cost }: Question): Operation {
  const content = mediaType === undefined ? { answer } : { mediaType };
  return {
    method: 'get',
    path,
    summary,
    ...content,
    ...(otherForms && { otherForms }),
    ...(cost && { cost }),
  };
}

/** Returns one parameter for each field of a query schema, with the description of its `.meta()`. */
export function queryParameters(query: z.ZodType): Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description = '', ...schema } = property === true || property === false ? {} : property;
    return { name, in: 'query', text: description, required: required.includes(name), schema };
  });
}
