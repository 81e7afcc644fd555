import { z } from 'zod';
import { type Command, statusOf } from '@/lib/questions/command';
import { type CommandKey, commands, type InputOf } from '@/lib/questions/commands';
import type { RunCommand } from '../answers/run-command';
import { matchPath } from './match-path';
import { readBody } from './read-body';

/** By method and path, joined as in "POST/pins". */
const keys = new Map(
  (Object.keys(commands) as CommandKey[]).map((key) => [key.replace(' ', '/'), key] as const),
);
const paths = [...keys.keys()];

/** `path`: the decoded segments below /api/v1. undefined: there is no such command. Throws ApiError. */
export async function answerCommand(
  request: Request,
  path: readonly string[],
  run: RunCommand,
): Promise<Response | undefined> {
  const found = matchPath(paths, [request.method, ...path]);
  const key = found && keys.get(found.path);
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

/** The query of a URL in the shape of its schema: all values of a list field, the last value of any other field. */
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
