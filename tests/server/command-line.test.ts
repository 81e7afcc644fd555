import { expect, it } from 'vitest';
import { interopCommand, valueOption } from '@/server/command-line';

/** The options that are read, or the error that is printed. */
function read(...args: string[]): unknown {
  let printed = '';
  const command = interopCommand('Runs cases.')
    .addOption(valueOption('--client <name>', 'the client'))
    .addOption(valueOption('--case <name...>', 'the cases'))
    .option('--list', 'list clients')
    .configureOutput({ writeErr: (text) => (printed += text) });
  try {
    return command.parse(args, { from: 'user' }).opts();
  } catch {
    return printed.split('\n')[0];
  }
}

it('reads one value, or several', () => {
  expect(read('--client', 'grpc-go', '--case', 'csds', 'affinity', '--case', 'timeout', '--list')).toEqual({
    ...{ client: 'grpc-go', case: ['csds', 'affinity', 'timeout'], list: true },
  });
});

it.each([
  [['--client'], "error: option '--client <name>' argument missing"],
  [
    ['--client', '--help'],
    "error: option '--client <name>' argument '--help' is invalid. Expected a value, got an option.",
  ],
  [
    ['--case', '--list'],
    "error: option '--case <name...>' argument '--list' is invalid. Expected a value, got an option.",
  ],
  [['--client', 'grpc-go', 'csds'], 'error: too many arguments. Expected 0 arguments but got 1.'],
  [['--cases'], "error: unknown option '--cases'"],
])('states what is missing in %j', (args, expected) => {
  expect(read(...args)).toBe(expected);
});
