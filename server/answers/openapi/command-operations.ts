import { type Command, statusOf } from '@/lib/questions/command';
import { commands, streamedCommands } from '@/lib/questions/commands';
import type { Operation } from './operation';
import { pathParameters, queryParameters } from './question-operations';

/** The operations that follow from the commands. */
export const commandOperations: readonly Operation[] = Object.entries({
  ...commands,
  ...streamedCommands,
}).map(([key, command]) => operationOf(key, command));

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
