import * as z from 'zod';
import { type Command, statusOf } from '@/lib/questions/command';
import { commands, streamedCommands } from '@/lib/views/commands';
import { problemDetails } from '@/lib/views/fields/problem';
import { type Operation, pathParameters, queryParameters, questionOperations } from './question-operations';

export type { Operation } from './question-operations';

export const commandOperations: readonly Operation[] = Object.entries({
  ...commands,
  ...streamedCommands,
}).map(([key, command]) => operationOf(key, command));

/** All operations of the API. The OpenAPI document is built from them. */
export const operations: readonly Operation[] = [...questionOperations, ...commandOperations];

/** Builds the OpenAPI 3.1 document of all operations below /api/v1. */
export function buildOpenApi(version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = buildOperation(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'xdscope',
      version,
      description:
        'The same API that the pages use. Errors are RFC 9457 problem JSON. Times in JSON are integers: milliseconds since 1970-01-01T00:00:00Z; times in query parameters are ISO 8601, or, except for at, such integers.',
    },
    servers: [{ url: '/api/v1' }],
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of the URL that the start prints.' },
      },
    },
    // The server requires the token unless it was started with --no-token.
    security: [{ token: [] }],
    paths,
  };
}

function buildOperation({
  summary,
  parameters = [],
  body,
  bodyTypes,
  status = 200,
  answer,
  mediaType,
  otherForms,
}: Operation): unknown {
  const problem = {
    description: 'What was expected, and what came.',
    content: { 'application/problem+json': { schema: toJsonSchema(problemDetails) } },
  };
  const json = 'application/json';
  const types = bodyTypes ?? [json];
  const type = mediaType ?? json;
  const forms = Object.entries(otherForms ?? {}).map(
    ([form, schema]) => [form, toJsonSchema(schema)] as const,
  );
  const ofType = forms.filter(([form]) => form === type).map(([, schema]) => schema);
  const content =
    answer === undefined
      ? mediaType === undefined
        ? undefined
        : { [type]: {} }
      : {
          ...Object.fromEntries(forms.map(([form, schema]) => [form, { schema }])),
          [type]: {
            schema: ofType.length === 0 ? toJsonSchema(answer) : { anyOf: [toJsonSchema(answer), ...ofType] },
          },
        };
  return {
    summary,
    parameters: parameters.map(({ name, in: where, text, required, enum: values, schema: own }) => ({
      name,
      in: where,
      description: text,
      required: where === 'path' || required === true,
      schema: own ?? { type: 'string', ...(values === undefined ? {} : { enum: values }) },
    })),
    ...((body !== undefined || bodyTypes !== undefined) && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          types.map((type) => [type, body && type === json ? { schema: toJsonSchema(body) } : {}]),
        ),
      },
    }),
    responses: {
      [status]: { description: 'As requested.', ...(content === undefined ? {} : { content }) },
      default: problem,
    },
  };
}

function toJsonSchema(type: z.ZodType): unknown {
  const { $schema: _, ...json } = z.toJSONSchema(type, { io: 'input' });
  return json;
}

function operationOf(key: string, command: Command): Operation {
  const [method = '', path = ''] = key.split(' ');
  const { summary, query, body, mediaTypes, answer, cost } = command;
  return {
    method: method.toLowerCase() as Operation['method'],
    path: `/${path}`,
    summary,
    parameters: [...pathParameters(path), ...(query === undefined ? [] : queryParameters(query))],
    ...(body && { body }),
    ...(mediaTypes && { bodyTypes: mediaTypes }),
    status: statusOf(command),
    ...(answer && { answer }),
    ...(cost && { cost }),
  };
}
