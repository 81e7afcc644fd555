import { type Command, statusOf } from '@/lib/questions/command';
import { type CommandKey, commands, type InputOf } from '@/lib/questions/commands';
import type { RunCommand } from '../answers/run-command';
import { matchPath } from './match-path';
import { readBody } from './read-body';
import { readQuery } from './read-query';

const keys = Object.keys(commands) as CommandKey[];

/** `path`: the decoded segments below /api/v1. undefined: there is no such command. Throws ApiError. */
export async function answerCommand(
  request: Request,
  path: readonly string[],
  run: RunCommand,
): Promise<Response | undefined> {
  const found = matchPath(
    keys.map((key) => key.replace(' ', '/')),
    [request.method, ...path],
  );
  if (found === undefined) return undefined;
  const key = found.path.replace('/', ' ') as CommandKey;
  const command: Command = commands[key];
  const query = command.query && readQuery(new URL(request.url).searchParams, command.query);
  const body = await readBody(request, command);
  const answer: unknown = await run(key, { params: found.params, query, body } as InputOf<CommandKey>);
  const status = statusOf(command);
  return command.answer === undefined
    ? new Response(null, { status })
    : Response.json(answer, { status, headers: { 'cache-control': 'no-store' } });
}
