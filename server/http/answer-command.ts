import { type Command, statusOf } from '@/lib/questions/command';
import { type CommandKey, commands, type InputOf } from '@/lib/questions/commands';
import type { RunCommand } from '../answers/run-command';
import { matchPath } from './match-path';
import { readBody } from './read-body';
import { readQuery } from './read-query';

/** By its method and path as one path, as in "POST/pins". */
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
