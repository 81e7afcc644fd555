import type { Command, CommandRequest } from '@/lib/questions/command';
import {
  type CommandAnswerOf,
  type CommandKey,
  type Commands,
  commands,
  type InputOf,
} from '@/lib/views/commands';
import { finishAnswer } from './finish-answer';
import { parseInput, parseQuery } from './parse-input';

export type CommandAnswers = {
  readonly [Key in CommandKey]: (
    request: CommandRequest<Key, Commands[Key]>,
  ) => CommandAnswerOf<Key> | Promise<CommandAnswerOf<Key>>;
};

/** Runs a command. Throws an ApiError: 400 if the query or the body is not valid, 404 if something is missing. */
export type RunCommand = <Key extends CommandKey>(
  key: Key,
  input: InputOf<Key>,
  signal?: AbortSignal,
) => Promise<CommandAnswerOf<Key>>;

export function createRunCommand(answers: CommandAnswers): RunCommand {
  const run = async (
    key: CommandKey,
    { params, query, body }: InputOf<CommandKey>,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const command: Command = commands[key];
    // The request has the types that the command states.
    const answer = answers[key] as (request: CommandRequest<string, Command>) => unknown;
    const request = {
      params,
      signal,
      query: command.query && parseQuery(command.query, query),
      body: command.body && command.mediaTypes === undefined ? parseInput(command.body, body) : body,
    };
    return finishAnswer(command, await answer(request as CommandRequest<string, Command>));
  };
  return run as RunCommand;
}
