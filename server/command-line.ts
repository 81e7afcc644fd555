import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { messageOf } from '@/lib/format/message-of';

/** What is stated is not valid. */
export class UsageError extends Error {}

const seeHelp = '(npm run interop -- --help lists the options)';

/** One of the two commands of `npm run interop`. */
export function interopCommand(description: string): Command {
  return new Command('npm run interop --')
    .description(description)
    .allowExcessArguments(false)
    .showHelpAfterError(seeHelp)
    .exitOverride();
}

/** An option with a value, or with several ones, which are no other options: commander would read `--client --list` as a name. */
export function valueOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser<string | readonly string[] | undefined>((value, earlier = []) => {
    if (value.startsWith('-')) throw new InvalidArgumentError('Expected a value, got an option.');
    return option.variadic ? [...earlier, value] : value;
  });
}

/** Sets the exit code: that of `main`, or 2 if what is stated is not valid. */
export function runCommand(
  main: () => Promise<number>,
  isUsageError: (error: unknown) => boolean = () => false,
): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      // commander has printed what it says.
      if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
      else if (error instanceof UsageError || isUsageError(error)) {
        process.stderr.write(`error: ${messageOf(error)}\n${seeHelp}\n`);
        process.exitCode = 2;
      } else throw error;
    },
  );
}
